// What a provider says in the body of an error, in whichever of the usual shapes: OpenAI's, Anthropic's and Google's objects,
// FastAPI's list of what is wrong where, problem documents, bare texts. A page is for browsers and says nothing here.

import { isRecord, parseJson } from '#dialect/request-body.ts'

export type ProviderWords = {
  readonly message: string
  readonly param?: string
  readonly code?: string
  readonly type?: string
}

/** Lists name every reason; nobody reads more than the first ones. */
const MAX_REASONS = 8
/** Longer than any error text that says something. */
const MAX_WORDS = 2000
/** Gateways put the error of another one into their own. */
const DEEPEST = 4
const MAX_STEPS = 16
/** Names of members are short. */
const LONGEST_NAME = 200

/** undefined where a body says nothing, or is not made of JSON. */
export function providerWords(body: unknown): ProviderWords | undefined {
  const words = wordsIn(body, 0)
  if (words === undefined) return undefined
  return words.message.length > MAX_WORDS ? { ...words, message: words.message.slice(0, MAX_WORDS) } : words
}

/** The words of a body as it came: in JSON whatever it says that it is, or as a bare text. */
export function wordsOfBody(body: string, contentType: string): ProviderWords | undefined {
  const text = body.trim()
  if (/^[{[]/.test(text)) {
    const value = parseJson(text)
    if (value !== undefined) return providerWords(value)
  }
  const isText = contentType === '' || /^text\/plain\b/.test(contentType)
  return isText && isSentence(text) && !text.includes('\0') ? { message: text.slice(0, MAX_WORDS) } : undefined
}

/** Whether an error is told in the member that clients read. */
export function hasErrorObject(body: unknown): boolean {
  const error = isRecord(body) ? body['error'] : undefined
  return isRecord(error) && typeof error['message'] === 'string' && error['message'] !== ''
}

function wordsIn(value: unknown, depth: number): ProviderWords | undefined {
  if (typeof value === 'string') return isSentence(value.trim()) ? { message: value } : undefined
  if (depth > DEEPEST) return undefined
  if (Array.isArray(value)) return wordsInList(value, depth)
  return isRecord(value) ? wordsInObject(value, depth) : undefined
}

/** Where the words stand, the surest place first; `title` is what a problem document calls its kind. */
const PLACES = ['error', 'message', 'detail', 'errors', 'msg', 'error_description', 'errorMessage', 'Message', 'reason']

function wordsInObject(value: Readonly<Record<string, unknown>>, depth: number): ProviderWords | undefined {
  if (Array.isArray(value['loc'])) return reasonAt(value['loc'], value['msg'] ?? value['message'])
  // A short name of the kind stands beside the sentence that says what happened: `title` in problem documents, `error` in others.
  const kind = [value['title'], value['error']].find((name) => typeof name === 'string' && isSentence(name.trim()))
  for (const place of PLACES) {
    const found =
      typeof value[place] === 'string' && value[place] === kind ? undefined : wordsIn(value[place], depth + 1)
    if (found !== undefined) return { ...namesIn(value), ...found, message: titled(kind, found.message) }
  }
  return typeof kind === 'string' ? { ...namesIn(value), message: kind } : undefined
}

function titled(kind: unknown, message: string): string {
  if (typeof kind !== 'string' || message.startsWith(kind)) return message
  return `${kind.trim().replace(/[.:]$/, '')}: ${message}`
}

function namesIn({ param, code, type }: Readonly<Record<string, unknown>>): Omit<ProviderWords, 'message'> {
  return {
    ...(typeof param === 'string' ? { param } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof type === 'string' ? { type } : {}),
  }
}

function wordsInList(list: readonly unknown[], depth: number): ProviderWords | undefined {
  const found = list.slice(0, MAX_REASONS).flatMap((one) => wordsIn(one, depth + 1) ?? [])
  const [first] = found
  if (first === undefined) return undefined
  return { ...first, message: [...new Set(found.map(({ message }) => message))].join('; ') }
}

/** One of FastAPI's reasons: `{"loc":["body","messages",0,"content"],"msg":"Field required"}`. What was sent is not repeated. */
function reasonAt(location: readonly unknown[], words: unknown): ProviderWords | undefined {
  if (typeof words !== 'string' || words.trim() === '') return undefined
  const [first, ...rest] = location.slice(0, MAX_STEPS)
  const isOutside = ['body', 'query', 'path', 'header'].some((part) => part === first)
  const path = pathOf(isOutside ? rest : [first, ...rest])
  return path === '' ? { message: words } : { message: `${path}: ${words}`, param: path.slice(0, LONGEST_NAME) }
}

function pathOf(steps: readonly unknown[]): string {
  let path = ''
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`
    else if (typeof step === 'string') path += path === '' ? step : `.${step}`
  }
  return path
}

/** Something to read, and not a page. */
function isSentence(text: string): boolean {
  return text !== '' && !/^<|<(?:!doctype|html|body|head)\b/i.test(text)
}
