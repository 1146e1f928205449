// Providers of every dialect that answer nothing but errors, to many calls at once in every client format.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { ask, expectFormatError, PAIRS, startFormats } from '../gateway/formats.ts'
import { soon, usageOf, type Pair } from '../gateway/support.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'

const STORM: readonly Behaviour[] = [
  { type: 'status', status: 500 },
  { type: 'html', status: 502 },
  { type: 'status', status: 503, retryAfter: 1 },
  { type: 'html', status: 504 },
  { type: 'status', status: 529 },
  { type: 'status', status: 429, retryAfter: 'soon' },
  { type: 'answer', cut: { at: 'before-headers', how: 'reset' } },
  { type: 'answer', cut: { at: 'after-headers', how: 'close' } },
]
const CALLS_EACH = 6
const STATUSES = [429, 502, 503, 504]

let pair: Pair

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
  let requests = 0
  pair.upstream.script(() => STORM[requests++ % STORM.length] ?? { type: 'html' })
})

afterAll(() => pair.close())

it('a storm of errors is told to every client in its own format, and costs nobody anything', async () => {
  const { key } = await pair.farebox.admin.call('createKey', { body: { name: 'storm', package: 'plenty' } })
  const calls = Array.from({ length: CALLS_EACH }, (_, call) =>
    PAIRS.map(async ([, format, dialect]) => {
      const members = { model: dialect, ...(call % 2 === 0 ? { stream: true } : {}) }
      const response = await ask(pair, format, { key, members })
      expect(STATUSES).toContain(response.status)
      await expectFormatError(response, format.name, response.status)
      return response.status
    }),
  ).flat()
  const told = await Promise.all(calls)
  const records = await usageOf(pair.farebox, 'storm')
  expect(inOrder(records.map(({ status }) => status))).toEqual(inOrder(told))
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['failed']))
  const balance = await pair.farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, used_credits: 0, total_requests: told.length })
  await soon(() => pair.upstream.requests.every(({ completed, closedAtMs }) => completed || closedAtMs !== undefined))
  await expectSoundBooks(pair)
})

function inOrder(numbers: readonly number[]): number[] {
  return numbers.toSorted((left, right) => left - right)
}
