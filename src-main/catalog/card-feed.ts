// A price card that somebody publishes and signs. Nothing of it is parsed before one of the keys that an administrator named was found to
// have signed it, and it changes no price by itself: it becomes one more card that can be compared and applied.

import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { FeedCard, SignedCard } from '#contract/price-feed.ts'
import { check } from '#contract/validate.ts'

export type ReadCard =
  | { readonly type: 'card'; readonly card: FeedCard }
  /** None of the keys has signed it. */
  | { readonly type: 'foreign' }
  | { readonly type: 'broken'; readonly problem: string }

/** Ed25519, by its 32 bytes in base64; undefined for anything else. */
export function cardKeyOf(text: string): KeyObject | undefined {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== text) return undefined
  const key = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  return createPublicKey({ key, format: 'jwk' })
}

/** `today` is a day such as `2026-11-27`. */
export function readSignedCard(text: string, keys: readonly KeyObject[], today: string): ReadCard {
  const file = check(SignedCard, parsed(text))
  if (file.type === 'invalid') return broken('it is no signed price card')
  const { signed, signature } = file.value
  const bytes = Buffer.from(signature, 'base64')
  if (!keys.some((key) => verify(undefined, Buffer.from(signed), key, bytes))) return { type: 'foreign' }
  const card = check(FeedCard, parsed(signed))
  if (card.type === 'invalid') return broken('it is signed, but no price card that this version reads')
  const problem = problemOf(card.value, today)
  return problem === undefined ? { type: 'card', card: card.value } : broken(problem)
}

/** What a schema cannot say. Each price has a source and a day by its schema. */
function problemOf({ date, entries }: FeedCard, today: string): string | undefined {
  const names = new Set<string>()
  for (const entry of entries) {
    for (const model of [entry.model, ...(entry.also ?? [])]) {
      const name = `${entry.preset} ${model}`
      if (names.has(name)) return `it has two prices for ${model} at ${entry.preset}`
      names.add(name)
    }
    if (entry.date > date) return `the price of ${entry.model} is from a later day than the card`
  }
  return date > dayAfter(today) ? 'it is from a day that is yet to come' : undefined
}

/** Somewhere on earth it is tomorrow. */
function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

/** Whether two cards of one version are the same one. */
export function isSameCard(one: FeedCard, other: FeedCard): boolean {
  return isDeepStrictEqual(one, other)
}

function broken(problem: string): ReadCard {
  return { type: 'broken', problem }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses undefined like any other broken file.
    return undefined
  }
}
