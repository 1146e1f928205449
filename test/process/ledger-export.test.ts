// The export as its users make it, beside a gateway that runs and on a folder where none does, read by the other program.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { needs } from '../requirements.ts'
import { postChat } from '../support/chat.ts'
import { endProcesses, farebox, startProcess, temporaryFolder } from '../support/process.ts'

const PROGRAM = join(import.meta.dirname, '..', 'recompute', 'recompute.py')

let folder: string
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder, 'data')
})

afterEach(endProcesses)

function recompute(file: string) {
  const result = spawnSync('python3', [PROGRAM, file], { encoding: 'utf8' })
  return { code: result.status, said: result.stdout + result.stderr }
}

it(
  'is the same beside a gateway that runs and without one, and agrees with the other program',
  needs('python3'),
  async () => {
    const program = await startProcess({ dataDir })
    const key = program.firstKey ?? ''
    for (let call = 0; call < 3; call++) {
      const response = await postChat({ url: program.url, key }, { model: 'demo-chat' })
      expect(response.status).toBe(200)
      await response.text()
    }
    const beside = await farebox(['ledger', 'export'], { dataDir })
    expect(beside).toMatchObject({ code: 0, stderr: '' })
    await program.stop()
    const file = join(folder, 'books.jsonl')
    const without = await farebox(['ledger', 'export', file, '--json'], { dataDir })
    expect(without).toMatchObject({ code: 0, stdout: `${JSON.stringify({ file })}\n` })
    const linesOf = (text: string) => text.split('\n').slice(1)
    expect(linesOf(readFileSync(file, 'utf8'))).toEqual(linesOf(beside.stdout))
    expect(beside.stdout).not.toContain(key)
    expect(recompute(file)).toEqual({ code: 0, said: 'agrees: 1 keys, 7 entries, 3 usage records, 1 balances\n' })
    expect(readdirSync(folder).toSorted()).not.toContain('books.jsonl.new')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)

it('makes no database where there is none, and leaves what is at the place of the file', async () => {
  const file = join(folder, 'books.jsonl')
  writeFileSync(file, 'something else')
  const ran = await farebox(['ledger', 'export', file], { dataDir })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain('There is no database of Farebox')
  expect(existsSync(dataDir)).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe('something else')
})
