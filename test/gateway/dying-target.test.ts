// Two targets under 200 parallel streams, of which one dies in the middle: no client sees an error that failover could have
// prevented, nobody is charged twice, and the dead one is used again once it is back.

import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { eventData, ORDINARY_CHARGE, post, soon } from './support.ts'

const STREAMS = 200
const PIECES = Array.from({ length: 10 }, (_, index) => `piece-${index} `)
/** As many come only when the target is dead. */
const LATE_STREAMS = 40

let farebox: Farebox
let dying: Upstream
let sound: Upstream
let key = ''

beforeAll(async () => {
  dying = await startUpstream()
  sound = await startUpstream()
  farebox = await startFarebox()
  const provider = (name: string, { url }: Upstream) => ({
    name,
    dialect: 'chat-completions' as const,
    base_url: url,
    secret: 'sk-upstream-secret',
  })
  const targets = ['dying', 'sound'].map((name) => ({ provider: name, model: 'm', priority: 0, weight: 1 }))
  const document = {
    providers: [provider('dying', dying), provider('sound', sound)],
    models: [chatModel('chat', { targets })],
    packages: [{ name: 'plenty', type: 'topup' as const, credits: 1000 }],
  }
  await farebox.admin.call('apply', { body: { document } })
  key = await farebox.newKey('plenty')
})

afterAll(async () => {
  await farebox.close()
  await Promise.all([dying.close(), sound.close()])
})

/** What one client has of its stream. */
type Seen = {
  id: string
  status: number
  attempts: string | null
  text: string
  firstByteMs: number | undefined
  endedMs: number
}

async function stream(all: Seen[]): Promise<Seen> {
  const seen: Seen = {
    id: '',
    status: 0,
    attempts: null,
    text: '',
    firstByteMs: undefined,
    endedMs: 0,
  }
  all.push(seen)
  const body = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }], stream: true }
  const response = await post(farebox, body, { key })
  seen.id = response.headers.get('x-request-id') ?? ''
  seen.status = response.status
  seen.attempts = response.headers.get('x-farebox-attempts')
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    seen.firstByteMs ??= performance.now()
    seen.text += decoder.decode(bytes as Uint8Array, { stream: true })
  }
  seen.endedMs = performance.now()
  return seen
}

type Verdict = 'whole' | 'cut' | 'wrong'

/** A stream is whole, or broken off by one error event behind others. Everything else is wrong, an error before the first byte too. */
function verdictOf({ status, text }: Seen): Verdict {
  const events = eventData(text)
  if (status !== 200 || !text.endsWith('\n\n')) return 'wrong'
  const said = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Record<string, never>)
  const errors = said.filter((event) => 'error' in event)
  const words = said.map((event) => String(event['choices']?.[0]?.['delta']?.['content'] ?? '')).join('')
  if (events.at(-1) === '[DONE]') return errors.length === 0 && words === PIECES.join('') ? 'whole' : 'wrong'
  const isCut =
    said.length > 1 && errors.length === 1 && 'error' in (said.at(-1) ?? {}) && PIECES.join('').startsWith(words)
  return isCut ? 'cut' : 'wrong'
}

/** How often each call was held for and settled or released. */
function entriesById(): Map<string, string[]> {
  const db = new Database(join(farebox.dataDir, 'farebox.db'), { readonly: true })
  const rows = db.prepare('SELECT exchange_id AS id, kind FROM ledger_entry WHERE exchange_id IS NOT NULL ORDER BY seq')
  const byId = new Map<string, string[]>()
  for (const row of rows.all() as { id: string; kind: string }[]) {
    byId.set(row.id, [...(byId.get(row.id) ?? []), row.kind])
  }
  db.close()
  return byId
}

/** Streams that are over at once, streams that last, and streams that are long in coming, one after the other. */
function allPhases(): () => Behaviour {
  let calls = 0
  return () => {
    calls += 1
    if (calls % 3 === 0) return { type: 'answer', pieces: PIECES }
    return { type: 'answer', pieces: PIECES, delayMs: 300, ...(calls % 3 === 1 ? {} : { headersAfterMs: 4000 }) }
  }
}

type Life = { readonly seen: readonly Seen[]; readonly waiting: number; readonly running: number }

/** Parallel streams, of which one target loses its share when it has answered some, begun some, and not begun others. */
async function callsAroundADeath(): Promise<Life> {
  for (const upstream of [dying, sound]) upstream.script(allPhases())
  const seen: Seen[] = []
  const calls = Array.from({ length: STREAMS - LATE_STREAMS }, () => stream(seen))
  const here = () => dying.requests.length + sound.requests.length
  await soon(() => here() === calls.length && seen.filter(({ endedMs }) => endedMs > 0).length > calls.length / 4)
  const running = seen.filter(({ firstByteMs, endedMs }) => firstByteMs !== undefined && endedMs === 0).length
  const waiting = seen.filter(({ firstByteMs }) => firstByteMs === undefined).length
  const death = dying.refuse()
  const late = Array.from({ length: LATE_STREAMS }, () => stream(seen))
  await Promise.all([death, ...calls, ...late])
  return { seen, waiting, running }
}

/** One record, one hold and one settlement for each call; the records, the receipts and the balance tell the same. */
async function expectBooks(seen: readonly Seen[]): Promise<{ readonly charged: number; readonly receipts: number }> {
  const { usage } = await farebox.admin.call('usage', { query: { limit: '1000' } })
  const records = new Map(usage.map((record) => [record.id, record]))
  expect(usage).toHaveLength(STREAMS)
  expect(records.size).toBe(STREAMS)
  for (const one of seen) {
    const record = records.get(one.id)
    expect(record?.outcome).toBe(verdictOf(one) === 'cut' ? 'cut' : 'answered')
    if (verdictOf(one) === 'whole') expect(record?.charge_credits).toBe(ORDINARY_CHARGE)
    else expect(record?.charge_credits).toBeGreaterThan(0)
  }
  const entries = entriesById()
  expect(entries.size).toBe(STREAMS)
  for (const kinds of entries.values()) expect(kinds).toEqual(['hold', 'settle'])
  const charged = usage.reduce((sum, { charge_credits }) => sum + micro(charge_credits), 0)
  let receipts = 0
  for (const { id } of usage) receipts += micro((await farebox.admin.call('receipt', { id })).charge_credits)
  expect(receipts).toBe(charged)
  const balance = await farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, total_requests: STREAMS })
  expect(micro(Number(balance['used_credits']))).toBe(charged)
  expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0, problems: [] })
  return { charged, receipts }
}

function micro(credits: number): number {
  return Math.round(credits * 1e6)
}

/** Nobody is sent to a target before its time; then one request tries it, and it has its share again. Returns that share. */
async function expectReturn(leftOutUntil: string | null): Promise<string> {
  await dying.accept()
  for (const upstream of [dying, sound]) upstream.script({ type: 'answer', pieces: PIECES })
  const before = dying.requests.length
  const leftMs = () => Date.parse(leftOutUntil ?? '') - Date.now()
  expect(leftMs()).toBeLessThanOrEqual(5000)
  if (leftMs() > 1000) {
    const early = await Promise.all(Array.from({ length: 10 }, () => stream([])))
    expect(early.map(({ attempts }) => attempts)).toEqual(early.map(() => 'answered'))
    expect(leftMs() < 0 || dying.requests.length === before).toBe(true)
  }
  await sleep(Math.max(0, leftMs()) + 50)
  await soon(async () => {
    expect(verdictOf(await stream([]))).toBe('whole')
    return dying.requests.length > before
  })
  const tried = dying.requests.length
  const back = await Promise.all(Array.from({ length: 40 }, () => stream([])))
  expect(back.map(verdictOf)).toEqual(back.map(() => 'whole'))
  const share = dying.requests.length - tried
  expect(share).toBeGreaterThan(5)
  return `${share} of the next ${back.length} at the one that came back`
}

it('loses only the streams that it had begun, charges each call once, and is used again when it is back', async () => {
  const { seen, waiting, running } = await callsAroundADeath()
  const of = (wanted: Verdict) => seen.filter((one) => verdictOf(one) === wanted)
  expect(of('wrong').map(({ status, text }) => `${status} ${text.slice(-300)}`)).toEqual([])
  const [whole, cut] = [of('whole'), of('cut')]
  // There is nobody else to end an answer that has begun.
  expect(cut.map(({ attempts }) => attempts)).toEqual(cut.map(() => 'answered'))
  const mended = whole.filter(({ attempts }) => attempts !== 'answered')
  // The death came in the middle of everything, or this would prove nothing.
  expect(cut.length).toBeGreaterThan(10)
  expect(mended.length).toBeGreaterThan(10)
  expect(whole.length).toBeGreaterThan(100)
  expect(mended.filter(({ attempts }) => attempts !== 'failed, answered')).toEqual([])

  await soon(async () => (await farebox.admin.call('status', {})).open_exchanges === 0)
  const { charged, receipts } = await expectBooks(seen)
  expect(farebox.log).toEqual([])
  expect(dying.openSockets()).toBe(0)
  const { targets } = await farebox.admin.call('status', {})
  const dead = targets.find(({ provider }) => provider === 'dying')
  expect(dead?.state).toMatch(/^(open|half-open)$/)
  const share = await expectReturn(dead?.left_out_until ?? null)
  expect(await farebox.admin.call('status', {})).toMatchObject({ held_credits: 0, open_exchanges: 0 })
  expect((await farebox.admin.call('status', {})).targets.map(({ state }) => state)).toEqual(['ok', 'ok'])
  process.stdout.write(
    `A target dies under ${STREAMS} streams, ${running} running and ${waiting} waiting for their first byte: ${whole.length} whole ` +
      `(${mended.length} by failover), ${cut.length} cut after their first byte, 0 other errors; ${charged} micro-credits ` +
      `charged, ${receipts} in receipts; ${share}.\n`,
  )
}, 60_000)
