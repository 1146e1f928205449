// A Farebox in front of scripted providers that stand in for each other, and what must hold after every call at a model of several
// targets. Each model has targets of its own, so that the health of one test's targets is nobody else's.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import type { ProviderCreate } from '#contract/providers.ts'
import type { PackageCreate } from '#contract/schemas.ts'
import { chatModel, startFarebox, type Farebox, type FareboxOptions } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { DIALECTS, type Dialect } from './formats.ts'
import { ORDINARY_CHARGE, usageOf } from './support.ts'

export type Targets = {
  readonly farebox: Farebox
  readonly upstreams: readonly [first: Upstream, second: Upstream, third: Upstream]
  close(): Promise<void>
}

export type TargetsOptions = FareboxOptions & {
  /** Of every provider at the first upstream. */
  readonly limits?: ProviderCreate['limits']
  readonly packages?: readonly PackageCreate[]
}

/** Three upstreams, each with a provider of every dialect, named such as `1 messages`. */
export async function startTargets({ limits, packages = [], ...options }: TargetsOptions = {}): Promise<Targets> {
  const upstreams = [await startUpstream(), await startUpstream(), await startUpstream()] as const
  const farebox = await startFarebox(options)
  const providers = upstreams.flatMap(({ url }, index) =>
    DIALECTS.map((dialect) => ({
      name: `${index + 1} ${dialect}`,
      dialect,
      base_url: dialect === 'gemini' ? url.replace(/v1$/, 'v1beta') : url,
      secret: 'sk-upstream-secret',
      ...(index === 0 && limits !== undefined ? { limits } : {}),
    })),
  )
  const all = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }, ...packages]
  await farebox.admin.call('apply', { body: { document: { providers, models: [], packages: all } } })
  const close = async () => {
    await farebox.close()
    await Promise.all(upstreams.map((upstream) => upstream.close()))
  }
  return { farebox, upstreams, close }
}

let models = 0

/** Names that the providers' own rules go by, and a number that makes each target a new one. */
const NAMES = {
  'chat-completions': 'gpt-4.1',
  messages: 'claude-sonnet-4-5',
  responses: 'gpt-5.2',
  gemini: 'gemini-3-flash',
} satisfies Record<Dialect, string>

/** A new model whose targets are tried in this order, the first at the first upstream and so on. Returns its name. */
export async function addModel({ farebox }: Pick<Targets, 'farebox'>, dialects: readonly Dialect[]): Promise<string> {
  models += 1
  const id = `model-${models}`
  const targets = dialects.map((dialect, index) => ({
    provider: `${index + 1} ${dialect}`,
    model: `${NAMES[dialect]}-${models}`,
    priority: index,
  }))
  await farebox.admin.call('addModel', { body: chatModel(id, { targets }) })
  return id
}

export type Attempts = readonly (readonly [provider: string, outcome: string, status: number | null])[]

export type Settled = {
  readonly key: string
  readonly outcome: string
  readonly status: number
  readonly charge: number | 'some'
  readonly attempts: Attempts
}

/** One record, one settlement, nothing held, and a receipt that tells of every attempt. */
export async function expectSettled({ farebox }: Pick<Targets, 'farebox'>, settled: Settled): Promise<void> {
  const { key, outcome, status, charge, attempts } = settled
  await expect.poll(async () => (await farebox.admin.call('status', {})).open_exchanges).toBe(0)
  const records = await usageOf(farebox, key)
  expect(records).toHaveLength(1)
  const [record] = records
  expect(record).toMatchObject({ outcome, status })
  const paid = record?.charge_credits ?? -1
  if (charge === 'some') expect(paid).toBeGreaterThan(0)
  else expect(paid).toBe(charge)
  const { balance } = await farebox.admin.call('showKey', { id: key })
  expect(balance).toMatchObject({ held_credits: 0, used_credits: paid, total_requests: 1 })
  const id = record?.id ?? ''
  expect(entriesOf(farebox, id)).toEqual(['hold', paid === 0 ? 'release' : 'settle'])
  const receipt = await farebox.admin.call('receipt', { id })
  const told = receipt.attempts === 'unknown' ? [] : receipt.attempts
  expect(told.map((one) => [one.provider, one.outcome, one.status])).toEqual(attempts)
  expect(receipt.charge_credits).toBe(paid)
}

export const ALL = ORDINARY_CHARGE

/** The kinds of a call's ledger entries, as they are on disk. */
function entriesOf(farebox: Farebox, id: string): string[] {
  const db = new Database(join(farebox.dataDir, 'farebox.db'), { readonly: true })
  const rows = db.prepare('SELECT kind FROM ledger_entry WHERE exchange_id = ? ORDER BY seq').all(id)
  db.close()
  return rows.map((row) => (row as { kind: string }).kind)
}

let keys = 0

/** A new key and its name. */
export async function newKey(
  { farebox }: Pick<Targets, 'farebox'>,
  packageName = 'plenty',
): Promise<{ readonly key: string; readonly name: string }> {
  const name = `caller ${++keys}`
  return { name, key: (await farebox.admin.call('createKey', { body: { name, package: packageName } })).key }
}

/** After all: no fault of ours, nothing open, nothing held, and the books add up. */
export async function expectQuiet({ farebox }: Pick<Targets, 'farebox'>): Promise<void> {
  expect(farebox.log).toEqual([])
  const status = await farebox.admin.call('status', {})
  expect(status).toMatchObject({ ledger: 'ok', open_exchanges: 0, held_credits: 0 })
  expect(status.provider_use.filter((use) => use.concurrent_requests !== 0)).toEqual([])
  expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0, problems: [] })
}
