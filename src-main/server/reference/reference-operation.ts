// One endpoint of the reference: who may ask for it, what goes in, what comes out, and how to call it.

import { escapeHtml, type Html } from '#server/reference/html.ts'
import type { Access, Answer, OpenApiDocument, Operation, Parameter } from '#server/reference/openapi.ts'
import { SCHEMA_PLACE } from '#server/reference/openapi-schemas.ts'
import { fieldsHtml, schemaHtml, typeHtml } from '#server/reference/reference-schema.ts'

type Components = OpenApiDocument['components']['schemas']

export type PlacedOperation = {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** Other paths of the same endpoint. */
  readonly others: readonly string[]
  readonly components: Components
  /** What stands for the address of the gateway. */
  readonly address: string
}

const WHO: Readonly<Record<Access, string>> = {
  public: 'everybody',
  key: 'who presents a key',
  holder:
    'the holder of a key, who signed in with it and sees that key alone; members, for what is theirs; and administrators',
  member: 'members, for what is theirs, and administrators',
  administrator: 'administrators',
  scraper: 'what reads the figures',
}

export function operationHtml(placed: PlacedOperation): Html {
  const { method, path, operation, others, components } = placed
  const also = others.map((other) => `<code>${escapeHtml(other)}</code>`).join(', ')
  return [
    `<article id="${operation.operationId}">`,
    `<h3><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span> `,
    `<code>${pathHtml(path)}</code></a></h3>`,
    `<p>${escapeHtml(operation.summary)}</p>`,
    `<p class="who">For ${WHO[operation['x-farebox-access']]}.${also === '' ? '' : ` Also at ${also}.`}</p>`,
    parametersHtml(operation.parameters ?? []),
    bodyHtml(operation, components),
    answersHtml(operation.responses),
    exampleHtml(placed),
    '</article>',
  ].join('')
}

/** May break after each slash, so that long paths fit into a narrow window. */
function pathHtml(path: string): Html {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

function parametersHtml(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    type: typeHtml(schema),
    isRequired: required,
    note: escapeHtml(description ?? (place === 'query' ? noteOf(schema['description']) : '')),
  }))
  const title = parameters.some(({ in: place }) => place === 'query') ? 'Path and query' : 'Path'
  return `<h4>${parameters.some(({ in: place }) => place === 'path') ? title : 'Query'}</h4>${fieldsHtml(rows)}`
}

function noteOf(description: unknown): string {
  return typeof description === 'string' ? description : ''
}

/** With its members, so that a reader need not leave for what is asked most. */
function bodyHtml({ requestBody }: Operation, components: Components): Html {
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return ''
  const reference = schema['$ref']
  const named = typeof reference === 'string' ? components[reference.slice(SCHEMA_PLACE.length)] : undefined
  return `<p class="line"><b>Body</b> ${typeHtml(schema)}</p>${named === undefined ? '' : schemaHtml(named)}`
}

function answersHtml(responses: Operation['responses']): Html {
  const lines = Object.entries(responses).flatMap(([status, answer]) => {
    return status.startsWith('2') ? [`<p class="line"><b>Answer</b> ${contentHtml(answer)}</p>`] : []
  })
  const refusals = Object.keys(responses).filter((status) => !status.startsWith('2'))
  return `${lines.join('')}<p class="line"><b>Refusals</b> ${refusals.join(', ')}</p>`
}

function contentHtml({ content = {} }: Answer): Html {
  const forms = Object.entries(content).map(([type, { schema }]) => {
    if (type !== 'application/json') return `<code>${escapeHtml(type)}</code>`
    return schema === undefined || Object.keys(schema).length === 0 ? 'JSON' : typeHtml(schema)
  })
  return forms.join(', or ')
}

/** What an example has in the place of `{id}` or `{model}`, by how its path begins. */
const NAMES: readonly (readonly [start: string, name: string])[] = [
  ['/api/keys/', 'laptop'],
  ['/api/packages/', 'team'],
  ['/api/models/', 'gpt-5.5'],
  ['/api/providers/', 'openai'],
  ['/api/members/', 'ada'],
  ['/v1/models/', 'demo-chat'],
]
const CALL_ID = '01a1fc79-d4e6-7000-857c-a4383ac1ac29'

const CREDENTIALS: Readonly<Record<Access, string>> = {
  public: '',
  key: ' \\\n  -H "Authorization: Bearer $FAREBOX_KEY"',
  holder: ' \\\n  -H "Authorization: Bearer $FAREBOX_TOKEN"',
  member: ' \\\n  -H "Authorization: Bearer $FAREBOX_TOKEN"',
  scraper: ' \\\n  -H "Authorization: Bearer $FAREBOX_METRICS_TOKEN"',
  administrator: ' \\\n  -H "Authorization: Bearer $FAREBOX_TOKEN"',
}

function exampleHtml({ method, path, operation, address }: PlacedOperation): Html {
  const name = NAMES.find(([start]) => path.startsWith(start))?.[1] ?? CALL_ID
  const example = operation.requestBody?.content['application/json']?.example
  const data = example === undefined ? '' : ` \\\n  -H "Content-Type: application/json" \\\n  -d ${quoted(example)}`
  const verb = method === 'GET' || (method === 'POST' && data !== '') ? '' : ` -X ${method}`
  const credentials = CREDENTIALS[operation['x-farebox-access']]
  const command = `curl${verb} ${address}${path.replace(/\{\w+\}/, name)}${credentials}${data}`
  return `<pre tabindex="0"><code>${escapeHtml(command)}</code></pre>`
}

/** As one word of a shell. */
function quoted(example: object): string {
  return `'${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`
}
