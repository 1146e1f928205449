// The table of tokens in the thread that is built. How it is written there decides whether the thread takes 45 MB or 115.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import table from 'gpt-tokenizer/bpeRanks/o200k_base'
import { beforeAll, expect, it } from 'vitest'
import { build } from '../support/built.ts'

const THREAD = join(import.meta.dirname, '../../dist/main/tokenizer-thread.js')
/** A call of JSON.parse with one text, between whichever quotes. */
const PARSED = /JSON\.parse\((`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\)/gs

beforeAll(() => build('main'))

it('is one text of JSON, with the tokens of the library', () => {
  const code = readFileSync(THREAD, 'latin1')
  const [longest = ''] = [...code.matchAll(PARSED)].map(([, text = '']) => text).toSorted((a, b) => b.length - a.length)
  expect(JSON.parse(runInNewContext(longest) as string)).toStrictEqual(table)
  expect(code.length - longest.length).toBeLessThan(200_000)
})
