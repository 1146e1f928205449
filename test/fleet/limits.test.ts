// Limits that three gateways share, each by its part. Their clocks stand still, so that no minute slides on while the test runs.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { partsAmong } from './counted-gateways.ts'
import { DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'

const LIMIT = 30
const BEFORE = Date.now()

let gateways: Gateways

describe('three gateways that share their limits', () => {
  beforeAll(async () => {
    const clock = { nowMs: () => BEFORE, monotonicMs: () => performance.now() }
    gateways = await Gateways.begin(3, { clock })
  })
  afterEach(() => gateways.expectSound())
  afterAll(() => gateways.close())

  /** How many of some calls on each gateway are answered. */
  async function answered(key: Key, calls: number): Promise<number[]> {
    return Promise.all(
      gateways.all.map(async (gateway) => {
        let count = 0
        for (let call = 0; call < calls; call += 1) {
          if ((await pay(gateway, key)) === 200) count += 1
        }
        return count
      }),
    )
  }
  /** As if it had not been heard of for long: of how many gateways each of the others is one then. */
  async function partsWithout({ dataDir }: Gateway): Promise<unknown> {
    const isLost = `place LIKE '%${dataDir}'`
    await gateways.postgres.run(`UPDATE farebox.gateway SET seen_at = now() - interval '3 min' WHERE ${isLost}`)
    return gateways.postgres.query(
      `SELECT (farebox.parts_of(id)->'minute'->>'of')::int AS of FROM farebox.gateway WHERE NOT ${isLost}`,
    )
  }
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  const admin = () => (gateways.all[0] as Gateway).admin

  it('let as many requests a minute through as one would', async () => {
    await gateways.expectHeard()
    gateways.upstream.script(DEAREST)
    const key = await gateways.newKey(1000 * HOLD, 'topup', undefined, { requests_per_minute: LIMIT })
    const counts = await answered(key, LIMIT / 2)
    expect(counts).toEqual([LIMIT / 3, LIMIT / 3, LIMIT / 3])
  })

  it('charge what a project may on a day, and no more', async () => {
    await gateways.expectHeard()
    gateways.upstream.script(DEAREST)
    await admin().call('setProject', { id: 'apollo', body: { credits_per_day: (9 * HOLD) / 1e6 } })
    const key = await gateways.newKey(1000 * HOLD)
    await admin().call('editKey', { id: key.id, body: { project: 'apollo' } })
    // Another key, of which all know once they know that this one is set to the project.
    await gateways.newKey(HOLD)
    expect(await answered(key, 6)).toEqual([3, 3, 3])
  })

  it('are told of the roster what the rules in words say', async () => {
    const random = randomFrom(7)
    const ages = ['10 s', '60 s', '61 s', '62 s', '2 min', '3 min', '24 h', '25 h', '26 h', '31 days', '33 days']
    const age = () => `now() - interval '${ages[Math.floor(random() * ages.length)] ?? ''}'`
    const rows = Array.from({ length: 60 }, (_, index) => {
      const freeAt = random() < 0.2 ? "now() + interval '1 min'" : age()
      const [ended, retired] = [0.5, 0.2].map((chance) => (random() < chance ? age() : 'NULL'))
      return `('made up ${index}', '', '', 1, 0, 0, ${age()}, ${freeAt}, ${ended}, ${retired})`
    })
    const columns = 'id, place, program, epoch, shipped, applied, seen_at, free_at, ended_at, retired_at'
    await gateways.postgres.run(`INSERT INTO farebox.gateway (${columns}) VALUES ${rows.join(', ')}`)
    const ms = (column: string) => `extract(epoch FROM ${column}) * 1000`
    const found = await gateways.postgres.query(`SELECT id, ${ms('seen_at')} AS seen, ${ms('free_at')} AS free,
      ${ms('ended_at')} AS ended, retired_at IS NOT NULL AS retired, ${ms('now()')} AS now, farebox.parts_of(id) AS parts FROM farebox.gateway`)
    await gateways.postgres.run("DELETE FROM farebox.gateway WHERE id LIKE 'made up %'")
    const roster = found.map(({ id, seen, free, ended, retired }) => ({
      id: String(id),
      seenAtMs: Number(seen),
      freeAtMs: Number(free),
      endedAtMs: ended === null ? undefined : Number(ended),
      isRetired: retired === true,
    }))
    expect(roster).toHaveLength(63)
    for (const { id, now, parts } of found) expect(parts).toEqual(partsAmong(roster, String(id), Number(now)))
  })

  it('have the part of one that is gone, once nothing that it let through counts any more', async () => {
    await gateways.expectHeard()
    gateways.upstream.script(DEAREST)
    const key = await gateways.newKey(1000 * HOLD, 'topup', undefined, { requests_per_minute: LIMIT })
    expect(sum(await answered(key, LIMIT / 2))).toBe(LIMIT)
    const lost = gateways.all[2] as Gateway
    lost.line.set('cut')
    const rest = gateways.all.slice(0, 2)
    await expect.poll(() => partsWithout(lost), WAIT).toEqual([{ of: 2 }, { of: 2 }])
    await gateways.expectHeard(rest)
    const more = await Promise.all(
      rest.map(async (gateway) => {
        const statuses = []
        for (let call = 0; call < LIMIT; call += 1) statuses.push(await pay(gateway, key))
        return statuses.filter((status) => status === 200).length
      }),
    )
    expect(more).toEqual([LIMIT / 6, LIMIT / 6])
    lost.line.set('whole')
    await gateways.expectHeard()
    await expect.poll(() => pay(lost, key), WAIT).toBe(429)
  })
})
