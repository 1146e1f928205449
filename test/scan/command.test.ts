// `farebox scan` as it is typed: what it prints, and that it asks nobody.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cardPrices } from '#catalog/card-prices.ts'
import { run } from '../cli/fake-host.ts'
import { claudeLine, writeLog } from './logs.ts'

const NOW = Date.now()

let homeDir: string

beforeEach(() => {
  homeDir = mkdtempSync(join(tmpdir(), 'farebox-scan-'))
})

afterEach(() => rmSync(homeDir, { recursive: true, force: true }))

function logged(): void {
  const at = new Date(NOW - 3_600_000).toISOString()
  writeLog(homeDir, '.claude/projects/p/a.jsonl', [
    claudeLine({ id: 'a', at, cwd: '/home/ada/shop' }, { input: 1_000_000, output: 100_000 }),
    claudeLine({ id: 'b', at, cwd: '/home/ada/notes' }, { input: 1_000_000, output: 0 }),
    claudeLine({ id: 'c', at, model: 'evil\u001b[31m-model', cwd: '/home/ada/notes' }, { input: 7, output: 8 }),
  ])
}

function scan(...args: readonly string[]) {
  return run(['scan', ...args], { homeDir, priceCard: cardPrices() })
}

describe('farebox scan', () => {
  it('prints what each model would have cost, the sum, and what has no price, without asking a gateway', async () => {
    logged()
    const { stdout, exitCode, requests, store } = await scan()
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^MODEL +CALLS +INPUT +CACHE READ +CACHE WRITE +OUTPUT +USD$/m)
    expect(stdout).toMatch(/^claude-opus-4-6 +2 +2000000 +0 +0 +100000 +12\.50$/m)
    expect(stdout).toMatch(/^evil\ufffd\[31m-model +1 +7 +0 +0 +8 +-$/m)
    expect(stdout).toContain('12.50 USD at the price card of')
    expect(stdout).toContain('left out of the sum: evil\ufffd[31m-model')
    expect(requests).toEqual([])
    expect(store).toEqual([])
  })

  it('adds up by what it is told, and gives programs every row', async () => {
    logged()
    expect((await scan('--by', 'project')).stdout).toMatch(/^shop +1 .* 7\.50\nnotes +2 .* 5\.00$/m)
    const value = JSON.parse((await scan('--json', '--days', '1')).stdout) as { rows: readonly unknown[] }
    expect(value).toMatchObject({ days: 1, total_credits: 12.5, files: { 'claude-code': 1 }, is_partial: false })
    expect(value).toMatchObject({ unpriced: ['evil\u001b[31m-model'], skipped: { lines: 0, files: 0 } })
    expect(value.rows).toHaveLength(3)
    expect(value.rows[2]).toMatchObject({ credits: null, input_tokens: 7 })
  })

  it('says so where there is nothing, and what is wrong with how it was typed', async () => {
    expect((await scan('--days', '7')).stdout).toContain('No tool has written about a call in the last 7 days.')
    mkdirSync(join(homeDir, '.aider'))
    expect((await scan()).stdout).toContain('Used here without counts that could be read: aider\n')
    expect(await scan('--by', 'color')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('project') })
    expect((await scan('--days', '0')).exitCode).toBe(2)
  })
})
