// The throttle of wrong keys, which is the one that calls have.

import { describe, expect, it } from 'vitest'
import type { Catalog } from '#catalog/catalog.ts'
import { isRefusal } from '#core/refusal.ts'
import { ChangeLimiter } from '#server/change-limiter.ts'
import { Intake } from '#server/intake.ts'
import { signInByKey, type KeySignInDeps } from '#server/key-sign-in.ts'
import type { MemoryGuard } from '#server/memory-guard.ts'

const WRONG = `key_${'A'.repeat(38)}`
const FAR = '192.0.2.7'

function house() {
  let looked = 0
  const clock = { nowMs: 0 }
  const monotonicMs = () => clock.nowMs
  const guesses = new Intake({ readiness: { isDraining: false }, memory: {} as MemoryGuard, monotonicMs })
  const deps: KeySignInDeps = {
    catalog: { keyByHash: () => void looked++ } as unknown as Catalog,
    hashKey: (key) => {
      looked += 1
      return key
    },
    nowMs: monotonicMs,
    guesses,
    signIns: new ChangeLimiter(monotonicMs),
  }
  const codeOf = (address: string) => {
    const answer = signInByKey(WRONG, address, deps)
    return isRefusal(answer) ? answer.code : 'signed in'
  }
  return { codeOf, clock, guesses, looked: () => looked }
}

describe('a machine that tries keys', () => {
  it('is refused after thirty wrong ones before anything is looked at, and by then for calls too', () => {
    const { codeOf, guesses, looked, clock } = house()
    for (let tries = 0; tries < 31; tries++) expect(codeOf(FAR)).toBe('unauthenticated')
    const before = looked()
    expect(codeOf(FAR)).toBe('rate_limited')
    expect(looked()).toBe(before)
    expect(guesses.guessing({ ip: FAR })?.code).toBe('rate_limited')
    expect(codeOf('192.0.2.8')).toBe('unauthenticated')
    clock.nowMs += 2000
    expect(codeOf(FAR)).toBe('unauthenticated')
  })

  it('is refused here for what it guessed in calls', () => {
    const { codeOf, guesses } = house()
    const refusal = { type: 'refusal', code: 'unauthenticated', message: 'This is not a valid key.' } as const
    for (let tries = 0; tries < 31; tries++) guesses.refused({ ip: FAR }, refusal)
    expect(codeOf(FAR)).toBe('rate_limited')
  })
})
