// One call through a provider that misbehaves, and what must hold after every such call: the client was told in the
// contract's words, one record was written, nothing is held, and only what was delivered is charged.

import { expect } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import {
  chat,
  errorObject,
  ERROR_TYPES,
  eventData,
  expectError,
  post,
  usageOf,
  type ErrorStatus,
  type Pair,
} from './support.ts'

export type Fault = {
  readonly name: string
  readonly provider: Behaviour
  /** Members of a chat completion; with an `input`, of embeddings. */
  readonly request?: object
  readonly sees: Sees
  /** In credits; 'some' for an estimate of what was delivered. */
  readonly charge: number | 'some'
}

export type Sees =
  /** An error before the first byte. */
  | { readonly status: ErrorStatus; readonly says?: RegExp; readonly retryAfter?: string }
  /** A stream that breaks off with an error event. */
  | { readonly breaksWith: 'upstream_error' | 'upstream_timeout' | 'permission_error'; readonly says?: RegExp }
  /** A whole answer, or a stream closed by [DONE]. */
  | 'all'

let calls = 0

/** Makes the call with a key of its own and checks everything. */
export async function suffer(pair: Pair, fault: Fault): Promise<void> {
  calls += 1
  const name = `fault ${calls}`
  const { key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })
  pair.upstream.script(fault.provider)
  const isEmbedding = fault.request !== undefined && 'input' in fault.request
  const response = isEmbedding
    ? await post(pair.farebox, { model: 'embed', ...fault.request }, { key, path: '/v1/embeddings' })
    : await chat(pair.farebox, key, fault.request)
  await expectSeen(response, fault.sees)
  await expectSettled(pair, { name, key, sees: fault.sees, charge: fault.charge })
}

async function expectSeen(response: Response, sees: Sees): Promise<void> {
  if (sees === 'all') return expectWhole(response)
  if ('breaksWith' in sees) return expectBroken(await response.text(), sees.breaksWith, sees.says)
  const { retryAfter = null } = sees
  expect(response.headers.get('retry-after')).toBe(retryAfter)
  expect(await expectError(response, sees.status)).toMatch(sees.says ?? /./)
}

async function expectWhole(response: Response): Promise<void> {
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 /)
  if (response.headers.get('content-type') === 'application/json') {
    expect(JSON.parse(text)).toMatchObject({ object: expect.stringMatching(/^(chat\.completion|list)$/) })
    return
  }
  expect(eventData(text).at(-1)).toBe('[DONE]')
  expect(text).not.toContain('"error"')
}

/** Whole events, of which the last and only the last is an error: no client can take this for a complete answer. */
export function expectBroken(text: string, type: string, says = /\S.*\.$/): void {
  expect(text).not.toContain('[DONE]')
  expect(text).toMatch(/\n\n$/)
  const events = eventData(text).map((data) => JSON.parse(data) as { error?: { message: string } })
  expect(text).not.toMatch(/^data: \{"error"/)
  expect(events.slice(0, -1).filter((event) => 'error' in event)).toEqual([])
  const status = Object.entries(ERROR_TYPES).findLast(([, candidate]) => candidate === type)?.[0]
  const error = errorObject(Number(status) as ErrorStatus)
  expect(events.at(-1)).toEqual({ error: { ...error, message: expect.stringMatching(says) as string } })
}

type Expected = Pick<Fault, 'sees' | 'charge'> & { readonly name: string; readonly key: string }

async function expectSettled(pair: Pair, { name, key, sees, charge }: Expected): Promise<void> {
  const records = await usageOf(pair.farebox, name)
  expect(records).toHaveLength(1)
  const paid = charge === 'some' ? expect.toSatisfy((value: number) => value > 0 && value < 100) : charge
  expect(records[0]).toMatchObject({ ...outcome(sees), charge_credits: paid })
  const { used_credits: used, ...balance } = await pair.farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, total_requests: 1 })
  expect(used).toBe(records[0]?.charge_credits)
}

function outcome(sees: Sees): object {
  if (sees === 'all') return { outcome: 'answered', status: 200 }
  if ('breaksWith' in sees) return { outcome: 'cut', status: 200 }
  return { outcome: sees.status < 500 && ![424, 429].includes(sees.status) ? 'refused' : 'failed', status: sees.status }
}

/** After all: no fault of ours, nothing open, and the books add up. */
export async function expectSoundBooks({ farebox }: Pick<Pair, 'farebox'>): Promise<void> {
  expect(farebox.log).toEqual([])
  expect(await farebox.admin.call('status', {})).toMatchObject({ ledger: 'ok', open_exchanges: 0, held_credits: 0 })
  const report = await farebox.admin.call('verifyLedger', {})
  expect(report).toMatchObject({ ok: true, open_holds: 0, problems: [] })
  expect(report.usage_records).toBeGreaterThan(0)
}
