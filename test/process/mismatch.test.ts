// A ledger that somebody changed, as whoever runs and uses Farebox meets it: after a start, and in what a start did not read.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { summariseNext, summarisedUpTo } from '#ledger/summary.ts'
import { fill } from '../bench/scale-fill.ts'
import { balanceOf, postChat } from '../support/chat.ts'
import { chatModel } from '../support/farebox.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = join(await temporaryFolder(), 'data')
})

afterEach(endProcesses)

function tamper(statement: string): void {
  const db = new Database(join(dataDir, 'farebox.db'))
  db.exec('DROP TRIGGER ledger_entry_no_update')
  expect(db.prepare(statement).run().changes).toBe(1)
  db.close()
}

async function expectNoSpending(program: FareboxProcess, key: string): Promise<void> {
  const target = { url: program.url, key }
  const refused = await postChat(target, { model: 'demo-chat' })
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('The ledger does not add up') as string, type: 'overloaded_error' },
  })
  expect(await balanceOf(target)).toMatchObject({ status: 'active', held_credits: 0 })
  expect(await program.admin.call('usage', {})).toMatchObject({ usage: expect.any(Array) as unknown[] })
  expect(await program.admin.call('status', {})).toMatchObject({ ledger: 'mismatch' })
  const topUp = program.admin.call('topUpKey', { id: 'starter', body: { credits: 5 } })
  await expect(topUp).rejects.toThrow()
  const verified = await farebox(['ledger', 'verify'], { dataDir })
  expect(verified.code).toBe(1)
  expect(verified.stdout).toContain('does not add up')
  expect(program.stderr()).toContain('The ledger does not add up, so no calls are admitted.')
}

/** A first start whose key has made a call. */
async function firstKey(): Promise<string> {
  const program = await startProcess({ dataDir })
  const key = program.firstKey ?? ''
  const answered = await postChat({ url: program.url, key }, { model: 'demo-chat' })
  expect(answered.status).toBe(200)
  await answered.text()
  await program.stop()
  return key
}

it('a flipped amount stops spending at the next start', async () => {
  const key = await firstKey()
  tamper(`UPDATE ledger_entry SET amount_micro = amount_micro + 4096 WHERE kind = 'settle'`)
  await expectNoSpending(await startProcess({ dataDir }), key)
})

it('one among the entries that a start does not read stops spending soon after it', { timeout: 60_000 }, async () => {
  const key = await firstKey()
  const program = await startProcess({ dataDir })
  await program.admin.call('addModel', {
    body: chatModel('bench-chat', { targets: [{ provider: 'demo', model: 'demo-chat' }] }),
  })
  await program.stop()
  fill(dataDir, { keys: 20, calls: 20_000 })
  const db = new Database(join(dataDir, 'farebox.db'))
  expect(summariseNext(db)).toBeGreaterThan(0)
  expect(summarisedUpTo(db)).toBeGreaterThan(32_000)
  db.close()
  const sound = await startProcess({ dataDir })
  await expect.poll(async () => (await sound.admin.call('verifyLedger', {})).ok, { timeout: 20_000 }).toBe(true)
  await sound.stop()
  expect(sound.stderr()).toBe('')
  tamper('UPDATE ledger_entry SET amount_micro = amount_micro + 4096 WHERE seq = 5000')
  const next = await startProcess({ dataDir })
  await expect.poll(async () => (await next.admin.call('status', {})).ledger, { timeout: 20_000 }).toBe('mismatch')
  await expectNoSpending(next, key)
})
