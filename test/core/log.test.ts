import { describe, expect, it } from 'vitest'
import { openLog, type LogOptions } from '#core/log.ts'

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { lines, log: openLog({ format: 'json', level: 'info', nowMs: () => 0, write, ...options }) }
}

const parsed = (line: string | undefined) => JSON.parse(line ?? '') as Record<string, unknown>

describe('the log', () => {
  it('writes a sentence as it is where people read it', () => {
    const { lines, log } = logged({ format: 'text' })
    log('The ledger is fine.', { event: 'note', fields: { secret_of_nobody: 1 } })
    expect(lines).toEqual(['The ledger is fine.\n'])
  })

  it('writes one line of JSON with a time, a level, the name of the event and its fields', () => {
    const { lines, log } = logged()
    log('Made a backup.', { event: 'backup_made', fields: { bytes: 4096, name: 'farebox.db' } })
    const expected = {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'backup_made',
      message: 'Made a backup.',
    }
    expect(lines).toHaveLength(1)
    expect(parsed(lines[0])).toEqual({ ...expected, bytes: 4096, name: 'farebox.db' })
  })

  it.each([
    ['error', ['error']],
    ['warning', ['error', 'warning']],
    ['info', ['error', 'warning', 'info']],
  ] as const)('leaves out what is less grave than %s', (level, expected) => {
    const { lines, log } = logged({ level })
    for (const own of ['error', 'warning', 'info'] as const) log(own, { event: 'note', level: own })
    expect(lines.map((line) => parsed(line)['level'])).toEqual(expected)
  })

  it.each([
    ['a line break', 'one\ntwo'],
    ['a carriage return', 'one\rtwo'],
    ['an escape sequence', '\u001b[2Jgone'],
    ['a control character of the second set', 'a\u009b2Jb'],
    ['a turn of direction', 'a\u202eb'],
    ['a line separator', 'a\u2028b'],
  ])('lets %s neither begin a line nor act on a terminal', (_, text) => {
    for (const format of ['text', 'json'] as const) {
      const { lines, log } = logged({ format })
      log(text, { event: 'note', fields: { text } })
      expect(lines.join('').trimEnd()).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
      expect(lines).toHaveLength(1)
    }
  })

  it('bounds what it repeats', () => {
    const { lines, log } = logged()
    log('said', { event: 'note', fields: { long: 'x'.repeat(100_000) } })
    expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThan(1000)
    log('y'.repeat(100_000))
    expect(Buffer.byteLength(lines[1] ?? '')).toBeLessThan(3000)
  })
})
