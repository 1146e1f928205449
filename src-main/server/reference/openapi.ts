// The OpenAPI 3.1 document of everything that is served, made from the same tables as the routes. Loaded by the first request
// for it: a gateway that only relays never pays.

import { ADMIN_API, endpointOf, type Endpoint } from '#contract/admin-api.ts'
import { ADMIN_STREAMS, type Route, type RouteAccess } from '#contract/admin-routes.ts'
import { GeminiError } from '#contract/gemini-api.ts'
import { GATEWAY_API, GATEWAY_GROUPS, type GatewayEndpoint } from '#contract/gateway-api.ts'
import { ErrorBody, MessagesError } from '#contract/gateway-shapes.ts'
import { REFUSALS } from '#core/refusal.ts'
import { isObject, schemaWriter, type JsonObject, type SchemaWriter } from '#server/reference/openapi-schemas.ts'

export type OperationAccess = RouteAccess | 'key' | 'scraper'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonObject
}
type Content = Readonly<Record<string, { readonly schema?: JsonObject; readonly example?: object }>>
export type ResponseDescription = {
  readonly description: string
  readonly headers?: Readonly<Record<string, JsonObject>>
  readonly content?: Content
}
export type Operation = {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseDescription>>
  readonly 'x-farebox-access': OperationAccess
  /** The path that does the same. */
  readonly 'x-farebox-same-as'?: string
}
export type OpenApiDocument = {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
    readonly schemas: Readonly<Record<string, JsonObject>>
  }
}

const DESCRIPTION =
  'The gateway for tools and SDKs, and the admin API that the dashboard and the command line use. Amounts are credits, times ' +
  'ISO 8601 in UTC. Errors are JSON with a type and the HTTP status; go by these, not by the text.'

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'A key of Farebox, key_...' },
  key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key, as clients of messages send it.',
  },
  google_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'The same key, as clients of Gemini send it. At their paths alone.',
  },
  session_cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'farebox-3273',
    description: 'Set by signing in; its name has the port of the gateway. Only together with the header.',
  },
  session_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-farebox-session',
    description: 'The token that signing in answers with. Only together with the cookie.',
  },
  metrics_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token for figures: metrics.token of the data folder, or the file that a setting names.',
  },
  command_line: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token in instance.json of the data folder, made anew at each start.',
  },
} as const

const SECURITY: Readonly<Record<OperationAccess, Operation['security']>> = {
  public: [],
  key: [{ key: [] }, { key_header: [] }],
  scraper: [{ metrics_token: [] }],
  holder: [{ session_cookie: [], session_header: [] }, { command_line: [] }],
  member: [{ session_cookie: [], session_header: [] }, { command_line: [] }],
  administrator: [{ session_cookie: [], session_header: [] }, { command_line: [] }],
}

/** Google's header is a key at the paths that Google's clients ask. */
const GOOGLE_PATH = /^\/v1(?:beta|\/models)(?:\/|$)/

/** The whole document. `version` is the program's. */
export function openApiDocument(version: string): OpenApiDocument {
  const writer = schemaWriter()
  const paths: Record<string, Record<string, Operation>> = {}
  const put = (path: string, method: string, operation: Operation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const [name, endpoint] of Object.entries<GatewayEndpoint>(GATEWAY_API)) {
    const operation = gatewayOperation(name, endpoint, writer)
    put(endpoint.path, endpoint.method, operation)
    if (endpoint.alias === undefined) continue
    const security = gatewaySecurity(endpoint, endpoint.alias)
    const same = { operationId: `${name}Unversioned`, security, 'x-farebox-same-as': endpoint.path }
    put(endpoint.alias, endpoint.method, { ...operation, ...same })
  }
  const streams = Object.entries<Route>(ADMIN_STREAMS).map(([name, route]) => [name, endpointOf(route)] as const)
  const actions = [...Object.entries(ADMIN_API), ...streams]
  for (const [name, endpoint] of actions) put(endpoint.path, endpoint.method, adminOperation(name, endpoint, writer))
  const groups = new Set([...GATEWAY_GROUPS, ...actions.map(([, { group }]) => group)])
  const tags = Array.from(groups, (group) => ({
    name: group,
    description: isGatewayGroup(group) ? 'For tools and SDKs.' : 'Part of the admin API.',
  }))
  return {
    openapi: '3.1.1',
    info: { title: 'Farebox', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: writer.components() },
  }
}

function isGatewayGroup(group: string): boolean {
  return GATEWAY_GROUPS.some((name) => name === group)
}

/** Whoever is asked by a wrong name or from a web page is refused everywhere, and mistakes of ours can be anywhere. */
const EVERYWHERE = [403, 500]

function gatewayOperation(name: string, endpoint: GatewayEndpoint, writer: SchemaWriter): Operation {
  const { access } = endpoint
  const error = writer.write(endpoint.error ?? ErrorBody)
  return {
    operationId: name,
    tags: [endpoint.group],
    summary: endpoint.summary,
    security: gatewaySecurity(endpoint, endpoint.path),
    ...parametersOf(endpoint.path, endpoint.query, writer),
    ...gatewayBody(endpoint, writer),
    responses: {
      ...gatewayAnswer(endpoint, writer),
      ...refusalAnswers([...EVERYWHERE, ...endpoint.refusals], error),
    },
    'x-farebox-access': access,
  }
}

function gatewayBody({ body, form, example }: GatewayEndpoint, writer: SchemaWriter): Pick<Operation, 'requestBody'> {
  if (body === undefined && form === undefined) return {}
  const plain = body === undefined ? {} : json(writer.write(body), example)
  const parts = form === undefined ? {} : { 'multipart/form-data': { schema: writer.write(form) } }
  return { requestBody: { required: true, content: { ...plain, ...parts } } }
}

function gatewaySecurity({ access, refusals }: GatewayEndpoint, path: string): Operation['security'] {
  const isOptional = access === 'public' && refusals.includes(401)
  if (!isOptional && access !== 'key') return SECURITY[access]
  const keys = GOOGLE_PATH.test(path) ? [...SECURITY.key, { google_key_header: [] }] : SECURITY.key
  return isOptional ? [{}, ...keys] : keys
}

function gatewayAnswer(
  { response, isStream, body, form }: GatewayEndpoint,
  writer: SchemaWriter,
): Record<string, ResponseDescription> {
  if (response === '') return {}
  const content = typeof response === 'string' ? { [response]: {} } : json(writer.write(response))
  const stream: Content = isStream === true ? { 'text/event-stream': { schema: { type: 'string' } } } : {}
  const headers = (body ?? form) === undefined ? {} : { headers: CALL_HEADERS }
  return { '200': { description: 'Done.', ...headers, content: { ...content, ...stream } } }
}

const CALL_HEADERS = {
  'x-request-id': header('The id of the request, and of its receipt.'),
  'x-farebox-attempts': header('The requests to providers that it took.'),
  'x-farebox-adjusted': header('The output cap that was set or lowered.'),
  'x-farebox-dropped': header('What the provider could not be told.'),
}

function header(description: string): JsonObject {
  return { description, schema: { type: 'string' } }
}

function adminOperation(name: string, endpoint: Endpoint, writer: SchemaWriter): Operation {
  const { method, path, access, body, query, group, summary, example, refusals = [] } = endpoint
  const content = json(body === undefined ? {} : writer.write(body), example)
  return {
    operationId: name in GATEWAY_API ? `${name}Admin` : name,
    tags: [group],
    summary,
    security: SECURITY[access],
    ...parametersOf(path, query, writer),
    ...(body === undefined ? {} : { requestBody: { required: true, content } }),
    responses: {
      '200': { description: 'Done.', content: adminContent(name, endpoint, writer) },
      ...refusalAnswers(
        [...adminRefusals({ method, path, access, hasInput: (body ?? query) !== undefined }), ...refusals],
        adminError(name, writer),
      ),
    },
    'x-farebox-access': access,
  }
}

function adminContent(name: string, { response }: Endpoint, writer: SchemaWriter): Content {
  const events = { 'text/event-stream': { schema: { type: 'string' } } }
  if (name === 'events') return events
  return name === 'tryIt' ? { ...json({}), ...events } : json(writer.write(response))
}

/** A test request is refused in the words of its format. */
function adminError(name: string, writer: SchemaWriter): JsonObject {
  const error = writer.write(ErrorBody)
  return name === 'tryIt' ? { anyOf: [error, writer.write(MessagesError), writer.write(GeminiError)] } : error
}

type AdminShape = Pick<Endpoint, 'method' | 'path' | 'access'> & { readonly hasInput: boolean }

function adminRefusals({ method, path, access, hasInput }: AdminShape): number[] {
  const isChange = method !== 'GET'
  return [
    ...EVERYWHERE,
    ...(hasInput || path.includes('{') ? [400] : []),
    ...(access === 'public' ? [401, 429] : [401]),
    ...(hasInput || path.includes('{') ? [404] : []),
    ...(isChange ? [409, 503, 507] : []),
    // Members and holders of keys may change so much in a minute.
    ...(isChange && access !== 'administrator' ? [429] : []),
    ...(isChange && hasInput ? [413] : []),
  ]
}

function refusalAnswers(statuses: readonly number[], error: JsonObject): Record<string, ResponseDescription> {
  const sorted = [...new Set(statuses)].sort((one, other) => one - other)
  return Object.fromEntries(
    sorted.map((status) => [String(status), { description: refusalText(status), content: json(error) }]),
  )
}

/** The types of error that come with a status. */
function refusalText(status: number): string {
  const types = Object.values(REFUSALS).flatMap((refusal) => (refusal.status === status ? [refusal.errorType] : []))
  return `Refused: ${[...new Set(types)].join(', ')}.`
}

function parametersOf(path: string, query: object | undefined, writer: SchemaWriter): Pick<Operation, 'parameters'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const inPath = names.map((name): Parameter => {
    return { name, in: 'path', required: true, description: pathText(path), schema: { type: 'string' } }
  })
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(writer.writeMembers(query)))]
  return parameters.length === 0 ? {} : { parameters }
}

function pathText(path: string): string {
  if (/^(\/v1(beta)?)?\/models\//.test(path) || path.startsWith('/api/models/'))
    return 'The id of the model, URL-encoded.'
  return /receipts|usage/.test(path) ? 'The id of the call.' : 'The id or the name, URL-encoded.'
}

/** The members of a query, which is written as one object in the contract. */
function queryParameters({ properties, required }: JsonObject): Parameter[] {
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, member]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return isObject(member) ? [{ name, in: 'query' as const, required: isRequired, schema: member }] : []
  })
}

function json(schema: JsonObject, example?: object): Content {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}
