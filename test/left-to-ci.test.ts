// The list of what `npm test` leaves to CI names tests that are there, and for each what is left of its promises.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources } from './support/sources.ts'
import { LEFT_FILES, LEFT_TO_CI } from './left-to-ci.ts'

const ROOT = join(import.meta.dirname, '..')
const TESTS = readSources(import.meta.dirname)
  .map(({ path }) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts'))

describe('what is left to CI', () => {
  it('is tests that are there, each named once', () => {
    expect([...LEFT_FILES].filter((path) => !TESTS.includes(path))).toEqual([])
    expect(LEFT_TO_CI.flatMap(({ files }) => files)).toHaveLength(LEFT_FILES.size)
  })

  it.each(LEFT_TO_CI)('is held once by tests that are not left to it: $what', ({ heldBy }) => {
    for (const place of heldBy) {
      const tests = place.endsWith('/')
        ? TESTS.filter((path) => path.startsWith(`test/${place}`))
        : TESTS.filter((path) => path === `test/${place}.test.ts`)
      expect(tests.filter((path) => !LEFT_FILES.has(path))).not.toEqual([])
    }
  })

  it('is run before anything lands or is released', () => {
    const gates = ['.ci/run', '.github/workflows/ci.yml', '.github/workflows/release.yml']
    for (const path of gates.filter((gate) => existsSync(join(ROOT, gate)))) {
      expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(/npm run (--silent )?test:all/)
    }
  })
})
