// A form with files (multipart/form-data), whoever reads and keeps it: what its fields say, as the JSON that the same request would be,
// and the form that a provider is sent. It is written anew, so that a provider reads what was read here and nothing else.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { meteredName, parseBody, type RequestBody } from '#dialect/request-body.ts'

export type UploadedForm = {
  /** In the order in which they came. */
  readonly parts: readonly FormPart[]
  /** Stands in none of the parts. */
  readonly boundary: string
}

export type FormPart =
  { readonly type: 'field'; readonly name: string; readonly value: string } | ({ readonly type: 'file' } & FormFile)

export type FormFile = {
  readonly name: string
  readonly fileName: string
  readonly mediaType: string
  readonly byteLength: number
  /** Its first bytes, which tell what it is. */
  readonly head: Uint8Array
  /** All of it, each time anew. */
  read(): AsyncIterable<Uint8Array>
}

/** A body that is not in memory. */
export type UploadBody = {
  readonly mediaType: string
  readonly byteLength: number
  read(): AsyncIterable<Uint8Array>
}

/** What an endpoint reads of a form. All other fields are passed on. */
export type FormRules = {
  /** The names of its files, and how many there may be of each. */
  readonly files: Readonly<Record<string, number>>
  /** Fields that stand for numbers, and for true or false. */
  readonly numbers?: readonly string[]
  readonly booleans?: readonly string[]
}

type FormBody = { readonly body: RequestBody; readonly files: readonly FormFile[] }

/** Some servers read brackets as a list, or as a member of an object. */
const NAME = /^[\w.-]{1,64}(?:\[[\w.-]{0,64}\])?$/
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/

/** The fields of a form as a body of JSON, and its files; or a refusal with the name that is wrong. */
export function readFields({ parts }: UploadedForm, rules: FormRules): FormBody | Refusal {
  const members = new Map<string, unknown>()
  const files: FormFile[] = []
  for (const part of parts) {
    const problem =
      checkName(part.name) ?? (part.type === 'file' ? checkFile(part, files, rules) : checkField(part, members, rules))
    if (problem !== undefined) return problem
    if (part.type === 'file') files.push(part)
    else if (part.name.endsWith('[]')) members.set(part.name, [...listOf(members.get(part.name)), part.value])
    else members.set(part.name, valueOf(part, rules))
  }
  const text = JSON.stringify(Object.fromEntries(members))
  const body = parseBody(text, Buffer.byteLength(text))
  return isRefusal(body) ? body : { body, files }
}

function checkName(name: string): Refusal | undefined {
  if (!NAME.test(name)) return refuse('invalid_request', 'A part of the form has no name, or one that is no word.')
  const [base = ''] = name.split('[', 1)
  const metered = meteredName(base)
  if (metered === undefined || metered === name) return undefined
  return refuse('invalid_request', `The member '${name}' must be written '${metered}'.`, { param: name })
}

function checkFile(
  { name, byteLength }: FormFile,
  before: readonly FormFile[],
  { files }: FormRules,
): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'${name}' ${says}.`, { param: name })
  const most = Object.hasOwn(files, name) ? files[name] : undefined
  if (most === undefined) return wrong('must not be a file')
  if (byteLength === 0) return wrong('must not be empty')
  const count = before.filter((file) => file.name === name).length
  return count < most ? undefined : wrong(most === 1 ? 'stands twice in the form' : `must have at most ${most} files`)
}

function checkField(
  { name }: { readonly name: string },
  before: ReadonlyMap<string, unknown>,
  { files }: FormRules,
): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'${name}' ${says}.`, { param: name })
  if (Object.hasOwn(files, name)) return wrong('must be a file')
  return before.has(name) && !name.endsWith('[]') ? wrong('stands twice in the form') : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What is not as its field asks for stays a text, which the rules of its endpoint refuse. */
function valueOf({ name, value }: { name: string; value: string }, { numbers, booleans }: FormRules): unknown {
  if (numbers?.includes(name) === true && NUMBER.test(value)) return Number(value)
  if (booleans?.includes(name) === true && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** The form for a provider, which has another name for the model. */
export function writtenForm({ parts, boundary }: UploadedForm, model: string): UploadBody {
  const pieces = parts.map((part) => ({
    head: Buffer.from(`--${boundary}\r\n${partHead(part)}\r\n\r\n`),
    content: part.type === 'file' ? part : Buffer.from(part.name === 'model' ? model : part.value),
  }))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const byteLength = pieces.reduce(
    (sum, { head, content }) => sum + head.length + content.byteLength + LINE_END.length,
    0,
  )
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    byteLength: byteLength + end.length,
    async *read() {
      for (const { head, content } of pieces) {
        yield head
        if (content instanceof Uint8Array) yield content
        else yield* content.read()
        yield LINE_END
      }
      yield end
    },
  }
}

const LINE_END = Buffer.from('\r\n')

function partHead(part: FormPart): string {
  const name = `content-disposition: form-data; name="${escaped(part.name)}"`
  if (part.type === 'field') return name
  const mediaType = MEDIA_TYPE.test(part.mediaType) ? part.mediaType : 'application/octet-stream'
  return `${name}; filename="${escaped(part.fileName)}"\r\ncontent-type: ${mediaType}`
}

/** As browsers write names: nothing in them can end the line or the name. */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
