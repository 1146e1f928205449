// What gateways know of each other's ends, and when: of a key that was revoked on another one, and of a gateway that was killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Child } from './child.ts'
import { usedMicro } from './farebox.ts'
import { within, type BenchFleet } from './fleet-gateways.ts'
import { createClient } from './load.ts'
import { streamExchange, WHOLE_EXCHANGE } from './payload.ts'
import { figuresLine } from './table.ts'

/** More than any run can use. */
export const RICH_MICRO = 1e12
const STREAMS = 100
const STREAMS_END_MS = 1500
/** Goes on for longer than anybody waits. */
const LONG_STREAM = { ...streamExchange({ contentEvents: 8000, everyMs: 20 }, 'chat'), expected: undefined }
const RUNNING_MS = 20_000
const LONGEST_CALL_MS = 10_000
/** So long after it was last heard of, and the longest that a call of it can run, its leases are free. */
const GRACE_MS = 90_000
/** Gateways say that they are there once a second, and take back then what is over. */
const LOOK_MS = 3000

/** Streams of a key on one gateway that is revoked on another one. */
export async function revokedStreams(fleet: BenchFleet, upstream: Child): Promise<string> {
  const key = await fleet.newKey(RICH_MICRO)
  const client = createClient({ name: 'streams', url: fleet.gateways[1]?.url ?? '', key: key.key }, STREAMS)
  try {
    const ends = Array.from({ length: STREAMS }, () => client.call(LONG_STREAM))
    // A stream that is cut has no right end, and is over all the same.
    const over = Promise.allSettled(ends)
    await within(RUNNING_MS, async () => {
      const running = Number(await (await request(`${upstream.url}/streams`)).body.text())
      if (running !== STREAMS) throw new Error(`${running} of ${STREAMS} streams run`)
    })
    const startedAtMs = performance.now()
    await fleet.revoke(key)
    const toldMs = performance.now() - startedAtMs
    await over
    const tookMs = performance.now() - startedAtMs
    return figuresLine(
      `${STREAMS} streams of a key that another gateway revokes`,
      tookMs <= STREAMS_END_MS,
      `all over after ${tookMs.toFixed(0)} ms, target at most ${STREAMS_END_MS} (revoked after ${toldMs.toFixed(0)})`,
    )
  } finally {
    await client.close()
  }
}

/** A gateway more that is killed with a lease. Returns what waits until that is free, and says when it was, by the clock of PostgreSQL. */
export async function killOne(fleet: BenchFleet): Promise<() => Promise<string>> {
  const query = (sql: string) => fleet.postgres.query(sql)
  const key = await fleet.newKey(RICH_MICRO)
  const { child, remove } = await fleet.another('plain', {
    FAREBOX_UPSTREAM_TOTAL_TIMEOUT_MS: String(LONGEST_CALL_MS),
  })
  const client = createClient({ name: 'a gateway that is killed', url: child.url, key: key.key }, 1)
  try {
    await within(RUNNING_MS, () => usedMicro(child.url, key.key))
    for (let calls = 0; calls < 10; calls += 1) await client.call(WHOLE_EXCHANGE)
  } finally {
    await client.close()
    for (const pid of child.pids) process.kill(pid, 'SIGKILL')
    remove()
  }
  const [before] = await query(`SELECT extract(epoch FROM clock_timestamp()) AS at, amount FROM farebox.lease
    WHERE key_id = '${key.id}' AND amount > 0`)
  if (before === undefined) throw new Error('the gateway that was killed had no lease')
  const limitMs = GRACE_MS + LONGEST_CALL_MS + LOOK_MS
  return async () => {
    for (const endMs = performance.now() + 2 * limitMs; performance.now() < endMs; await sleep(500)) {
      const [freed] = await query(
        `SELECT extract(epoch FROM at) AS at, amount FROM farebox.doubt WHERE key_id = '${key.id}'`,
      )
      if (freed === undefined) continue
      const tookSeconds = Number(freed.at) - Number(before.at)
      const isMet = tookSeconds * 1000 <= limitMs && freed.amount === before.amount
      return figuresLine(
        'Leases of a gateway that was killed',
        isMet,
        `free after ${tookSeconds.toFixed(1)} s, target at most ${limitMs / 1000} where calls may take ${LONGEST_CALL_MS / 1000}; ${String(freed.amount)} micro-credits in doubt of ${String(before.amount)}`,
      )
    }
    throw new Error('the leases of a gateway that was killed are never free')
  }
}
