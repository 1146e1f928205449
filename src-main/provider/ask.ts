// One short question to a server over HTTP and its whole answer, for everything that is not a call: tests of providers and the
// search for local servers. No redirect is followed, and time and size are bounded. What goes wrong is a value, never a throw.

import type { Dispatcher } from 'undici'
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
  /** The rest of a longer answer is not read. */
  readonly maxBytes: number
}

export type Answer = {
  readonly type: 'answer'
  readonly status: number
  /** Names in lower case; of a header that came twice the first one. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type NoAnswer = { readonly type: 'problem' } & ConnectionProblem

/** The connections on which a question to a URL leaves. */
export type DispatcherOf = (url: string) => Dispatcher

/** Where such connections come from. Whoever gives them closes them. */
export type WayOut = { readonly pool: (destination: Destination) => Dispatcher }

/** Asks once. Never rejects. */
export async function ask(question: Question): Promise<Answer | NoAnswer> {
  const { method, url, headers, body, secrets = [], dispatcherOf, timeLimitMs, maxBytes } = question
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
    const text = await readText(response.body, maxBytes)
    const status = response.statusCode
    const redaction = redactionFor(secrets)
    return {
      type: 'answer',
      status,
      headers: singleHeaders(redaction?.headers(response.headers) ?? response.headers),
      text: redaction?.text(text, status >= 300) ?? text,
    }
  } catch (error) {
    return { type: 'problem', ...connectionProblemOf(error) }
  }
}

/** The value of an answer in JSON; undefined for anything else. */
export function jsonOf({ text }: Pick<Answer, 'text'>): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, which is what undefined says.
    return undefined
  }
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const first = Array.isArray(value) ? value[0] : value
    return first === undefined ? [] : [[name, first]]
  })
  return Object.fromEntries(entries)
}
