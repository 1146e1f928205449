// That no secret of a provider passes, however it is written and wherever a body is cut, and that nothing else is touched.

import { describe, expect, it } from 'vitest'
import { secretsIn } from '#core/credentials.ts'
import { redactionFor, type Redaction } from '#provider/redaction.ts'
import { cases } from '../support/cases.ts'

const SECRETS = {
  'of OpenAI': 'sk-proj-4fT9aXq_Zk2-Lr8wVn0sPbYcDe7HgMjU',
  'of Anthropic': `sk-ant-api03-${'aB3_xY-9'.repeat(11)}AA`,
  'a web token': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'dBjftJeZ4CVP'.repeat(3)}`,
  'with signs': 'p4ss/w+rd==&"<k>\\#9%20',
  'with letters beyond ASCII': 'schlüssel-größe-42-ÿ',
  short: 'hunter-22',
  'of 10,000 characters': `sk-${'0aZ9'.repeat(2500)}`.slice(0, 10_000),
}

const escaped = (secret: string, write: (character: string) => string) => Array.from(secret, write).join('')
const hex = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, '0')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** How a provider may write a secret. */
const WRITTEN: Record<string, (secret: string) => string> = {
  'as it is': (secret) => secret,
  'behind Bearer': (secret) => `Bearer ${secret}`,
  'in a URL': encodeURIComponent,
  'in a URL in small letters': (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'in a URL, every character': (secret) =>
    Array.from(Buffer.from(secret), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'in JSON': (secret) => JSON.stringify(secret),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)),
  'in JSON with escaped slashes': (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
  'in JSON, every character': (secret) => escaped(secret, (character) => `\\u${hex(character, 4)}`),
  'in HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in HTML, every character': (secret) => escaped(secret, (character) => `&#x${hex(character, 2)};`),
  'in base64': base64,
  'in base64 behind Bearer': (secret) => base64(`Bearer ${secret}`),
  'in base64 behind a user': (secret) => base64(`user:${secret}`),
  'in base64 before a colon': (secret) => base64(`${secret}:`),
  'in base64 of URLs': (secret) => Buffer.from(`x:${secret}`).toString('base64url'),
  'in base64 in a URL': (secret) => encodeURIComponent(base64(secret)),
  'in base64 with escaped slashes': (secret) => base64(`ab${secret}`).replaceAll('/', '\\/'),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in hexadecimal in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
}

function redaction(...secrets: string[]): Redaction {
  const made = redactionFor(secrets)
  if (made === undefined) throw new Error('there is nothing to look for')
  return made
}

/** What becomes of a body that comes in these pieces. */
function passed(redactor: Redaction, pieces: readonly Buffer[], isError: boolean): string {
  const body = redactor.body(isError)
  const out = pieces.map((piece) => body.push(piece)).concat([body.end()])
  return Buffer.concat(out.filter((piece) => piece !== undefined)).toString()
}

const MAX_CUTS = cases(50, 200, 1000)

/** About that many places to cut a body at, all of a short one. */
function cuts({ length }: Buffer): number[] {
  const step = Math.max(1, Math.floor(length / MAX_CUTS))
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step)
}

const SPELLINGS = Object.keys(SECRETS).flatMap((name) => Object.keys(WRITTEN).map((how) => [name, how] as const))

describe('a secret', () => {
  it.each(SPELLINGS)('%s, written %s, is taken out wherever the body is cut', (name, how) => {
    const secret = SECRETS[name as keyof typeof SECRETS]
    const written = WRITTEN[how]?.(secret) ?? ''
    const redactor = redaction(secret)
    const body = Buffer.from(`{"error":"No access with ${written} here, ünd nowhere."}\n\n`)
    const whole = passed(redactor, [body], false)
    expect(whole).toMatch(/^\{"error":"No access with [^,]{0,40}\[secret\][^,]{0,4} here, ünd nowhere\."\}\n\n$/)
    expect(redactor.text(body.toString(), true)).toBe(whole)
    for (const cut of cuts(body)) {
      const pieces = [body.subarray(0, cut), body.subarray(cut)]
      expect(passed(redactor, pieces, cut % 2 === 0), `cut at ${cut}`).toBe(whole)
    }
  })

  it('is taken out of a body that comes byte by byte', () => {
    const secret = SECRETS['of OpenAI']
    const body = Buffer.from(`a ${secret}, "${secret}" and ${secret}`)
    const bytes = Array.from(body, (byte) => Buffer.from([byte]))
    expect(passed(redaction(secret), bytes, true)).toBe('a [secret], "[secret]" and [secret]')
  })

  it('is taken out where only its beginning is shown', () => {
    const secret = SECRETS['of Anthropic']
    const { text } = redaction(secret)
    expect(text(`wrong key ${secret.slice(0, 16)}`, true)).toBe('wrong key [secret]')
    expect(text(`wrong key ${secret.slice(0, 24)}...`, true)).toBe('wrong key [secret]...')
    expect(text(`wrong key ${secret.slice(0, 8)}...${secret.slice(-4)}`, true)).toContain(secret.slice(-4))
  })

  it('is taken out together with those that it replaced', () => {
    const [now, before] = [SECRETS['of OpenAI'], SECRETS['a web token']]
    expect(redaction(now, before).text(`not ${before} but ${now}`, false)).toBe('not [secret] but [secret]')
  })

  it('is taken out of headers', () => {
    const secret = SECRETS['of OpenAI']
    const headers = { 'x-seen': `Bearer ${secret}`, 'set-cookie': ['a=b', `key=${secret}`], 'x-none': undefined }
    expect(redaction(secret).headers(headers)).toEqual({
      'x-seen': 'Bearer [secret]',
      'set-cookie': ['a=b', 'key=[secret]'],
      'x-none': undefined,
    })
  })

  it('of a few letters is a word of its own, and looked for in errors alone', () => {
    const { text } = redaction('mine')
    expect(text('the key mine is wrong; mined or un-mine', true)).toBe('the key [secret] is wrong; mined or un-mine')
    expect(text('that is mine', false)).toBe('that is mine')
  })

  it('that is the name of a program is left in answers', () => {
    const { text } = redaction('lm-studio')
    expect(text('use lm-studio', false)).toBe('use lm-studio')
    expect(text('the key lm-studio is wrong', true)).toBe('the key [secret] is wrong')
  })

  it('that is made of parts is taken out part by part, and what is no secret in it stays', () => {
    const [id, key] = ['AKIAFAREBOXEXAMPLE00', SECRETS['with signs']]
    const { text } = redaction(...secretsIn(`us-east-1:${id}:${key}:of-15-characters`.slice(0, -1)))
    const said = 'us-east-1 is a region, and of-15-character no more than a word'
    for (const isError of [true, false]) {
      expect(text(said, isError)).toBe(said)
      expect(text(`${id} and ${key} in us-east-1`, isError)).toBe('[secret] and [secret] in us-east-1')
    }
  })

  it('of up to three characters is not looked for', () => {
    expect(redactionFor(['sk'])).toBeUndefined()
    expect(redactionFor([])).toBeUndefined()
  })
})

describe('what holds no secret', () => {
  const redactor = redaction(...Object.values(SECRETS))

  it('passes as the very bytes that came', () => {
    const event = Buffer.from('data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n')
    const body = redactor.body(false)
    expect(body.push(event)?.equals(event)).toBe(true)
    expect(body.end()).toBeUndefined()
    const headers = { 'content-type': 'application/json' }
    expect(redactor.headers(headers)).toBe(headers)
  })

  it('is all there, wherever it is cut, whatever bytes it is made of', () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 31) % 256))
    for (const cut of cuts(bytes)) {
      const body = redactor.body(true)
      const out = [body.push(bytes.subarray(0, cut)), body.push(bytes.subarray(cut)), body.end()]
      expect(Buffer.concat(out.filter((piece) => piece !== undefined)).equals(bytes)).toBe(true)
    }
  })

  it('is passed on at once where a line ends, and held back for no more than the length of a secret', () => {
    const { body } = redaction(SECRETS['of OpenAI'])
    const stream = body(false)
    expect(stream.push(Buffer.from('data: sk-proj\n'))?.toString()).toBe('data: sk-proj\n')
    const long = Buffer.alloc(100_000, 'a')
    expect(stream.push(long)?.length).toBeGreaterThan(99_000)
  })

  it('is told from a secret that begins like thousands of others', () => {
    const other = 'eyJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoiQm9iIn0.c2lnbmF0dXJl and sk-ant-api03- and sk-proj-4fT9'
    expect(redactor.text(other, true)).toBe(other)
  })
})
