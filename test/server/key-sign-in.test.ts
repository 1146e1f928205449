// The throttle of wrong keys, which is the one that calls have.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Catalog } from '#catalog/catalog.ts'
import { makeKey } from '#core/key-format.ts'
import { isRefusal } from '#core/refusal.ts'
import { ChangeLimiter } from '#server/http/change-limiter.ts'
import { CallGuard } from '#server/gateway/call-guard.ts'
import { signInByKey, type KeySignInDeps } from '#server/sign-in/key-sign-in.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'

const WRONG = `key_${'A'.repeat(38)}`
const NO_KEY = { type: 'refusal', code: 'unauthenticated', message: 'This is not a valid key.' } as const
const RIGHT = makeKey(randomBytes(64))
const FAR = '192.0.2.7'

function house() {
  const clock = { nowMs: 0 }
  const monotonicMs = () => clock.nowMs
  const guesses = new CallGuard({ readiness: { isDraining: false }, memory: {} as MemoryGuard, monotonicMs })
  const deps: KeySignInDeps = {
    catalog: {
      keyByHash: (hash: string) => (hash === RIGHT ? { id: 'k', hash: RIGHT, packageId: 'p' } : undefined),
      statusOf: () => 'active',
      package: () => ({}),
    } as unknown as Catalog,
    hashKey: (key) => key,
    nowMs: monotonicMs,
    guesses,
    signIns: new ChangeLimiter(monotonicMs),
  }
  const codeOf = (key: string, address = FAR) => {
    const answer = signInByKey(key, address, deps)
    return isRefusal(answer) ? answer.code : 'signed in'
  }
  return { codeOf, clock, guesses }
}

describe('a machine that tries keys', () => {
  it('is slowed down after thirty wrong ones, and by then in calls too', () => {
    const { codeOf, guesses, clock } = house()
    for (let tries = 0; tries < 30; tries++) expect(codeOf(WRONG)).toBe('unauthenticated')
    expect(codeOf(WRONG)).toBe('rate_limited')
    expect(guesses.refused({ ip: FAR }, NO_KEY).code).toBe('rate_limited')
    expect(codeOf(WRONG, '192.0.2.8')).toBe('unauthenticated')
    clock.nowMs += 2000
    expect(codeOf(WRONG)).toBe('unauthenticated')
  })

  it('is slowed down here for what it guessed in calls', () => {
    const { codeOf, guesses } = house()
    for (let tries = 0; tries < 30; tries++) guesses.refused({ ip: FAR }, NO_KEY)
    expect(codeOf(WRONG)).toBe('rate_limited')
  })

  it('keeps nobody out who has a key, at the same address or at another', () => {
    const { codeOf } = house()
    for (let tries = 0; tries < 1000; tries++) codeOf(WRONG, tries % 2 === 0 ? FAR : `192.0.2.${tries % 256}`)
    expect([codeOf(RIGHT), codeOf(RIGHT, '192.0.2.9')]).toEqual(['signed in', 'signed in'])
    expect(codeOf(WRONG)).toBe('rate_limited')
  })
})
