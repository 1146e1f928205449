// One parse for one text, and none that is kept for longer than the edit.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { remembered } from '#connect/formats/remembered.ts'

const SOURCES = join(import.meta.dirname, '../../src-main/connect')

it('parses a text once while an edit asks about it, and anew for the next edit', async () => {
  const parsed: string[] = []
  const parse = remembered((text) => parsed.push(text))
  expect([parse('a'), parse('a'), parse('b'), parse('b'), parse('a')]).toEqual([1, 1, 2, 2, 3])
  await Promise.resolve()
  expect(parse('a')).toBe(4)
})

it('does not take what failed for an answer', () => {
  let calls = 0
  const parse = remembered(() => {
    calls += 1
    throw new Error('unreadable')
  })
  expect(() => parse('a')).toThrow('unreadable')
  expect(() => parse('a')).toThrow('unreadable')
  expect(calls).toBe(2)
})

it('keeps no more than one text of an edit with hundreds of members', { timeout: 60_000 }, () => {
  const code = `
    const { JSON_FORMAT } = await import(${JSON.stringify(join(SOURCES, 'formats/json.ts'))})
    const { withMembers } = await import(${JSON.stringify(join(SOURCES, 'edit.ts'))})
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => ['name' + index, [index, {}]])))
    const members = Array.from({ length: 300 }, (_, index) => ({ path: ['new' + index], value: index }))
    process.stdout.write(String(Object.keys(JSON.parse(withMembers(JSON_FORMAT, text, members))).length))`
  const words = ['--max-old-space-size=100', '--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(stdout, stderr.slice(0, 500)).toBe('3300')
})
