import { describe, expect, it } from 'vitest'
import { credentialsFor, credentialsText, readCredentials, secretsIn } from '#core/credentials.ts'
import { testProvider } from '../support/provider.ts'

describe('credentials', () => {
  it.each([
    { secret: 'sk-1', headers: {} },
    { secret: undefined, headers: { 'x-a': '1' } },
    { secret: 'sk-1', headers: { 'x-b': '2', 'x-a': '1' } },
    { secret: 'farebox-credentials:', headers: {} },
    { secret: 'farebox-credentials:{"secret":"other","headers":[]}', headers: {} },
  ])('come back from their text: %j', (credentials) => {
    expect(readCredentials(credentialsText(credentials))).toEqual(credentials)
  })

  it('of a secret alone are the secret itself, as it was always kept', () => {
    expect(credentialsText({ secret: 'sk-1', headers: {} })).toBe('sk-1')
  })

  it('are the same text in whatever order they were given', () => {
    const text = (...names: string[]) =>
      credentialsText({ secret: 's', headers: Object.fromEntries(names.map((name) => [name, name])) })
    expect(text('x-b', 'x-a')).toBe(text('x-a', 'x-b'))
  })

  it('tell each secret that is in them', () => {
    expect(secretsIn(credentialsText({ secret: 's', headers: { 'x-a': '1', 'x-b': '2' } }))).toEqual(['s', '1', '2'])
    expect(secretsIn('sk-1')).toEqual(['sk-1'])
    expect(secretsIn('farebox-credentials:no json')).toEqual(['farebox-credentials:no json'])
  })

  it('tell the parts of a secret that has colons in it, but for those that are too short to be secrets', () => {
    const [id, key, token] = ['AKIAFAREBOXEXAMPLE00', 'wJalrXUtnFEMI/K7MDENG', 'IQoJb3JpZ2luX2VjEXAMPLE']
    const secret = `us-east-1:${id}:${key}:${token}`
    expect(secretsIn(credentialsText({ secret, headers: { 'x-a': '1' } }))).toEqual([secret, id, key, token, '1'])
    expect(secretsIn('123456789012345:1234567890123456')).toEqual([
      '123456789012345:1234567890123456',
      '1234567890123456',
    ])
    // A value of a header is looked for as a whole.
    expect(secretsIn(credentialsText({ secret: undefined, headers: { 'x-a': `Basic:${key}` } }))).toEqual([
      `Basic:${key}`,
    ])
  })

  it('are not those of a provider where something is missing', () => {
    const provider = testProvider({ hasSecret: true, headerSecrets: ['x-a', 'constructor'] })
    const text = (headers: Record<string, string>) => credentialsText({ secret: 's', headers })
    expect(credentialsFor(provider, text({ 'x-a': '1' }))).toBeUndefined()
    expect(credentialsFor(provider, undefined)).toBeUndefined()
    expect(
      credentialsFor(provider, credentialsText({ secret: undefined, headers: { 'x-a': '1', constructor: '2' } })),
    ).toBe(undefined)
    expect(credentialsFor(provider, text({ 'x-a': '1', constructor: '2', 'x-gone': '3' }))).toEqual({
      secret: 's',
      headers: { 'x-a': '1', constructor: '2' },
    })
    expect(credentialsFor(testProvider(), undefined)).toEqual({ secret: undefined, headers: {} })
  })
})
