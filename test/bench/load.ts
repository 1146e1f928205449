// Generates the load and checks every answer, status and bytes, while it arrives. undici's dispatch is used directly: it
// is the cheapest client at hand, and what the client burns is not measured.
import { Pool, type Dispatcher } from 'undici'
import type { Exchange } from './payload.ts'

export type Timing = {
  /** From the request to the first byte of the body, which in a stream is the first event. */
  readonly firstByteMs: number
  readonly totalMs: number
  /** Pieces the body came in; near the number of events when nobody joined or split them. */
  readonly reads: number
}

export type Client = {
  call(exchange: Exchange): Promise<Timing>
  close(): Promise<void>
}

export function createClient(target: { name: string; url: string; key: string }, connections: number): Client {
  const pool = new Pool(target.url, { connections })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.key}` }
  const options = { method: 'POST', path: '/v1/chat/completions', headers } as const
  return {
    call: (exchange) =>
      new Promise((resolve, reject) => {
        const failed = (reason: string) => reject(new Error(`${target.name}: ${reason}`))
        pool.dispatch({ ...options, body: exchange.body }, checkedAnswer(exchange, { resolve, failed }))
      }),
    close: () => pool.destroy(),
  }
}

/** A fixed number of calls by a fixed number of callers, each asking again when it was answered. */
export async function runCalls(client: Client, exchange: Exchange, load: { calls: number; callers: number }) {
  let started = 0
  let reads = 0
  const caller = async () => {
    while (started < load.calls) {
      started += 1
      const timing = await client.call(exchange)
      reads += timing.reads
    }
  }
  await Promise.all(Array.from({ length: load.callers }, caller))
  return { reads }
}

type Ways = { readonly resolve: (timing: Timing) => void; readonly failed: (reason: string) => void }

function checkedAnswer({ expected }: Exchange, { resolve, failed }: Ways): Dispatcher.DispatchHandler {
  const startedAtMs = performance.now()
  let status = 0
  let firstByteMs = 0
  let offset = 0
  let reads = 0
  let wrong = ''
  return {
    onRequestStart: () => {},
    onResponseStart: (_controller, statusCode) => void (status = statusCode),
    onResponseData: (_controller, chunk) => {
      if (reads === 0) firstByteMs = performance.now() - startedAtMs
      reads += 1
      if (!chunk.equals(expected.subarray(offset, offset + chunk.length))) wrong ||= chunk.toString().slice(0, 300)
      offset += chunk.length
    },
    onResponseEnd: () => {
      if (status !== 200) failed(`status ${status} instead of 200: ${wrong}`)
      else if (wrong !== '') failed(`wrong bytes in an answer: ${wrong}`)
      else if (offset !== expected.length) failed(`${offset} bytes instead of ${expected.length}`)
      else resolve({ firstByteMs, totalMs: performance.now() - startedAtMs, reads })
    },
    onResponseError: (_controller, error) => failed(error.message),
  }
}
