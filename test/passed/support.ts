// What the tests of passed endpoints have in common: a Farebox with a model of each kind, calls, and what holds after each.

import { expect } from 'vitest'
import { expectedBytes } from '../support/upstream-reply.ts'
import { post, startPair, usageOf, type Pair } from '../gateway/support.ts'
import { MODELS, type PassedCall } from './routes.ts'

export async function startPassed(env: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const pair = await startPair({ env })
  await pair.farebox.admin.call('apply', { body: { document: { models: [...MODELS] } } })
  return pair
}

export function call(pair: Pair, { path, model, request }: PassedCall, key: string, members: object = {}) {
  return post(pair.farebox, { model, ...request, ...members }, { key, path })
}

let keys = 0

/** A key of its own for one call, so that its record and its balance are that call's. */
export async function freshKey(pair: Pair): Promise<{ readonly name: string; readonly key: string }> {
  keys += 1
  const name = `passed ${keys}`
  const { key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })
  return { name, key }
}

/** One record, nothing held, and that charge. */
export async function expectCharged(
  pair: Pair,
  { name, key }: { readonly name: string; readonly key: string },
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const records = await usageOf(pair.farebox, name)
  expect(records).toHaveLength(1)
  expect(records[0]).toMatchObject(expected)
  const { used_credits: used, ...balance } = await pair.farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, total_requests: 1 })
  expect(used).toBe(records[0]?.charge_credits)
}

/** What the provider of a call sends. */
export function answerBytes({ answer, path, request }: PassedCall): Buffer {
  return expectedBytes(answer, request, path)
}
