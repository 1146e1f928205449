// Golden files: what a pair makes of each case, in files that are read and reviewed like code. One file holds many cases;
// each is a test of its own, so that a difference shows the case and its lines. `UPDATE_GOLDEN=1` writes the files anew.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

export const isUpdating = process.env['UPDATE_GOLDEN'] === '1'

const FOLDER = join(import.meta.dirname, '../golden')
const HEADING = /^=== (.+) ===$/

/** Declares a test for each case of one file. A case that cannot be made fails alone. */
export function goldenFile(file: string, cases: readonly string[], make: (name: string) => string): void {
  const path = join(FOLDER, file)
  if (isUpdating) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, cases.map((name) => `=== ${name} ===\n${make(name)}\n`).join('\n'))
  }
  const known = sections(readOrNothing(path))
  describe(`test/golden/${file}`, () => {
    it.each(cases)('%s', (name) => {
      expect(make(name), 'differs from its golden file: run with UPDATE_GOLDEN=1 and review').toBe(known.get(name))
    })

    it('holds no case that is not made any more', () => {
      expect([...known.keys()]).toEqual(cases)
    })
  })
}

/** Declares the test that there are no other golden files than these. */
export function onlyGoldenFiles(files: readonly string[]): void {
  it('there is no golden file that nothing uses', () => {
    const there = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    const unused = there.filter((name) => !files.includes(name))
    if (isUpdating) for (const name of unused) rmSync(join(FOLDER, name))
    else expect(unused).toEqual([])
  })
}

/** One file that is made as a whole. */
export function checkFile(path: string, made: string): void {
  if (isUpdating) writeFileSync(path, made)
  expect(made, 'differs from the file: run with UPDATE_GOLDEN=1 and review').toBe(readOrNothing(path))
}

function sections(text: string): Map<string, string> {
  const found = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const name = HEADING.exec(line)?.[1]
    if (name === undefined) lines.push(line)
    else {
      lines = []
      found.set(name, lines)
    }
  }
  return new Map([...found].map(([name, body]) => [name, trimEnd(body).join('\n')]))
}

function trimEnd(lines: string[]): string[] {
  let end = lines.length
  while (lines[end - 1] === '') end -= 1
  return lines.slice(0, end)
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A missing file differs in every case, and says so.
    return ''
  }
}
