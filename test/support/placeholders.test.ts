import { describe, expect, it } from 'vitest'
import { replaceTexts } from './placeholders.ts'
import { readRecordings, textOf } from './recording.ts'

describe('replaceTexts', () => {
  it('takes texts, reasoning and seals out, and keeps the words of the format', () => {
    const body = '{"type":"text","role":"assistant","text":"Grüße, 世界 😀 42!","signature":"aB3+/=="}'
    expect(replaceTexts(body)).toBe(
      '{"type":"text","role":"assistant","text":"Xxææx, 世世 😀 11!","signature":"xX1+/=="}',
    )
  })

  it('replaces a text that comes in pieces as it replaces the whole', () => {
    const pieces = ['The we', 'ather in Bern', '!']
    const replaced = pieces.map((piece) => textIn(replaceTexts(JSON.stringify({ delta: piece }))))
    expect(replaced.join('')).toBe(textIn(replaceTexts(JSON.stringify({ delta: pieces.join('') }))))
  })

  it('gives each id another one of its length, the same wherever it stands', () => {
    const body = '{"id":"call_abc123","item":{"call_id":"call_abc123"},"item_id":"call_def456"}'
    const ids = [...replaceTexts(body).matchAll(/"(call_\w{6})"/g)].map(([, id]) => id)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
    expect(replaceTexts(body)).not.toMatch(/abc|def/)
    expect(replaceTexts(body)).toHaveLength(body.length)
  })

  it('leaves JSON inside of a text valid', () => {
    const inner = JSON.stringify({ town: 'Bern "centre"\n', count: 10, isOpen: true, a: null, it: '\u0007' })
    const replaced = JSON.parse(replaceTexts(JSON.stringify({ arguments: inner }))) as { readonly arguments: string }
    expect(JSON.parse(replaced.arguments)).toEqual({
      xxxx: 'Xxxx "xxxxxx"\n',
      xxxxx: 11,
      xxXxxx: true,
      x: null,
      xx: '\u0007',
    })
  })

  it('keeps what an error says and takes names of accounts and keys out of it', () => {
    const message =
      'The maximum context length is 4096 tokens for org-AbCd1234EfGh, key sk-proj-1234567890, ada@example.com.'
    const replaced = replaceTexts(JSON.stringify({ error: { message } }))
    expect(replaced).toContain('The maximum context length is 4096 tokens for ')
    expect(replaced).not.toMatch(/AbCd|1234567|ada@|example/)
  })

  it('keeps the length of every recorded answer, and what it is made of', () => {
    for (const [file, recording] of readRecordings()) {
      const text = textOf(recording)
      const replaced = replaceTexts(text)
      expect(Buffer.byteLength(replaced), file).toBe(Buffer.byteLength(text))
      expect(replaced.replace(/"(?:[^"\\]|\\.)*"/g, '""'), file).toBe(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))
    }
  })
})

function textIn(body: string): string {
  return (JSON.parse(body) as { readonly delta: string }).delta
}
