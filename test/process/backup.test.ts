// Backup and restore as an administrator meets them: beside calls that run, and into a folder on which nothing runs.

import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { balanceOf, postChat } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let folder: string
let dataDir: string
let file: string
let upstream: Upstream

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder, 'data')
  file = join(folder, 'monday.db')
  upstream = await startUpstream()
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

async function run(...args: string[]) {
  const ran = await farebox([...args, '--json'], { dataDir })
  return { ...ran, value: JSON.parse(ran.stdout || ran.stderr) as Record<string, unknown> }
}

async function start(): Promise<FareboxProcess> {
  const program = await startProcess({ dataDir })
  if (program.firstKey !== undefined) await setUpUpstream(program, upstream.url)
  return program
}

async function newKey({ admin }: FareboxProcess, name: string): Promise<string> {
  return (await admin.call('createKey', { body: { name, package: 'plenty' } })).key
}

async function call(url: string, key: string): Promise<number> {
  const response = await postChat({ url, key })
  await response.text()
  return response.status
}

it(
  'goes the whole way: a backup during calls, a restore, and what it means for keys and holds',
  { timeout: 60_000 },
  async () => {
    const program = await start()
    const leaked = await newKey(program, 'leaked')
    const paused = await newKey(program, 'paused')
    await program.admin.call('suspendKey', { id: 'paused' })
    expect(await call(program.url, leaked)).toBe(200)
    // A call that is running when the backup is made: its hold is in it, and nothing else of it.
    upstream.once({ type: 'endless', delayMs: 5 })
    const running = await postChat({ url: program.url, key: leaked }, { stream: true })
    expect(running.status).toBe(200)
    const made = await run('backup', file)
    expect(made).toMatchObject({
      code: 0,
      value: { file, keys: 3, open_holds: 1, usage_records: 1, without_secrets: ['upstream'] },
    })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    const bytes = readFileSync(file)
    for (const secret of [leaked, paused, 'sk-upstream-secret']) expect(bytes.includes(secret)).toBe(false)

    await running.body?.cancel()
    expect(await call(program.url, leaked)).toBe(200)
    await program.admin.call('revokeKey', { id: 'leaked' })
    await program.admin.call('resumeKey', { id: 'paused' })
    const late = await newKey(program, 'late')
    expect(await run('restore', file)).toMatchObject({
      code: 1,
      value: { error: { type: 'not_restored', message: expect.stringContaining('Another Farebox') as string } },
    })
    expect(await program.stop()).toEqual({ code: 0, signal: null })

    const changed = [
      { name: 'late', before: 'active', after: null },
      { name: 'leaked', before: 'revoked', after: 'active' },
      { name: 'paused', before: 'active', after: 'suspended' },
    ]
    const dry = await run('restore', file, '--dry-run')
    expect(dry).toMatchObject({ code: 0, value: { dry_run: true, kept_as: null, usage_records: 1 } })
    const restored = await run('restore', file)
    expect(restored).toMatchObject({
      code: 0,
      value: { dry_run: false, open_holds: 1, before: { usage_records: 3 }, without_secrets: [] },
    })
    for (const { value } of [dry, restored]) {
      const keys = value['changed_keys'] as { name: string }[]
      expect(keys.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(changed)
    }
    const keptAs = String(restored.value['kept_as'])
    expect(existsSync(keptAs)).toBe(true)
    expect(readdirSync(dataDir)).not.toContain('farebox.db-wal')

    const again = await startProcess({ dataDir })
    expect(again.stderr()).toContain('Released 1 holds of calls that were interrupted')
    expect(await again.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0, usage_records: 2 })
    expect(await balanceOf({ url: again.url, key: leaked })).toMatchObject({ used_credits: 0.000039, held_credits: 0 })
    expect([await call(again.url, leaked), await call(again.url, paused), await call(again.url, late)]).toEqual([
      200, 403, 401,
    ])
    await again.stop()

    // What was there can be had back.
    expect(await run('restore', keptAs)).toMatchObject({ code: 0 })
    const back = await startProcess({ dataDir })
    expect([await call(back.url, leaked), await call(back.url, paused), await call(back.url, late)]).toEqual([
      403, 200, 200,
    ])
  },
)

it('names what another machine lacks', { timeout: 60_000 }, async () => {
  const program = await start()
  const key = await newKey(program, 'laptop')
  const asKey = await fetch(`${program.url}/api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file }),
  })
  expect(asKey.status).toBe(401)
  const relative = program.admin.call('backUp', { body: { file: 'monday.db' } })
  await expect(relative).rejects.toMatchObject({ status: 400, param: 'file' })
  expect(readdirSync(folder)).toEqual(['data'])
  expect(await run('backup', file)).toMatchObject({ code: 0 })
  await program.stop()
  dataDir = join(folder, 'another-machine')
  expect(await run('restore', file)).toMatchObject({ code: 0, value: { kept_as: null, without_secrets: ['upstream'] } })
  const there = await startProcess({ dataDir })
  expect(await call(there.url, key)).toBe(502)
  await there.admin.call('setProviderSecret', { id: 'upstream', body: { secret: 'sk-upstream-secret' } })
  expect(await call(there.url, key)).toBe(200)
})

it('is made without a gateway too, and never in the place of something else', { timeout: 60_000 }, async () => {
  await (await start()).stop()
  expect(await run('backup', file)).toMatchObject({ code: 0, value: { keys: 1 } })
  expect(await run('backup', file)).toMatchObject({ code: 1, value: { error: { code: 409 } } })
  expect(await run('backup', file, '--force')).toMatchObject({ code: 0 })
  writeFileSync(file, 'my diary')
  expect(await run('backup', file, '--force')).toMatchObject({ code: 1 })
  expect(readFileSync(file, 'utf8')).toBe('my diary')
  expect(await run('backup', join(dataDir, 'farebox.db'), '--force')).toMatchObject({ code: 1 })
  // A path is meant from where the command runs, which here is the folder beside the data.
  expect(await run('backup', 'tuesday.db')).toMatchObject({ value: { file: join(folder, 'tuesday.db') } })
})

it('is taken while calls come and go, and each copy is sound by itself', { timeout: 60_000 }, async () => {
  const program = await start()
  const key = await newKey(program, 'busy')
  let isOver = false
  let answered = 0
  const caller = async () => {
    for (; !isOver; answered += 1) expect(await call(program.url, key)).toBe(200)
  }
  const callers = Array.from({ length: 4 }, caller)
  const copies: number[] = []
  for (let copy = 0; copy < 2; copy++) {
    const path = join(folder, `copy-${copy}.db`)
    const before = answered
    const made = await program.admin.call('backUp', { body: { file: path } })
    // What was answered before the backup began is in it.
    expect(made.usage_records).toBeGreaterThanOrEqual(before)
    copies.push(made.usage_records)
  }
  isOver = true
  await Promise.all(callers)
  expect(copies.at(-1)).toBeGreaterThan(copies[0] ?? Infinity)
  await program.stop()
  for (const copy of copies.keys()) {
    const place = join(folder, `restored-${copy}`)
    const restored = await farebox(['restore', join(folder, `copy-${copy}.db`), '--json'], { dataDir: place })
    expect(JSON.parse(restored.stdout)).toMatchObject({ usage_records: copies[copy] })
    const copied = await farebox(['ledger', 'verify', '--json'], { dataDir: place })
    // Calls that ran then have their holds in it, which the next start releases.
    expect(JSON.parse(copied.stdout)).toMatchObject({ ok: true, problems: [] })
  }
  const place = join(folder, `restored-${copies.length - 1}`)
  await farebox(['key', 'list'], { dataDir: place })
  const verified = await farebox(['ledger', 'verify', '--json'], { dataDir: place })
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, open_holds: 0 })
})

it('completes a restore at the start that a crash interrupted', { timeout: 60_000 }, async () => {
  const program = await start()
  const early = await newKey(program, 'early')
  await run('backup', file)
  const late = await newKey(program, 'late')
  program.kill('SIGKILL')
  await program.exited
  // Where a crash leaves things right after a restore was decided.
  cpSync(file, join(dataDir, 'farebox.restored-20270115T080000000Z.db'))
  const next = await startProcess({ dataDir })
  expect(next.stderr()).toContain('Completed the restore of a backup that had been interrupted.')
  expect([await call(next.url, early), await call(next.url, late)]).toEqual([200, 401])
  expect(readdirSync(dataDir)).toContain('farebox.before-restore-20270115T080000000Z.db')
})
