// The arithmetic of days and months that gateways share exactly: what PostgreSQL answers and has is held against a model in which everything follows from sums,
// through random sequences of what gateways say.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { upgradeFrom } from '#fleet/schema.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { randomFrom } from '../support/random.ts'
import { expectSoundBudgets, expectSoundCommits, watchCommits } from './support.ts'
import { isLong } from '../support/cases.ts'

const STEPS = Number(process.env.FAREBOX_ROUNDS ?? (isLong ? 20_000 : 400))
const SEED = Number(process.env.FAREBOX_SEED ?? 129)
const HOUR_MS = 3_600_000
const GATEWAYS = ['a', 'b', 'c']
const BUDGETS = ['member daily ada', 'project daily apollo 11', 'project monthly apollo 11']
const MOST = 1000

type Answer = Readonly<Record<string, unknown>>

/** Of one window. */
class Model {
  bound: number | undefined
  readonly charged = new Map<string, number>()
  readonly leased = new Map<string, number>()

  static sum(amounts: ReadonlyMap<string, number>): number {
    return [...amounts.values()].reduce((total, amount) => total + amount, 0)
  }

  get free(): number {
    if (this.bound === undefined) return 0
    return Math.max(0, this.bound - Model.sum(this.charged) - Model.sum(this.leased))
  }

  lease(gateway: string, more: number): void {
    this.leased.set(gateway, (this.leased.get(gateway) ?? 0) + more)
  }

  give(gateway: string, amount: number): void {
    this.lease(gateway, -Math.min(amount, this.leased.get(gateway) ?? 0))
  }

  tell(gateway: string, total: number): void {
    const before = this.charged.get(gateway) ?? 0
    const more = Math.max(0, total - before)
    this.charged.set(gateway, before + more)
    this.give(gateway, more)
  }
}

let postgres: Postgres
/** Sums are small here. */
let client: pg.Client

describe('days and months that are shared exactly', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.run(upgradeFrom(0))
    await watchCommits(postgres)
    client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    for (const gateway of GATEWAYS) await join(gateway)
  })
  afterAll(async () => {
    await client.end()
    await postgres.close()
  })

  async function say(name: string, ...values: readonly unknown[]): Promise<Answer> {
    const marks = values.map((_, index) => `$${index + 1}`).join()
    const texts = values.map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value))
    const { rows } = await client.query<{ answer: Answer | null }>(`SELECT farebox.${name}(${marks}) AS answer`, texts)
    return rows[0]?.answer ?? {}
  }
  const epochs = new Map<string, number>()
  const started = Date.now() - HOUR_MS
  const ends = Date.now() + HOUR_MS
  async function join(gateway: string, told: readonly unknown[] = [], zone = 'UTC'): Promise<Answer> {
    const answer = await say('join_fleet', gateway, gateway, '', 0, '1 min', null, null, { zone, told })
    if (answer.epoch !== undefined) epochs.set(gateway, Number(answer.epoch))
    return answer
  }
  const take = (gateway: string, id: string, more: Readonly<Record<string, number | null>>, version = 1) => {
    const { bound = null, back = 0, need = 1, want = 1, have = 0, least = null } = more
    const window = [id, more.started ?? started, more.ends ?? ends]
    return say('take_budget', gateway, epochs.get(gateway), version, ...window, bound, back, need, want, have, least)
  }
  const rowOf = async (id: string) => {
    const sql = 'SELECT to_jsonb(b) AS row FROM farebox.budget b WHERE id = $1 ORDER BY started DESC LIMIT 1'
    return (await client.query<{ row: Readonly<Record<string, unknown>> }>(sql, [id])).rows[0]?.row
  }

  it(
    `follow from what is bounded, charged and leased (${STEPS} steps, seed ${SEED})`,
    { timeout: 600_000 },
    async () => {
      const random = randomFrom(SEED)
      const below = (bound: number) => Math.floor(random() * bound)
      const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item
      const models = new Map(BUDGETS.map((id) => [id, new Model()]))
      let version = 1
      for (let step = 0; step < STEPS; step += 1) {
        const [gateway, id] = [oneOf(GATEWAYS), oneOf(BUDGETS)]
        const model = models.get(id) as Model
        const mine = () => model.leased.get(gateway) ?? 0
        const card = below(10)
        if (card < 5) {
          if (random() < 0.1) {
            version += 1
            model.bound = random() < 0.1 ? undefined : below(MOST)
          }
          const back = random() < 0.2 ? below(mine() + 1) : 0
          const [need, want] = [1 + below(MOST / 5), below(MOST)]
          const have = Math.max(0, mine() - back)
          const least = random() < 0.5 ? 1 + below(need) : null
          const answer = await take(gateway, id, { bound: model.bound ?? null, back, need, want, have, least }, version)
          model.give(gateway, back)
          const elsewhere = Model.sum(model.leased) - mine()
          const { free } = model
          let got = 0
          if (free >= need) got = Math.min(free, Math.max(need, Math.min(want, Math.floor(free / 6))))
          else if (least !== null && elsewhere === 0 && free + have >= least) got = free
          expect(answer).toEqual({ got, free: free - got, elsewhere, used: Model.sum(model.charged) })
          model.lease(gateway, got)
          // Nothing is ever lent that is charged, leased or not there.
          if (got > 0) expect(Model.sum(model.charged) + Model.sum(model.leased)).toBeLessThanOrEqual(model.bound ?? 0)
        } else if (card < 8) {
          // Within its lease, and at times beyond it; what was told before is told again at times.
          const more = random() < 0.1 ? 0 : below(random() < 0.1 ? MOST / 10 : mine() + 1)
          const total = (model.charged.get(gateway) ?? 0) + (random() < 0.1 ? -5 : more)
          model.tell(gateway, total)
          const handed = random() < 0.3 ? below(mine() + 1) : 0
          model.give(gateway, handed)
          const sums = [[id, started, ends, Math.max(0, total)]]
          const answer = await say(
            'ship_budgets',
            gateway,
            epochs.get(gateway),
            sums,
            handed > 0 ? [[id, started, handed]] : [],
          )
          expect(answer).toEqual({ heard: [[id, started, Model.sum(model.charged)]] })
        } else if (card === 8) {
          const wished = 1 + below(MOST / 5)
          const got = Math.min(wished, Math.floor(model.free / 6))
          const { got: lent } = await say(
            'take_budgets',
            gateway,
            epochs.get(gateway),
            [[id, started, wished]],
            'false',
          )
          expect(lent).toEqual(got === 0 ? [] : [[id, started, got, model.free - got]])
          model.lease(gateway, got)
        } else {
          // It was killed, and tells at its start what its own books have.
          const total = (model.charged.get(gateway) ?? 0) + below(mine() + 1)
          const { budgets } = await join(gateway, [[id, started, ends, total]])
          model.tell(gateway, total)
          const { leases, charged } = budgets as { readonly leases: unknown[][]; readonly charged: unknown[][] }
          expect(leases.find(([of]) => of === id)?.[2] ?? 0).toBe(mine())
          expect(charged.find(([of]) => of === id)?.[2] ?? 0).toBe(model.charged.get(gateway))
        }
        const row = await rowOf(id)
        if (row !== undefined) {
          const [charged, leased] = [Model.sum(model.charged), Model.sum(model.leased)]
          const bound = row.bound === null ? charged + leased : Number(row.bound)
          expect(row).toMatchObject({ leased, used: Math.min(charged, Math.max(bound, leased) - leased) })
          if (row.bound === (model.bound ?? null)) expect(row.free).toBe(model.free)
        }
      }
      await expectSoundBudgets(postgres)
      await expectSoundCommits(postgres)
    },
  )

  it('lend nothing of a window that is over or has not begun, nor by terms that have changed', async () => {
    const day = 24 * HOUR_MS
    const bounds = { bound: 100, need: 10 }
    const at = (ms: number) => ({ ...bounds, started: Date.now() + ms - day, ends: Date.now() + ms })
    expect(await take('a', 'member daily late', at(-10_000))).toEqual({ error: 'late' })
    expect(await take('a', 'member daily early', at(day + 10_000))).toEqual({ error: 'early' })
    expect(await take('a', 'member daily bert', bounds, 7)).toMatchObject({ got: 10 })
    expect(await take('b', 'member daily bert', { ...bounds, bound: 200 }, 6)).toEqual({ error: 'stale' })
    expect(await take('b', 'member daily bert', { ...bounds, bound: 15 }, 8)).toMatchObject({ got: 0, free: 5 })
    // Whoever holds what is above it by now is told nothing is free, and gives back what is left of it.
    expect(await take('b', 'member daily bert', { ...bounds, bound: 5 }, 9)).toMatchObject({ got: 0, free: 0 })
    expect(await take('a', 'member daily bert', { ...bounds, bound: 5, back: 10, need: 4 }, 9)).toMatchObject({
      got: 4,
      free: 1,
    })
  })

  it('leave what a lost gateway had leased as it is until that is settled', async () => {
    const id = 'member daily cleo'
    await join('lost')
    await join('gone')
    for (const gateway of ['lost', 'gone']) await take(gateway, id, { bound: 100, need: 30 }, 9)
    await say('ship_budgets', 'lost', epochs.get('lost'), [[id, started, ends, 10]], [])
    await postgres.run("UPDATE farebox.gateway SET free_at = now() - interval '1 s' WHERE id IN ('lost', 'gone')")
    await postgres.query('SELECT farebox.reclaim()')
    expect(await rowOf(id)).toMatchObject({ used: 10, leased: 50, free: 40 })
    await say('settle', 'a', epochs.get('a'), 'lost', 'charged')
    expect(await rowOf(id)).toMatchObject({ used: 30, leased: 30, free: 40 })
    await say('settle', 'a', epochs.get('a'), 'gone', 'free')
    expect(await rowOf(id)).toMatchObject({ used: 30, leased: 0, free: 70 })
    await expectSoundBudgets(postgres)
  })

  it('are divided while anybody who may count holds to a part, and are of one time zone', async () => {
    const divided = async (gateway: string) =>
      (await say('beat', gateway, epochs.get(gateway), 0, '1 min', {})).divided as unknown
    expect(await divided('a')).toEqual({ day: false, month: false })
    const { epoch } = await say('join_fleet', 'part', 'part', '', 0, '1 min')
    epochs.set('part', Number(epoch))
    expect(await divided('a')).toEqual({ day: true, month: true })
    expect(await divided('part')).toBeNull()
    await postgres.run("UPDATE farebox.gateway SET free_at = now() - interval '26 h' WHERE id = 'part'")
    expect(await divided('a')).toEqual({ day: false, month: true })
    await join('part')
    expect(await divided('a')).toEqual({ day: false, month: false })
    expect(await join('elsewhere', [], 'Asia/Tokyo')).toEqual({ error: 'zone' })
  })
})
