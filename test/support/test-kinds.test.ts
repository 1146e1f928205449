// Which tests are quick is found by a rule. Here the rule is held against files that are made up, and its outcome against the words
// that stand in the real ones.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources } from './sources.ts'
import { readTestGraph, TestGraph, type TestKind } from './test-kinds.ts'

const TEST = 'test/a.test.ts'

/** The kind of a test with these lines, beside these other files. */
function kindOf(lines: readonly string[], others: Readonly<Record<string, string>> = {}): TestKind | undefined {
  const files = Object.entries({ ...others, [TEST]: lines.join('\n') })
  return new TestGraph(files.map(([path, text]) => ({ path, text }))).kinds().get(TEST)
}

describe('a test', () => {
  it('is fast when nothing that it loads leaves its functions', () => {
    const others = { 'src-main/core/a.ts': "import { join } from 'node:path'" }
    expect(kindOf(["import { a } from '#core/a.ts'", "import fc from 'fast-check'"], others)).toBe('fast')
  })

  it.each(['node:http', 'node:net', 'node:worker_threads', 'better-sqlite3', 'a-package-nobody-knows'])(
    'is not fast when it loads %s',
    (name) => {
      expect(kindOf([`import * as a from '${name}'`])).toBe('shared')
    },
  )

  it('shares a process with others when only the program could start one, however far away', () => {
    const others = {
      'test/support/b.ts': "import { c } from '#app/c.ts'",
      'src-main/app/c.ts': "export const c = () => import('./d.ts')",
      'src-main/app/d.ts': "import { fork } from 'node:child_process'",
    }
    expect(kindOf(["import { b } from './support/b.ts'"], others)).toBe('shared')
  })

  it('shares a process with those that start programs when its helpers start one', () => {
    const others = {
      'test/support/b.ts': "import { c } from './c.ts'",
      'test/support/c.ts': "import { spawn } from 'node:child_process'",
    }
    expect(kindOf(["import { b } from './support/b.ts'"], others)).toBe('programs')
    expect(kindOf(["import { b } from './support/b.ts'", 'vi.useFakeTimers()'], others)).toBe('own')
    expect(kindOf(["vi.mock('electron', () => import('./support/b.ts'))"], others)).toBe('own')
  })

  it.each(["vi.stubEnv('PATH', '')", 'process.chdir(folder)', 'process.memoryUsage()', 'vi.mock("./a.ts")'])(
    'has a process of its own when it says %s',
    (line) => {
      expect(kindOf([line])).toBe('own')
    },
  )

  it('has a process of its own when it stops the clocks and has connections', () => {
    expect(kindOf(["import { connect } from 'node:net'", 'vi.useFakeTimers()'])).toBe('own')
    expect(kindOf(['vi.useFakeTimers()'])).toBe('fast')
  })

  it('is not what it only takes types of, nor what is in its comments', () => {
    const lines = ["import type { Server } from 'node:http'", "// import { spawn } from 'node:child_process'"]
    expect(kindOf(lines)).toBe('fast')
  })
})

describe('the tests of this project', () => {
  const root = join(import.meta.dirname, '..', '..')
  const kinds = readTestGraph(root).kinds()
  const fast = [...kinds].filter(([, kind]) => kind === 'fast').map(([path]) => path)

  it('are all of one kind, and very many are fast', () => {
    const files = readSources(join(root, 'test')).filter(({ path }) => path.endsWith('.test.ts'))
    expect([...kinds.keys()]).toEqual(files.map(({ path }) => `test/${path}`))
    expect(fast.length).toBeGreaterThan(190)
  })

  it('that start the program are not among the fast ones', () => {
    const texts = new Map(readSources(join(root, 'test')).map(({ path, text }) => [`test/${path}`, text]))
    const words = /support\/(process|farebox|upstream)\.ts'|from '(node:)?(child_process|http|net|worker_threads)'/
    const found = fast.filter((path) => words.test((texts.get(path) ?? '').replaceAll(/^import type .*$/gm, '')))
    expect(found).toEqual([])
    expect(fast.filter((path) => path.startsWith('test/process/'))).toEqual([])
  })
})
