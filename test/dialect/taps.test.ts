// What is the same for every dialect stands once, and what differs stands in files of the same names.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const CLIENT_FORMATS = ['chat-completions', 'messages', 'responses', 'gemini']

function sources(dialect: string): ReadonlyMap<string, string> {
  const folder = `src-main/dialect/${dialect}`
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]))
}

describe.each(CLIENT_FORMATS)('%s', (dialect) => {
  const files = sources(dialect)

  it('says what its answers mean in its taps', () => {
    expect(files.get('tap-stream.ts')).toContain('implements StreamTap')
    expect(files.get('tap-answer.ts')).toContain(': AnswerTap =')
  })

  it('has no reader of bytes of its own', () => {
    for (const [file, text] of files)
      expect(text, file).not.toMatch(/EventSplitter|WholeAnswer|implements AnswerReader/)
  })

  it('reads and writes why an answer ended in one place', () => {
    const text = files.get('finish-reasons.ts')
    expect(text).toContain('export function readFinish(')
    expect(text).toContain('export function writeFinish(')
  })
})
