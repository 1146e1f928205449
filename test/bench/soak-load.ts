// The clients of the long run: every format at every dialect, streams and whole answers, embeddings, people who leave, keys that are
// wrong or have nothing left, and requests that make no sense.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { among, DIALECTS, EMBEDDING_MODEL } from './soak-provider.ts'

export type SoakLoad = {
  /** How often each status came; `left` are calls whose client went away, `broken` answers that ended without their end. */
  readonly outcomes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

export type SoakKeys = { readonly rich: string; readonly poor: string }

const CALLERS = 12
/** Between two calls of one caller, so that an hour of it is a busy office and not a race. */
const MAX_PAUSE_MS = 600
const LEAVES_PER_CENT = 10
const HELLO = [{ role: 'user', content: 'Tell me about the fare. '.repeat(20) }]

const FORMATS = [
  { path: '/v1/chat/completions', body: () => ({ messages: HELLO, max_tokens: 500 }) },
  { path: '/v1/messages', body: () => ({ messages: HELLO, max_tokens: 500 }) },
  { path: '/v1/responses', body: () => ({ input: HELLO[0]?.content, max_output_tokens: 500 }) },
] as const

type Call = {
  readonly path: string
  readonly key: string
  readonly body: string
  readonly leavesAfterMs: number | undefined
}

/** Calls until it is stopped. */
export function startSoakLoad(url: string, keys: SoakKeys): SoakLoad {
  const pool = new Pool(url, { connections: CALLERS })
  const outcomes = new Map<string, number>()
  let isOver = false
  const caller = async () => {
    while (!isOver) {
      const outcome = await send(pool, randomCall(keys))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      await sleep(among(MAX_PAUSE_MS))
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  return {
    outcomes,
    async stop() {
      isOver = true
      await Promise.all(callers)
      await pool.close()
    },
  }
}

function randomCall(keys: SoakKeys): Call {
  const chance = among(100)
  const leavesAfterMs = among(100) < LEAVES_PER_CENT ? among(200) : undefined
  const key = chance < 2 ? 'fbx_wrong' : chance < 5 ? keys.poor : keys.rich
  if (chance >= 95) {
    const body = JSON.stringify({ model: EMBEDDING_MODEL, input: ['fare', 'ride'] })
    return { path: '/v1/embeddings', key, body, leavesAfterMs }
  }
  const format = FORMATS[among(FORMATS.length)] ?? FORMATS[0]
  const model = DIALECTS[among(DIALECTS.length)]
  const stream = among(3) > 0 ? { stream: true } : {}
  const text = JSON.stringify({ model, ...format.body(), ...stream })
  return { path: format.path, key, body: chance === 94 ? text.slice(0, -1) : text, leavesAfterMs }
}

async function send(pool: Pool, { path, key, body, leavesAfterMs }: Call): Promise<string> {
  const leaving = leavesAfterMs === undefined ? undefined : AbortSignal.timeout(leavesAfterMs)
  try {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
      ...(leaving === undefined ? {} : { signal: leaving }),
    })
    for await (const _ of answer.body);
    return String(answer.statusCode)
  } catch {
    return leaving?.aborted === true ? 'left' : 'broken'
  }
}
