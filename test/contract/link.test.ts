// What a link may say, and that no text makes it say more.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WIRE_DIALECTS } from '#contract/dialects.ts'
import { isNearAddress, LINK_PROBLEMS, readLink, type FareboxLink } from '#contract/link.ts'

const FINGERPRINT = Array.from({ length: 32 }, () => 'A0').join(':')
const linkOf = (text: string) => {
  const reading = readLink(text)
  return reading.type === 'link' ? reading.link : undefined
}
const problemOf = (text: string) => {
  const reading = readLink(text)
  return reading.type === 'problem' ? reading.problem : undefined
}
const add = (query: string) => `farebox://add-provider?${query}`
const address = (url: string) => add(`base_url=${encodeURIComponent(url)}`)

describe('a link', () => {
  it('proposes a provider by its preset', () => {
    expect(linkOf('farebox://add-provider/?preset=openai&name=My%20OpenAI')).toEqual({
      action: 'add-provider',
      preset: 'openai',
      name: 'My OpenAI',
      baseUrl: undefined,
      dialect: undefined,
    })
  })

  it('proposes a provider by its address, in the spelling that connections are made by', () => {
    const spelled = (url: string) => {
      const link = linkOf(address(url))
      return link?.action === 'add-provider' ? link.baseUrl : undefined
    }
    expect(spelled('https://api.example.com/v1')).toBe('https://api.example.com/v1')
    expect(spelled('http://0x7f.1:8080/v1/')).toBe('http://127.0.0.1:8080/v1')
    expect(spelled('http://2130706433')).toBe('http://127.0.0.1')
    expect(spelled('https://api.exаmple.com')).toBe('https://api.xn--exmple-4nf.com')
  })

  it('proposes an invite by the address of its gateway alone', () => {
    const at = 'farebox://accept-invite?address=https%3A%2F%2F192.168.1.20%3A3274'
    expect(linkOf(`${at}&fingerprint=${encodeURIComponent(FINGERPRINT)}`)).toEqual({
      action: 'accept-invite',
      address: 'https://192.168.1.20:3274',
      fingerprint: FINGERPRINT,
    })
    expect(problemOf(`${at}&code=abc`)).toBe('secret')
    expect(problemOf('farebox://accept-invite?address=http%3A%2F%2F192.168.1.20')).toBe('value')
    expect(problemOf('farebox://accept-invite?address=https%3A%2F%2Fhost%2Fpath')).toBe('value')
    expect(problemOf('farebox://accept-invite')).toBe('value')
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['another scheme', 'https://add-provider?preset=openai', 'form'],
    ['another action', 'farebox://remove-provider?name=x', 'action'],
    ['an action of every object', 'farebox://constructor', 'action'],
    ['capitals', 'FAREBOX://add-provider?preset=openai', 'form'],
    ['a user', 'farebox://a@add-provider?preset=openai', 'form'],
    ['a fragment', 'farebox://add-provider?preset=openai#x', 'form'],
    ['a space', 'farebox://add-provider?preset=openai --flag', 'form'],
    ['a path', 'farebox://add-provider/x?preset=openai', 'form'],
    ['too many characters', add(`name=${'x'.repeat(1001)}`), 'length'],
    ['nothing to propose', 'farebox://add-provider', 'value'],
    ['a member that is unknown', add('preset=openai&network=local'), 'member'],
    ['a member of every object', add('__proto__=x'), 'member'],
    ['a secret', add('preset=openai&secret=abc'), 'secret'],
    ['a key by another name', add('preset=openai&api_key=abc'), 'secret'],
    ['a secret in an address', address('https://api.example.com/sk-ant-abcdefgh1234/v1'), 'secret'],
    ['a secret for a name', add('preset=openai&name=sk-abcdefgh1234'), 'secret'],
    ['a long word that may be one', address(`https://api.example.com/${'a1'.repeat(20)}`), 'secret'],
    ['a member twice', add('preset=openai&preset=groq'), 'value'],
    ['an empty member', add('preset='), 'value'],
    ['a member without a value', add('preset'), 'value'],
    ['what is no UTF-8', add('preset=%ff'), 'value'],
    ['a control character', add('preset=openai&name=a%0ab'), 'value'],
    ['a character that turns the direction', add('preset=openai&name=a%E2%80%AEb'), 'value'],
    ['a character that is drawn as nothing', add('preset=openai&name=a%E2%80%8Bb'), 'value'],
    ['a preset that is no name of one', add('preset=..%2Fx'), 'value'],
    ['a dialect that is unknown', add('preset=openai&dialect=demo'), 'value'],
    ['an address with a user', address('https://api.example.com@evil.example'), 'value'],
    ['an address with a question', address('https://api.example.com/v1?x=1'), 'value'],
    ['an address with a backslash', address('https://api.example.com\\@evil.example'), 'value'],
    ['an address of another kind', address('file:///etc/passwd'), 'value'],
    ['a script', address('javascript:alert(1)'), 'value'],
  ]
  it.each(refused)('with %s is none', (_, text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })
})

describe('an address', () => {
  it('that is no public name is told from one that is', () => {
    const near = ['http://127.0.0.1', 'http://[::1]:1', 'https://10.0.0.1/v1', 'http://nas', 'http://nas.local.']
    expect(near.filter((url) => !isNearAddress(url))).toEqual([])
    expect(['https://api.example.com/v1', 'https://10.example.com'].filter(isNearAddress)).toEqual([])
  })
})

/** What may be in a link at all. */
function isAllowed(link: FareboxLink): boolean {
  const texts = Object.values(link).filter((value) => value !== undefined)
  const urls = link.action === 'add-provider' ? [link.baseUrl ?? []].flat() : [link.address]
  return (
    texts.every((text) => text.length <= 1000 && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text)) &&
    urls.every((url) => {
      const { protocol, username, password, search, hash } = new URL(url)
      return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
    }) &&
    (link.action !== 'add-provider' || link.dialect === undefined || WIRE_DIALECTS.includes(link.dialect))
  )
}

const PARTS = [
  'farebox://',
  'farebox:',
  'add-provider',
  'accept-invite',
  '?',
  '&',
  '=',
  '#',
  '/',
  '@',
  '%00',
  '%E2%80%AE',
  '%2F',
  'preset=openai',
  'base_url=',
  'https%3A%2F%2Fapi.example.com',
  'address=https%3A%2F%2Fhost',
  'fingerprint=',
  'name=',
  'secret=',
  'dialect=messages',
  '\u202e',
  '\0',
  ' ',
  '__proto__',
]

describe('any text', () => {
  it('is read as what a link may say or as a problem, and never fails', () => {
    const part = fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: 'binary', maxLength: 8 }))
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1200 }),
      fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
      fc.array(part, { maxLength: 6 }).map((parts) => `farebox://add-provider?${parts.join('')}`),
    )
    let links = 0
    fc.assert(
      fc.property(text, (given) => {
        const reading = readLink(given)
        if (reading.type === 'problem') return LINK_PROBLEMS.includes(reading.problem)
        links += 1
        return isAllowed(reading.link)
      }),
      { numRuns: 10_000 },
    )
    expect(links).toBeGreaterThan(0)
  })
})
