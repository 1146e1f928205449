import { describe, expect, it } from 'vitest'
import { isHintOf, projectKeysIn } from '#bills/project-keys.ts'

describe('the hint of a key', () => {
  it.each<[hint: string | undefined, isOurs: boolean | undefined]>([
    ['sk-proj-ab...wxyz', true],
    ['sk-proj-ab****wxyz', true],
    ['sk-proj-ab…wxyz', true],
    ['************wxyz', true],
    ['sk-proj-ab...abcd', false],
    ['sk-ant-ab...wxyz', false],
    // It says too little, or nothing.
    ['sk-proj-ab...yz', undefined],
    ['sk-proj-ab...', undefined],
    ['wxyz', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s says whether it is of one of our secrets', (hint, isOurs) => {
    expect(isHintOf(hint, ['sk-other-secret-0000', 'sk-proj-abcdefghwxyz'])).toBe(isOurs)
  })

  it('says nothing where there is no secret, and is not taken for one that is shorter than itself', () => {
    expect(isHintOf('sk-proj-ab...wxyz', [])).toBeUndefined()
    expect(isHintOf('sk-proj-ab...b-xyz', ['sk-proj-ab-xyz'])).toBe(false)
  })
})

describe('the list of keys', () => {
  it.each([
    ['is none', 'ok'],
    ['has no data', { has_more: false }],
    ['has something else in it', { data: ['key_a'] }],
    ['has a key without an id', { data: [{ name: 'a' }] }],
  ])('that %s is not read', (_, page) => {
    expect(projectKeysIn(page, 'hint')).toBeUndefined()
  })

  it('names a key by its id where it has no name', () => {
    expect(projectKeysIn({ data: [{ id: 'key_a', name: null }], has_more: true }, 'hint')).toEqual({
      keys: [{ id: 'key_a', name: 'key_a', hint: undefined }],
      hasMore: true,
    })
  })
})
