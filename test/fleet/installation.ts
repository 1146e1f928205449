// A gateway by itself, as it is before it shares its books: packages of every type, keys in every state, members, projects and invites, and calls on two
// days.

import type { KeyCreate, PackageCreate } from '#contract/schemas.ts'
import { openForReading } from '#store/database.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { randomFrom } from '../support/random.ts'
import { DEAREST, HOLD, pay, type Key } from './gateways.ts'
import type { Upstream } from '../support/upstream.ts'

const DAY_MS = 86_400_000
/** How many calls the key `spent in part` can pay for in all, and how many of them it has. */
export const PARTLY = { all: 10, used: 3 } as const

export type Installation = {
  readonly dataDir: string
  /** By their names. */
  readonly keys: ReadonlyMap<string, Key>
}

const PACKAGES: readonly PackageCreate[] = [
  { name: 'small', type: 'topup', credits: (PARTLY.all * HOLD) / 1e6 },
  { name: 'large', type: 'topup', credits: 50 },
  { name: 'of a day', type: 'daily', credits: 1, timezone: 'UTC', limits: { requests_per_minute: 1000 } },
  { name: 'of a month', type: 'monthly', credits: 2.5, timezone: 'Asia/Tokyo', models: ['chat'] },
  { name: 'without end', type: 'unlimited' },
]

/** Ends it again. Which calls are made follows from the seed. */
export async function furnish(upstream: Upstream, seed: number): Promise<Installation> {
  const random = randomFrom(seed)
  upstream.script(DEAREST)
  const clock = { nowMs: () => Date.now() - 2 * DAY_MS, monotonicMs: () => performance.now() }
  const before = await startFarebox({ clock })
  const { dataDir } = before
  const providers = [{ name: 'upstream', dialect: 'chat-completions' as const, base_url: upstream.url }]
  const models = [chatModel('chat'), chatModel('dear', { price: { input: 0.3, output: 7.25 } })]
  await before.admin.call('apply', { body: { document: { providers, models, packages: [...PACKAGES] } } })
  const keys = await makeKeys(before)
  await callSome(before, keys, random)
  await before.stop()
  const now = await startFarebox({ dataDir })
  await callSome(now, keys, random)
  const partly = keys.get('spent in part') as Key
  for (let call = 0; call < PARTLY.used; call += 1) await pay(now, partly)
  await change(now, random)
  await now.stop()
  return { dataDir, keys }
}

async function makeKeys({ admin }: Farebox): Promise<Map<string, Key>> {
  await admin.call('addMember', { body: { name: 'ada', packages: ['small'], limits: { requests_per_minute: 600 } } })
  await admin.call('addMember', { body: { name: 'bert', role: 'administrator', password: 'correct horse battery' } })
  await admin.call('createInvite', { body: { name: 'cleo', packages: ['large'] } })
  await admin.call('setProject', { id: 'apollo', body: { credits_per_day: 3, credits_per_month: 40 } })
  const keys = new Map<string, Key>()
  const add = async (name: string, of: string, more: Partial<KeyCreate> = {}) => {
    keys.set(name, await admin.call('createKey', { body: { name, package: of, ...more } }))
  }
  await add('spent in part', 'small')
  for (const { name } of PACKAGES) for (const letter of ['a', 'b', 'c']) await add(`${name} ${letter}`, name)
  await add('of ada', 'small', { owner: 'ada', project: 'apollo', tags: ['moon'] })
  await add('over', 'large', { expires: '1d' })
  return keys
}

async function callSome(farebox: Farebox, keys: ReadonlyMap<string, Key>, random: () => number): Promise<void> {
  const all = [...keys].flatMap(([name, key]) => (name === 'spent in part' ? [] : [key]))
  for (let call = 0; call < 24; call += 1) {
    const key = all[Math.floor(random() * all.length)]
    if (key !== undefined) await pay(farebox, key)
  }
}

async function change({ admin }: Farebox, random: () => number): Promise<void> {
  const amount = () => Math.ceil(random() * 1e6) / 1e6
  await admin.call('topUpKey', { id: 'large a', body: { credits: amount(), idempotency_id: 'paid' } })
  await admin.call('adjustKey', { id: 'of a day b', body: { credits: -amount(), reason: 'a mistake' } })
  // More than there ever was.
  await admin.call('adjustKey', { id: 'small c', body: { credits: -7.000001, reason: 'a debt' } })
  await admin.call('suspendKey', { id: 'of a month c' })
  await admin.call('revokeKey', { id: 'small b' })
  await admin.call('rotateKey', { id: 'large b', body: { overlap: '24h' } })
  await admin.call('editMember', { id: 'ada', body: { status: 'suspended' } })
  await admin.call('priceModel', { id: 'dear', body: { input: 0.31, output: 7 } })
  await admin.call('editPackage', { id: 'large', body: { credits: 60 } })
}

export type Left = { readonly key: string; readonly cycle: number; readonly left: number }

/** What is left of the balance of each key that has a limit, by the table of a data folder, in micro-credits. */
export function leftIn(dataDir: string): Left[] {
  const db = openForReading(dataDir)
  try {
    const sql = `SELECT key_id AS key, cycle_started_at_ms AS cycle, granted_micro - used_micro AS left FROM balance
      WHERE package_type <> 'unlimited' ORDER BY key_id`
    return db.prepare<[], Left>(sql).all()
  } finally {
    db.close()
  }
}

/** The last entry that was made there. */
export function lastEntryIn(dataDir: string): number {
  const db = openForReading(dataDir)
  try {
    return db.prepare<[], number>('SELECT max(seq) FROM ledger_entry').pluck().get() ?? 0
  } finally {
    db.close()
  }
}
