// One short question to a server over HTTP and its whole answer, for everything that is not a call: tests of providers, lists of models,
// bills, tokens, the search for local servers. No redirect is followed. Time, bytes and what JSON is made of are bounded: nothing that a
// server answers stops the thread that serves calls. What goes wrong is a value, never a throw.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { JsonMeter, type JsonBounds } from '#dialect/json-meter.ts'
import { parseMeasured } from '#dialect/request-body.ts'
import type { Destination } from '#provider/connections.ts'
import { connectionProblemOf, type ConnectionProblem } from '#provider/connection-problem.ts'
import { redactionFor } from '#provider/redaction.ts'

export type Question = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The secrets of the provider that is asked: they are taken out of its answer. */
  readonly secrets?: readonly string[]
  readonly dispatcherOf: DispatcherOf
  /** For all of it, from the connection to the last byte. */
  readonly timeLimitMs: number
  /** The rest of a longer answer is not read; of an error no more than `MAX_ERROR_BYTES`. */
  readonly maxBytes: number
  /** Of what is read in another thread where it is large; `ANSWER_BOUNDS` unless given. */
  readonly bounds?: JsonBounds
}

/** What is parsed in a tenth of a second, whatever it is made of: a list of a thousand models with all that OpenRouter says of each. */
const ANSWER_BOUNDS: JsonBounds = { depth: 200, pieces: 200_000, members: 80_000, outermost: 1000, values: 200_000 }
const MAX_ERROR_BYTES = 65_536
/** A socket can hand over megabytes at once. */
const BYTES_PER_TURN = 512 * 1024

export type Answer = {
  readonly type: 'answer'
  readonly status: number
  /** Names in lower case; of a header that came twice the first one. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** It is too long, or its JSON would take too long to read. The rest of it was not read. */
  readonly isExcessive: boolean
  /** Of its JSON: objects, lists and texts. */
  readonly pieces: number
}

export type NoAnswer = { readonly type: 'problem' } & ConnectionProblem

/** The connections on which a question to a URL leaves. */
export type DispatcherOf = (url: string) => Dispatcher

/** Where such connections come from. Whoever gives them closes them. */
export type WayOut = { readonly pool: (destination: Destination) => Dispatcher }

/** Asks once. Never rejects. */
export async function ask(question: Question): Promise<Answer | NoAnswer> {
  const { method, url, headers, body, secrets = [], dispatcherOf, timeLimitMs } = question
  try {
    const { origin, pathname, search } = new URL(url)
    const response = await dispatcherOf(url).request({
      origin,
      path: pathname + search,
      method,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
      signal: AbortSignal.timeout(timeLimitMs),
      ...(body === undefined ? {} : { body }),
    })
    const status = response.statusCode
    const redaction = redactionFor(secrets)
    const read = await readText(response.body, { ...question, isError: status >= 300, redaction })
    const shown = singleHeaders(redaction?.headers(response.headers) ?? response.headers)
    return { type: 'answer', status, headers: shown, ...read }
  } catch (error) {
    return { type: 'problem', ...connectionProblemOf(error) }
  }
}

const values = new WeakMap<object, unknown>()

/** The value of an answer in JSON; undefined for anything else, and for too much of it. It is parsed once. */
export function jsonOf(answer: Pick<Answer, 'text' | 'isExcessive'>): unknown {
  if (!values.has(answer)) values.set(answer, answer.isExcessive ? undefined : parseMeasured(answer.text))
  return values.get(answer)
}

type BodyReading = Pick<Question, 'maxBytes' | 'bounds'> & {
  readonly isError: boolean
  readonly redaction: ReturnType<typeof redactionFor>
}

/** Looks at each piece as it comes, so that others have their turn between them. */
async function readText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, bounds = ANSWER_BOUNDS, isError, redaction }: BodyReading,
): Promise<Pick<Answer, 'text' | 'isExcessive' | 'pieces'>> {
  const most = isError ? Math.min(maxBytes, MAX_ERROR_BYTES) : maxBytes
  const redacted = redaction?.body(isError)
  const meter = new JsonMeter(bounds)
  const chunks: Uint8Array[] = []
  let length = 0
  let readThisTurn = 0
  let isExcessive = false
  for await (const chunk of body) {
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, most - length))
    chunks.push((redacted === undefined ? piece : redacted.push(piece)) ?? EMPTY)
    length += piece.length
    isExcessive = meter.push(piece) !== undefined
    // Leaving the loop destroys the body, and with it the connection.
    if (length >= most || isExcessive) break
    readThisTurn += piece.length
    if (readThisTurn < BYTES_PER_TURN) continue
    readThisTurn = 0
    await nextTurn()
  }
  isExcessive ||= length >= most && !isError
  const bytes = Buffer.concat([...chunks, redacted?.end() ?? EMPTY])
  // Of an answer that is not used its beginning says what it is.
  const text = bytes.toString('utf8', 0, isExcessive ? MAX_ERROR_BYTES : bytes.length)
  return { text, isExcessive, pieces: meter.pieces }
}

const EMPTY = Buffer.alloc(0)

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const first = Array.isArray(value) ? value[0] : value
    return first === undefined ? [] : [[name, first]]
  })
  return Object.fromEntries(entries)
}
