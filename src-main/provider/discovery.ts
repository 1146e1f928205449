// Looks for model servers on this machine: only when somebody asks, only on 127.0.0.1, all at once. A server is known by what it
// answers and never by its port alone; nothing is sent to any of them that is a secret or costs anything.

import { LOCAL_SERVER_IDS, LOCAL_SERVERS, type LocalServer, type LocalServerId } from '#core/local-servers.ts'
import { membersOf } from '#core/members.ts'
import type { JsonBounds } from '#dialect/json-meter.ts'
import { ask, jsonOf, type Answer, type DispatcherOf, type WayOut } from '#provider/ask.ts'
import { FINGERPRINTS } from '#provider/fingerprints.ts'

export type DiscoveryOptions = {
  /** Where to look instead of at the usual ports. */
  readonly ports?: Readonly<Partial<Record<LocalServerId, number | readonly number[]>>>
  readonly connections: WayOut
  /** How long a server may take to show what it is. */
  readonly timeLimitMs?: number
}

const TIME_LIMIT_MS = 300
/** For the sizes of the models of a server that was recognised, all together. */
const DETAILS_LIMIT_MS = 2000
const MAX_BYTES = 4 * 1_048_576
/** Several answers may come in one turn; five hundred models are far less. */
const BOUNDS: JsonBounds = { depth: 200, pieces: 60_000, members: 25_000, outermost: 1000, values: 60_000 }

/**
 * What stands at each place, in the order of the table of servers; of a kind that is nowhere, the first place alone. Never
 * rejects.
 */
export async function discoverServers(options: DiscoveryOptions): Promise<readonly LocalServer[]> {
  const { connections, timeLimitMs = TIME_LIMIT_MS } = options
  const timeLimits = { connectMs: timeLimitMs }
  const dispatcherOf = (url: string) => connections.pool({ baseUrl: url, network: 'local', timeLimits })
  const kinds = await Promise.all(
    LOCAL_SERVER_IDS.map((id) => {
      const ports = new Set([options.ports?.[id] ?? LOCAL_SERVERS[id].ports].flat())
      return Promise.all([...ports].map((port) => lookAt({ id, port, dispatcherOf, timeLimitMs })))
    }),
  )
  return kinds.flatMap((places) => {
    const there = places.filter(({ state }) => state !== 'not-found')
    return there.length > 0 ? there : places.slice(0, 1)
  })
}

async function lookAt(place: LocalPort): Promise<LocalServer> {
  const { id, port } = place
  const found = await recognise(place)
  if (found === undefined) return { id, port, state: 'not-found', version: undefined, models: [] }
  return { ...found, id, port }
}

type LocalPort = {
  readonly id: LocalServerId
  readonly port: number
  readonly dispatcherOf: DispatcherOf
  readonly timeLimitMs: number
}

async function recognise({ id, port, dispatcherOf, timeLimitMs }: LocalPort) {
  const startedAt = performance.now()
  const question = { url: `http://127.0.0.1:${port}`, dispatcherOf, maxBytes: MAX_BYTES, bounds: BOUNDS }
  const get = async (path: string) =>
    answered(await ask({ ...question, method: 'GET', url: question.url + path, timeLimitMs }))
  const detail = async (path: string, body: object) => {
    const leftMs = timeLimitMs + DETAILS_LIMIT_MS - (performance.now() - startedAt)
    if (leftMs < 1) return undefined
    return answered(
      await ask({
        ...question,
        method: 'POST',
        url: question.url + path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeLimitMs: Math.ceil(leftMs),
      }),
    )
  }
  const [found, health] = await Promise.all([FINGERPRINTS[id](get, detail), get('/health')])
  // Another Farebox passes on what local servers answer, and would be taken for one of them.
  const isFarebox = health !== undefined && membersOf(jsonOf(health))['name'] === 'farebox'
  return isFarebox ? undefined : found
}

function answered(answer: Awaited<ReturnType<typeof ask>>): Answer | undefined {
  return answer.type === 'answer' ? answer : undefined
}
