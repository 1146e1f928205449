// What the dashboard reads beside what clients are told: overview, report, lists and receipts of the same calls, to the last digit.

import { afterEach, describe, expect, it } from 'vitest'
import type { LedgerList } from '#contract/reports.ts'
import type { UsageView } from '#contract/schemas.ts'
import { chat, get, manualClock, post, startPair, type ManualClock, type Pair } from './support.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'

let pair: Pair | undefined

afterEach(async () => {
  await pair?.close()
  pair = undefined
})

async function start(clock?: ManualClock): Promise<Pair> {
  const packages = [
    { name: 'plenty', type: 'topup' as const, credits: 1000 },
    { name: 'day', type: 'daily' as const, credits: 0.0005, timezone: 'UTC' },
  ]
  pair = await startPair({ packages, ...(clock === undefined ? {} : { clock }) })
  return pair
}

async function keyIn(farebox: Farebox, name: string, packageName: string, owner?: string): Promise<string> {
  const body = { name, package: packageName, ...(owner === undefined ? {} : { owner }) }
  return (await farebox.admin.call('createKey', { body })).key
}

/** Micro-credits, so that sums are exact. */
const micro = (credits: number) => Math.round(credits * 1e6)
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + micro(amount), 0)

async function all(farebox: Farebox): Promise<UsageView[]> {
  const found: UsageView[] = []
  let before: string | undefined
  do {
    const page = await farebox.admin.call('usage', {
      query: { limit: '3', ...(before === undefined ? {} : { before }) },
    })
    found.push(...page.usage)
    before = page.next ?? undefined
  } while (before !== undefined)
  return found
}

type EntryQuery = { key?: string; kind?: LedgerList['entries'][number]['kind']; since?: string; until?: string }

async function entries(farebox: Farebox, query: EntryQuery = {}) {
  const found: LedgerList['entries'] = []
  let before: string | undefined
  do {
    const page = await farebox.admin.call('listLedger', {
      query: { ...query, limit: '4', ...(before ? { before } : {}) },
    })
    found.push(...page.entries)
    before = page.next ?? undefined
  } while (before !== undefined)
  return found
}

/** Streams, failures, estimates, an overrun, a top-up, a correction, a move, and a reset by the clock. */
async function mixedCalls({ farebox, upstream }: Pair, clock: ManualClock): Promise<Record<string, string>> {
  const keys = {
    ann: await keyIn(farebox, 'ann', 'plenty', 'Ann'),
    bob: await keyIn(farebox, 'bob', 'day', 'Bob'),
    eve: await keyIn(farebox, 'eve', 'plenty'),
  }
  await (await chat(farebox, keys.ann)).text()
  await (await chat(farebox, keys.ann, { stream: true })).text()
  await (await post(farebox, { model: 'embed', input: 'a' }, { key: keys.eve, path: '/v1/embeddings' })).text()
  upstream.once({ type: 'status', status: 401 })
  await (await chat(farebox, keys.eve)).text()
  clock.advance(3_600_000)
  upstream.once({ type: 'answer', usage: null })
  await (await chat(farebox, keys.bob, { stream: true })).text()
  // More than its hold, which the balance limits.
  upstream.once({ type: 'answer', usage: { prompt_tokens: 500, completion_tokens: 100 } })
  await (await chat(farebox, keys.bob, { max_tokens: 5 })).text()
  await farebox.admin.call('topUpKey', { id: 'ann', body: { credits: 5 } })
  await farebox.admin.call('adjustKey', { id: 'eve', body: { credits: -1, reason: 'paid twice' } })
  clock.advance(24 * 3_600_000)
  await (await chat(farebox, keys.bob)).text()
  await farebox.admin.call('moveKey', { id: 'bob', body: { package: 'plenty' } })
  await (await chat(farebox, keys.bob)).text()
  return keys
}

describe('the ledger of a key without a limit', () => {
  it('says what calls were charged, and of nothing that it is left', { timeout: 60_000 }, async () => {
    const { farebox } = await start()
    await farebox.admin.call('addPackage', { body: { name: 'open', type: 'unlimited' } })
    const key = await keyIn(farebox, 'ann', 'open')
    await (await chat(farebox, key)).text()
    const before = await entries(farebox)
    expect(before.map(({ kind, available_credits }) => [kind, available_credits])).toEqual([
      ['settle', null],
      ['hold', null],
    ])
    expect(before[0]?.charge_credits).toBeGreaterThan(0)

    await farebox.admin.call('moveKey', { id: 'ann', body: { package: 'plenty' } })
    const moved = await entries(farebox)
    expect(moved.map(({ kind, available_credits }) => [kind, available_credits])).toEqual([
      ['grant', 1000],
      ['lapse', null],
      ['settle', null],
      ['hold', null],
    ])
    await farebox.admin.call('moveKey', { id: 'ann', body: { package: 'open' } })
    await (await chat(farebox, key)).text()
    const last = await entries(farebox)
    expect(last.map(({ kind, available_credits }) => [kind, available_credits]).slice(0, 3)).toEqual([
      ['settle', null],
      ['hold', null],
      ['lapse', 0],
    ])
    expect(last.slice(3)).toEqual(moved)
  })

  it('says so also of a call that began while the key had one, and the other way round', async () => {
    const { farebox, upstream } = await start()
    await farebox.admin.call('addPackage', { body: { name: 'open', type: 'unlimited' } })
    const key = await keyIn(farebox, 'ann', 'plenty')
    for (const [to, available] of [
      ['open', [null, null]],
      ['plenty', [expect.any(Number), 1000]],
    ] as const) {
      upstream.once({ type: 'endless', delayMs: 5 })
      const leaving = new AbortController()
      const running = await chat(farebox, key, { stream: true }, { signal: leaving.signal })
      expect(running.status).toBe(200)
      await farebox.admin.call('moveKey', { id: 'ann', body: { package: to } })
      leaving.abort()
      await expect.poll(() => farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0 })
      const [lapse, settle] = await entries(farebox)
      expect([settle?.kind, lapse?.kind]).toEqual(['settle', 'lapse'])
      expect([settle?.available_credits, lapse?.available_credits]).toEqual(available)
      await (await chat(farebox, key)).text()
    }
  })
})

describe('reports of mixed calls', () => {
  it('agree with balances, receipts and the ledger to the last digit', { timeout: 60_000 }, async () => {
    const clock = manualClock('2027-03-27T20:30:00Z')
    const started = await start(clock)
    const { farebox } = started
    const keys = await mixedCalls(started, clock)
    const usage = await all(farebox)
    expect(usage.length).toBeGreaterThanOrEqual(7)
    expect(new Set(usage.map(({ outcome }) => outcome))).toContain('failed')
    expect(usage.some(({ overrun }) => overrun)).toBe(true)

    for (const view of usage) {
      const receipt = await farebox.admin.call('receipt', { id: view.id })
      expect(receipt).toMatchObject({ charge_credits: view.charge_credits, created_at: view.created_at, key: view.key })
    }
    const charged = sum(usage.map((view) => view.charge_credits))
    for (const rollup of ['hour', 'day'] as const) {
      for (const group of ['none', 'model', 'key', 'provider', 'package', 'owner'] as const) {
        const made = await farebox.admin.call('usageReport', { query: { from: '4d', rollup, group } })
        expect(micro(made.totals.charge_credits)).toBe(charged)
        expect(sum(made.series.map(({ totals }) => totals.charge_credits))).toBe(charged)
        expect(sum(made.series.flatMap(({ points }) => points.map((point) => point.charge_credits)))).toBe(charged)
        expect(made.totals.requests).toBe(usage.length)
        expect(made.totals.failed).toBe(usage.filter(({ status }) => status >= 400).length)
      }
    }
    const byOwner = await farebox.admin.call('usageReport', { query: { from: '4d', group: 'owner' } })
    expect(new Set(byOwner.series.map(({ name }) => name))).toEqual(new Set(['Ann', 'Bob', null]))

    const ledger = await entries(farebox)
    expect(ledger.map(({ seq }) => seq)).toEqual(ledger.map((_, index) => ledger.length - index))
    expect(sum(ledger.map((entry) => entry.charge_credits ?? 0))).toBe(charged)
    for (const [name, key] of Object.entries(keys)) {
      const own = ledger.filter((entry) => entry.key === name)
      let available = 0
      for (const entry of own.toReversed()) {
        available += micro(entry.amount_credits)
        expect(micro(entry.available_credits ?? Number.NaN)).toBe(available)
      }
      const balance = await farebox.balance(key)
      expect(micro(balance['remaining_credits'] as number)).toBe(Math.max(0, available))
      expect(await entries(farebox, { key: name })).toEqual(own)
    }
    const overview = await farebox.admin.call('overview', {})
    expect(overview.credits.lowest.length).toBeGreaterThan(0)
    for (const { name, balance } of overview.credits.lowest) {
      expect(balance).toMatchObject({
        remaining_credits: (await farebox.balance(keys[name] ?? ''))['remaining_credits'],
      })
    }
    expect(overview.latest).toEqual(usage.slice(0, 10))
    expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [] })
  })

  it('agree after the clock was set back, and with the records that a restart makes', { timeout: 60_000 }, async () => {
    const clock = manualClock('2027-03-27T20:30:00Z')
    const { farebox, upstream } = await start(clock)
    const key = await keyIn(farebox, 'ann', 'plenty')
    await (await chat(farebox, key)).text()
    clock.advance(-30 * 3_600_000)
    await (await chat(farebox, key)).text()
    const days = await farebox.admin.call('usageReport', {
      query: { from: '2027-03-25', to: '2027-03-29', rollup: 'day' },
    })
    expect(days.series[0]?.points.filter((point) => point.requests > 0)).toHaveLength(2)
    // Both are listed by their time, on either side of an instant between them.
    const list = (query: object) => farebox.admin.call('usage', { query })
    expect((await list({ since: '2027-03-27T12:00:00Z' })).usage).toHaveLength(1)
    expect((await list({ until: '2027-03-27T12:00:00Z' })).usage).toHaveLength(1)
    await farebox.stop()
    const again = await startFarebox({ dataDir: farebox.dataDir, clock })
    try {
      expect(await again.admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [] })
    } finally {
      await again.close()
      await upstream.close()
      pair = undefined
    }
  })
})

describe('lists', () => {
  it('are filtered by everything that a report can be', { timeout: 60_000 }, async () => {
    const clock = manualClock('2027-03-27T20:30:00Z')
    const started = await start(clock)
    const { farebox } = started
    await mixedCalls(started, clock)
    const usage = await all(farebox)
    const ids = async (query: object) => (await farebox.admin.call('usage', { query })).usage.map(({ id }) => id)
    const wanted = (fits: (view: UsageView) => boolean) => usage.filter(fits).map(({ id }) => id)
    expect(await ids({ key: 'ann' })).toEqual(wanted(({ key }) => key === 'ann'))
    expect(await ids({ owner: 'Bob' })).toEqual(wanted(({ key }) => key === 'bob'))
    expect(await ids({ owner: 'Bob', key: 'ann' })).toEqual([])
    expect(await ids({ model: 'embed' })).toEqual(wanted(({ model }) => model === 'embed'))
    expect(await ids({ provider: 'upstream' })).toEqual(wanted(({ provider }) => provider === 'upstream'))
    expect(await ids({ package: 'day' })).toHaveLength(3)
    expect(await ids({ status: 'failed' })).toEqual(wanted(({ status }) => status >= 400))
    expect(await ids({ status: 'ok', key: 'eve' })).toEqual(wanted(({ status, key }) => status < 400 && key === 'eve'))
    expect(await ids({ min_credits: '0.0005' })).toEqual(wanted((view) => view.charge_credits >= 0.0005))
    expect(await ids({ min_credits: '900' })).toEqual([])
    expect(await entries(farebox, { kind: 'adjustment' })).toHaveLength(2)
    expect(await entries(farebox, { kind: 'lapse', key: 'ann' })).toEqual([])
    const ledger = await entries(farebox)
    const noon = '2027-03-28T12:00:00Z'
    const [earlier, later] = [await entries(farebox, { until: noon }), await entries(farebox, { since: noon })]
    expect([...later, ...earlier]).toEqual(ledger)
    expect([earlier.length, later.length]).not.toContain(0)
    expect(await entries(farebox, { since: '2027-03-27', until: '2027-03-27T20:30:00Z' })).toEqual([])
  })

  it('refuse names, places and numbers that mean nothing', async () => {
    const { farebox } = await start()
    const refused = (action: 'usage' | 'usageReport' | 'listLedger', query: object) =>
      farebox.admin.call(action, { query } as never).catch((error: unknown) => String(error))
    for (const query of [{ key: 'nobody' }, { provider: 'nobody' }, { package: 'nothing' }]) {
      expect(await refused('usage', query)).toContain('There is no')
      expect(await refused('usageReport', query)).toContain('There is no')
    }
    expect(await refused('listLedger', { key: 'nobody' })).toContain('There is no key')
    expect(await refused('usage', { before: 'yesterday' })).toContain("'before'")
    expect(await refused('usage', { since: 'whenever' })).toContain("'since'")
    expect(await refused('usage', { min_credits: '1.1234567' })).not.toContain('usage')
    expect(await refused('listLedger', { since: 'whenever' })).toContain("'since'")
    expect(await refused('listLedger', { until: '2027-02-30' })).toContain("'until'")
    expect(await refused('listLedger', { before: '9999999999999999' })).toContain("'before'")
    expect(await refused('usageReport', { from: '3d', rollup: 'minute' })).toContain('rollup')
  })
})

describe('the overview', () => {
  it('says what somebody should look after', async () => {
    const clock = manualClock('2027-03-27T20:30:00Z')
    const { farebox, upstream } = await start(clock)
    const low = await keyIn(farebox, 'low', 'day')
    await farebox.admin.call('createKey', { body: { name: 'old', package: 'plenty', expires: '6d' } })
    upstream.once({ type: 'answer', usage: { prompt_tokens: 493, completion_tokens: 1 } })
    await (await chat(farebox, low)).text()
    upstream.once({ type: 'status', status: 401 })
    await (await chat(farebox, await keyIn(farebox, 'other', 'plenty'))).text()
    const { attention, credits, today, gateway } = await farebox.admin.call('overview', {})
    expect(attention).toContainEqual({
      kind: 'secret_refused',
      subject: 'upstream',
      at: expect.any(String),
      page: 'providers',
      text: 'upstream refused our key (401). Replace it in Providers.',
    })
    const text = attention.map((one) => one.text).join('\n')
    expect(text).toContain(`Key 'low' has 0.000005 of 0.0005 credits left. They are renewed by themselves.`)
    expect(text).toContain(`Key 'old' expires in 6 days. Extend it in Keys.`)
    expect(credits).toMatchObject({ keys: 3, unlimited_keys: 0, held_credits: 0 })
    expect(today.totals.requests).toBe(2)
    expect(gateway).toMatchObject({ ledger: 'ok', open_exchanges: 0 })
  })

  it('counts yesterday up to the same time of day', async () => {
    const clock = manualClock('2027-03-27T10:15:00Z')
    const { farebox } = await start(clock)
    const key = await keyIn(farebox, 'ann', 'plenty')
    await (await chat(farebox, key)).text()
    clock.advance(40 * 60_000)
    await (await chat(farebox, key)).text()
    clock.advance(24 * 3_600_000 - 20 * 60_000)
    const { today, first_token } = await farebox.admin.call('overview', {})
    expect([today.totals.requests, today.previous.requests]).toEqual([0, 1])
    expect(first_token).toEqual({ p50_ms: null, p95_ms: null })
    expect((await get(farebox, '/v1/balance', key)).status).toBe(200)
  })
})
