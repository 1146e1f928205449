import { describe, expect, it } from 'vitest'
import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import {
  actionsFor,
  availableMicro,
  choicesOf,
  filteredKeys,
  leftMicro,
  modelFor,
  moveEffect,
} from '#renderer/data/key-list.ts'
import { keyMeant, keyReference } from '#renderer/data/ledger-list.ts'

const AT = '2026-11-21T12:00:00.000Z'
const BALANCE: KeyView['balance'] = {
  total_credits: 50,
  remaining_credits: 41.2,
  used_credits: 8.8,
  held_credits: 0.18,
  cycle_started_at: AT,
  next_reset_at: null,
  total_requests: 3,
  last_used_at: null,
}
const UNLIMITED = { ...BALANCE, total_credits: null, remaining_credits: null }

function key(id: string, change: Partial<KeyView> = {}): KeyView {
  const own = { id, name: id, hint: 'abcd', package: 'team', owner: null, status: 'active', expires_at: null }
  const labels = { tool: null, project: null, tags: [] }
  const times = { created_at: AT, value_since: AT, previous_valid_until: null }
  return { ...own, ...times, ...labels, balance: BALANCE, outlook: null, ...change }
}

function entity(id: string, change: Partial<PackageView> = {}): PackageView {
  const limits = { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null }
  const own = { id, name: id, type: 'monthly', credits: 50, timezone: 'UTC', limits, valid_until: null, keys: 0 }
  return { ...own, models: 'all', created_at: AT, ...change }
}

const KEYS = [
  key('laptop', { owner: 'ada' }),
  key('ci', { status: 'suspended', package: 'daily', hint: 'WXYZ' }),
  key('old', { status: 'revoked' }),
]
const ids = (keys: readonly KeyView[]) => keys.map(({ id }) => id)

describe('the list of keys', () => {
  it('leaves out what is revoked, unless it is asked for', () => {
    expect(ids(filteredKeys(KEYS, {}))).toEqual(['laptop', 'ci'])
    expect(ids(filteredKeys(KEYS, { state: 'revoked' }))).toEqual(['old'])
    expect(ids(filteredKeys(KEYS, { state: 'all' }))).toEqual(['laptop', 'ci', 'old'])
  })

  it('is narrowed down by all filters at once', () => {
    expect(ids(filteredKeys(KEYS, { package: 'daily' }))).toEqual(['ci'])
    expect(ids(filteredKeys(KEYS, { owner: 'ada' }))).toEqual(['laptop'])
    expect(ids(filteredKeys(KEYS, { owner: 'ada', package: 'daily' }))).toEqual([])
    expect(ids(filteredKeys(KEYS, { state: 'suspended', package: 'daily' }))).toEqual(['ci'])
  })

  it('is searched by name, owner and the end of the value', () => {
    expect(ids(filteredKeys(KEYS, { q: 'LAP' }))).toEqual(['laptop'])
    expect(ids(filteredKeys(KEYS, { q: 'ada ' }))).toEqual(['laptop'])
    expect(ids(filteredKeys(KEYS, { q: 'wxyz' }))).toEqual(['ci'])
    expect(ids(filteredKeys(KEYS, { q: 'team' }))).toEqual([])
  })

  it('offers each value of a column once', () => {
    expect(choicesOf(['b', null, 'a', 'b'])).toEqual(['a', 'b'])
  })
})

describe('a key', () => {
  it('has available what was not used and is not held, exactly, and less than nothing with a debt', () => {
    expect(availableMicro(BALANCE)).toBe(41_020_000n)
    expect(availableMicro({ ...BALANCE, total_credits: 0.3, used_credits: 0.1, held_credits: 0.2 })).toBe(0n)
    const debt = { ...BALANCE, total_credits: 0.05, used_credits: 0.0568, remaining_credits: 0, held_credits: 0 }
    expect(availableMicro(debt)).toBe(-6_800n)
    expect(leftMicro(debt)).toBe(-6_800n)
    expect(availableMicro(UNLIMITED)).toBeUndefined()
  })

  it('offers an administrator everything that would not be refused', () => {
    expect(actionsFor(key('a'), 'administrator')).toEqual([
      'suspend',
      'extend',
      'rotate',
      'top-up',
      'adjust',
      'move',
      'label',
      'revoke',
    ])
    expect(actionsFor(key('a', { status: 'suspended' }), 'administrator')[0]).toBe('resume')
    expect(actionsFor(key('a', { status: 'expired' }), 'administrator')).not.toContain('suspend')
    expect(actionsFor(key('a', { balance: UNLIMITED }), 'administrator')).toEqual([
      'suspend',
      'extend',
      'rotate',
      'move',
      'label',
      'revoke',
    ])
  })

  it('offers a member only what stops, resumes and renews it', () => {
    expect(actionsFor(key('a'), 'member')).toEqual(['suspend', 'rotate', 'revoke'])
    expect(actionsFor(key('a', { status: 'suspended' }), 'member')).toEqual(['resume', 'rotate', 'revoke'])
    expect(actionsFor(key('a', { status: 'expired' }), 'member')).toEqual(['revoke'])
  })

  it('offers nothing once it is revoked', () => {
    expect(actionsFor(key('a', { status: 'revoked' }), 'administrator')).toEqual([])
  })

  it('keeps its cycle only between packages of one type', () => {
    expect(moveEffect(entity('a'), entity('b'))).toBe('keeps')
    expect(moveEffect(entity('a'), entity('b', { type: 'daily' }))).toBe('ends')
    expect(moveEffect(entity('a'), entity('a'))).toBeUndefined()
    expect(moveEffect(undefined, entity('b'))).toBeUndefined()
  })

  it('is shown with a chat model that it may call', () => {
    const model = (id: string, change: Partial<ModelView> = {}): ModelView => ({
      id,
      display_name: id,
      kind: 'chat',
      context_window: 1,
      max_output_tokens: 1,
      enabled: true,
      price: null,
      targets: [],
      created_at: AT,
      ...change,
    })
    const models = [model('off', { enabled: false }), model('vectors', { kind: 'embedding' }), model('a'), model('b')]
    expect(modelFor(entity('x'), models)).toBe('a')
    expect(modelFor(entity('x', { models: ['b'] }), models)).toBe('b')
    expect(modelFor(entity('x', { models: ['vectors', 'off'] }), models)).toBeUndefined()
    expect(modelFor(undefined, undefined)).toBeUndefined()
  })
})

describe('a key in an address', () => {
  it('is its name, or its id where the name may be taken by another', () => {
    expect(keyReference(key('id-1', { name: 'ci' }))).toBe('ci')
    expect(keyReference(key('id-1', { name: 'ci', status: 'revoked' }))).toBe('id-1')
  })

  it('means the key that is not revoked where two have the name', () => {
    const keys = [key('id-1', { name: 'ci', status: 'revoked' }), key('id-2', { name: 'ci' })]
    expect(keyMeant(keys, 'ci')?.id).toBe('id-2')
    expect(keyMeant(keys, 'id-1')?.id).toBe('id-1')
    expect(keyMeant(keys.slice(0, 1), 'ci')?.id).toBe('id-1')
    expect(keyMeant(keys, 'other')).toBeUndefined()
    expect(keyMeant(keys, undefined)).toBeUndefined()
  })
})
