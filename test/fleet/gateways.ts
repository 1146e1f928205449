// Gateways in this process that share one PostgreSQL, each by a line of its own, and calls whose cost is known.

import { expect } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import type { Clock } from '#pipeline/ports.ts'
import { countedBound } from '../gateway/input-bound.ts'
import { HELLO, post } from '../gateway/support.ts'
import { breakableLine, type Line } from '../support/breakable-line.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { expectSoundFleet } from './support.ts'

const OUTPUT_CAP = 100
/** For a machine that has much else to do. Most looks are questions to PostgreSQL, each by a process of its own. */
export const WAIT = { timeout: 20_000, interval: 50 }
export const BODY = JSON.stringify({ model: 'chat', messages: HELLO, max_tokens: OUTPUT_CAP })
export const STREAMED = JSON.stringify({ ...JSON.parse(BODY), stream: true })
const INPUT = await countedBound(BODY)
/** At this pace a gateway has told PostgreSQL of all but the last twenty calls, so that this much carries more. */
const PAY_EVERY_MS = 50
const PAYERS = 4
const LEASED = 25
/** What one call holds, and what an answer costs that uses all of it, in micro-credits. */
export const HOLD = INPUT + 2 * OUTPUT_CAP
export const DEAREST = {
  type: 'answer',
  usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT_CAP, total_tokens: INPUT + OUTPUT_CAP },
  headersAfterMs: 20,
} as const

export type Gateway = Farebox & { readonly line: Line }
type At = { readonly url: string }
export type Key = { readonly id: string; readonly key: string }
type Joining = {
  readonly dataDir?: string
  readonly clock?: Clock
  readonly env?: Readonly<Record<string, string>>
}

export class Gateways {
  readonly postgres: Postgres
  readonly upstream: Upstream
  readonly all: Gateway[] = []
  #names = 0

  private constructor(postgres: Postgres, upstream: Upstream) {
    this.postgres = postgres
    this.upstream = upstream
  }

  /** Some gateways that know a provider with a model `chat`. */
  static async begin(count: number, joining: Joining = {}): Promise<Gateways> {
    const gateways = new Gateways(await startPostgres(), await startUpstream())
    const first = await gateways.join(joining)
    const providers = [{ name: 'upstream', dialect: 'chat-completions' as const, base_url: gateways.upstream.url }]
    await first.admin.call('apply', { body: { document: { providers, models: [chatModel('chat')] } } })
    for (let index = 1; index < count; index += 1) await gateways.join(joining)
    return gateways
  }

  async join({ env, ...options }: Joining = {}): Promise<Gateway> {
    const line = await breakableLine(this.postgres.url)
    const shared = { FAREBOX_DATABASE_URL: line.url, FAREBOX_HOLD_WAIT_MS: '20000', ...env }
    const started = await startFarebox({ ...options, env: shared }).catch(async (error: unknown) => {
      await line.close()
      throw error
    })
    const gateway = { ...started, line }
    this.all.push(gateway)
    return gateway
  }

  /** A key that all gateways know, and another that runs in a process of its own. */
  async newKey(
    microCredits: number,
    type: 'topup' | 'daily' = 'topup',
    other?: At,
    limits: PackageCreate['limits'] = {},
  ): Promise<Key> {
    const [first] = this.all
    this.#names += 1
    const name = `of ${microCredits} ${this.#names}`
    const { admin } = first as Gateway
    await admin.call('addPackage', { body: { name, type, credits: microCredits / 1e6, limits } })
    const made = await admin.call('createKey', { body: { name, package: name } })
    const all: At[] = other === undefined ? this.all : [...this.all, other]
    for (const gateway of all) await expect.poll(() => knows(gateway, made.key), WAIT).toBe(true)
    return made
  }

  /** The present account of a key in PostgreSQL. */
  async accountOf(id: string): Promise<Record<string, unknown> | undefined> {
    const sql = `SELECT * FROM farebox.account WHERE key_id = '${id}' ORDER BY cycle DESC LIMIT 1`
    return (await this.postgres.query(sql))[0]
  }

  /** Resolves when a gateway that keeps paying has a lease that carries more calls, whatever of it is used and not told yet. */
  async expectLease({ id }: Key): Promise<void> {
    const leased = async () => Number((await this.accountOf(id))?.leased)
    await expect.poll(leased, WAIT).toBeGreaterThan(LEASED * HOLD)
  }

  /** Resolves when some gateways know what PostgreSQL tells them now of each other: the answer to one question is here when the next one is asked. */
  async expectHeard(some: readonly Gateway[] = this.all): Promise<void> {
    for (let beat = 0; beat < 2; beat += 1) {
      const [{ at } = {}] = await this.postgres.query('SELECT now() AS at')
      const places = some.map(({ dataDir }) => `place LIKE '%${dataDir}'`).join(' OR ')
      const sql = `SELECT count(*) FROM farebox.gateway WHERE (${places}) AND seen_at > '${String(at)}'`
      await expect.poll(() => this.postgres.query(sql), WAIT).toEqual([{ count: some.length }])
    }
  }

  /** To be called after each test. */
  async expectSound(): Promise<void> {
    this.upstream.forget()
    await expectSoundFleet(this.postgres)
  }

  /** Ends one, keeping its data folder. */
  async end(gateway: Gateway): Promise<void> {
    await gateway.stop()
    await gateway.line.close()
    this.all.splice(this.all.indexOf(gateway), 1)
  }

  async close(): Promise<void> {
    for (const gateway of this.all) await gateway.close()
    for (const { line } of this.all) await line.close()
    await this.upstream.close()
    await this.postgres.close()
  }
}

/** The status of a call that costs `HOLD` where the provider answers with DEAREST. */
export async function pay(gateway: At, { key }: Key): Promise<number> {
  const response = await post(gateway, BODY, { key })
  await response.text()
  return response.status
}

/** Calls at a bounded pace, a few at a time, so that a gateway has a lease for more on a slow machine too; `stop` says how many were answered. */
export function keepPaying(gateway: Farebox, key: Key): { stop(): Promise<number> } {
  let [isOver, paid] = [false, 0]
  const payer = async () => {
    while (!isOver) {
      if ((await pay(gateway, key)) === 200) paid += 1
      await new Promise((resolve) => setTimeout(resolve, PAYERS * PAY_EVERY_MS))
    }
  }
  const paying = Promise.all(Array.from({ length: PAYERS }, payer))
  return {
    async stop() {
      isOver = true
      await paying
      return paid
    },
  }
}

async function knows({ url }: At, key: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  return response.status === 200
}
