// Generates the load and checks every answer, status and bytes. undici's dispatch is used directly: it
// is the cheapest client at hand, and what the client burns is not measured.
import { Pool, type Dispatcher } from 'undici'
import { ID_MASK, type Exchange } from './payload.ts'

export type Timing = {
  /** From the request to the first byte of the body, which in a stream is the first event. */
  readonly firstByteMs: number
  readonly totalMs: number
  /** Pieces the body came in; near the number of events when nobody joined or split them. */
  readonly reads: number
}

/** An answer with another status than 200. */
export class OtherStatus extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Client = {
  /** Rejects with OtherStatus where it was answered so. */
  call(exchange: Exchange): Promise<Timing>
  /** A call that can be left in the middle; its answer is rejected then. */
  begin(exchange: Exchange): { readonly answer: Promise<Timing>; leave(): void }
  close(): Promise<void>
}

export type Target = {
  readonly name: string
  readonly url: string
  readonly key: string
  /** Beside those that every call has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How its connections are made, where that is not over plain loopback. */
export type Line = { readonly ca: string; readonly localAddress: string }

export function createClient(target: Target, connections: number, line?: Line): Client {
  // The address is the client's and not its connector's, which would ignore it.
  const from = line === undefined ? {} : { connect: { ca: line.ca }, localAddress: line.localAddress }
  const pool = new Pool(target.url, { connections, ...from })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.key}`, ...target.headers }
  const options = { method: 'POST', headers } as const
  const begin: Client['begin'] = (exchange) => {
    const leaving = new AbortController()
    const answer = new Promise<Timing>((resolve, reject) => {
      const failed = (reason: string, status?: number) => {
        const message = `${target.name}: ${reason}`
        reject(status === undefined ? new Error(message) : new OtherStatus(status, message))
      }
      pool.dispatch(
        { ...options, path: exchange.path, body: exchange.body },
        checkedAnswer(exchange, { resolve, failed, left: leaving.signal }),
      )
    })
    return { answer, leave: () => leaving.abort() }
  }
  return { begin, call: (exchange) => begin(exchange).answer, close: () => pool.destroy() }
}

/** A fixed number of calls by a fixed number of callers, each asking again when it was answered. */
export async function runCalls(client: Client, exchange: Exchange, load: { calls: number; callers: number }) {
  let started = 0
  let reads = 0
  const tookMs: number[] = []
  const caller = async () => {
    while (started < load.calls) {
      started += 1
      const timing = await client.call(exchange)
      reads += timing.reads
      tookMs.push(timing.totalMs)
    }
  }
  await Promise.all(Array.from({ length: load.callers }, caller))
  return { reads, tookMs }
}

type Ways = {
  readonly resolve: (timing: Timing) => void
  readonly failed: (reason: string, status?: number) => void
  readonly left: AbortSignal
}

function checkedAnswer({ expected }: Exchange, { resolve, failed, left }: Ways): Dispatcher.DispatchHandler {
  const startedAtMs = performance.now()
  const answer = new Comparison(expected)
  let status = 0
  let reads = 0
  let firstByteMs = 0
  return {
    onRequestStart: (controller) => {
      left.addEventListener('abort', () => controller.abort(new Error('its client left')), { once: true })
    },
    onResponseStart: (_controller, statusCode) => void (status = statusCode),
    onResponseData: (_controller, chunk) => {
      if (reads === 0) firstByteMs = performance.now() - startedAtMs
      reads += 1
      answer.take(chunk)
    },
    onResponseEnd: () => {
      const totalMs = performance.now() - startedAtMs
      const wrong = answer.difference()
      if (status !== 200) failed(`status ${status} instead of 200: ${wrong}`, status)
      else if (wrong !== undefined) failed(`wrong bytes in an answer: ${wrong}`)
      else resolve({ firstByteMs, totalMs, reads })
    },
    onResponseError: (_controller, error) => failed(error.message),
  }
}

/** Compares an answer as it comes, so that a thousand of them need not be kept. */
class Comparison {
  readonly #expected: Buffer | undefined
  /** How much came as it was expected. */
  #length = 0
  /** What came from the first piece on that was not. */
  readonly #others: Buffer[] = []

  /** Without an expectation every answer will do. */
  constructor(expected: Buffer | undefined) {
    this.#expected = expected
  }

  take(chunk: Buffer): void {
    if (this.#expected === undefined) return
    const end = this.#length + chunk.length
    if (this.#others.length > 0 || !chunk.equals(this.#expected.subarray(this.#length, end))) this.#others.push(chunk)
    else this.#length = end
  }

  /** To be asked at the end: where it was another answer than expected, if it was. */
  difference(): string | undefined {
    if (this.#expected === undefined) return undefined
    if (this.#others.length === 0 && this.#length === this.#expected.length) return undefined
    return difference(Buffer.concat([this.#expected.subarray(0, this.#length), ...this.#others]), this.#expected)
  }
}

/** Where an answer begins to be another one than expected; undefined where it is the same but for its own id. */
function difference(answer: Buffer, expected: Buffer): string | undefined {
  const masked = answer.toString('latin1').replaceAll(ID_MASK.pattern, ID_MASK.written)
  const wanted = expected.toString('latin1')
  if (masked === wanted) return undefined
  let at = 0
  while (masked[at] === wanted[at] && at < masked.length) at += 1
  return `${masked.length} bytes instead of ${wanted.length}, from ${at}: ${masked.slice(Math.max(0, at - 100), at + 200)}`
}
