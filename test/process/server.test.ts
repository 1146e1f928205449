// Farebox as a service: what it writes for machines, backups on its schedule, and how it is watched.

import { spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { endProcesses, farebox, launch, startProcess, temporaryFolder } from '../support/process.ts'

const PROBE = join(import.meta.dirname, '..', '..', 'resources', 'server', 'probe.mjs')

let folder: string
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder, 'data')
})
afterEach(() => endProcesses())

type Event = { readonly event: string; readonly level: string } & Readonly<Record<string, unknown>>

/** Every line is one event, or this throws. */
function eventsOf(stderr: string): Event[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
}

describe('events for machines', () => {
  it('say when it listens, what was asked, and when it ends; one JSON object per line', async () => {
    const env = { FAREBOX_LOG: 'json', FAREBOX_LOG_REQUESTS: 'true' }
    const program = await startProcess({ dataDir, env })
    const key = program.firstKey ?? ''
    await (await postChat({ url: program.url, key }, { model: 'demo-chat' })).text()
    await (await fetch(`${program.url}/nothing/of/ours?q=1`)).text()
    expect(await program.stop()).toEqual({ code: 0, signal: null })
    const events = eventsOf(program.stderr())
    expect(events.map(({ event }) => event)).toEqual(['listening', 'request', 'request', 'draining', 'stopped'])
    const [listening, call, unknown] = events
    expect(listening).toMatchObject({ level: 'info', url: program.url })
    expect(call).toMatchObject({ method: 'POST', route: '/v1/chat/completions', status: 200, ended: 'answered' })
    expect(call?.['key_id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(unknown).toMatchObject({ method: 'GET', route: 'none', status: 404, key_id: null })
    expect(program.stderr()).not.toContain('nothing/of/ours')
    expect(program.stderr()).not.toContain(key.slice(4, -4))
  })

  it('say why it could not start', async () => {
    const env = { FAREBOX_LOG: 'json', FAREBOX_METRICS: 'true', FAREBOX_METRICS_TOKEN_FILE: join(folder, 'none') }
    const program = await launch(['start', '--headless', '--port', '0'], { dataDir, env })
    expect((await program.exited).code).toBe(1)
    expect(eventsOf(program.stderr())).toMatchObject([{ event: 'start_failed', level: 'error' }])
  })

  it('have what --config applied, line by line', async () => {
    const config = join(folder, 'farebox.yaml')
    await writeFile(config, 'packages:\n  - name: team\n    type: topup\n    credits: 5\n')
    const program = await startProcess({ dataDir, config, env: { FAREBOX_LOG: 'json', FAREBOX_DEMO: 'false' } })
    expect(program.firstKey).toBeUndefined()
    await program.stop()
    expect(eventsOf(program.stderr()).map(({ event }) => event)).toContain('config_applied')
  })
})

it('sets up no demo and prints no key where that was not wanted', async () => {
  const program = await startProcess({ dataDir, env: { FAREBOX_DEMO: 'false' } })
  expect(program.stdout()).not.toContain('key_')
  expect((await program.admin.call('listKeys', {})).length).toBe(0)
})

describe('backups on a schedule', () => {
  it('are made at the start where one is due, can be restored, and are shown', async () => {
    const backups = join(folder, 'backups')
    await mkdir(backups)
    const env = { FAREBOX_BACKUP_DIR: backups, FAREBOX_BACKUP_EVERY: 'hourly', FAREBOX_BACKUP_KEEP: '2' }
    const program = await startProcess({ dataDir, env })
    const shown = async () => (await program.admin.call('status', {})).backups
    await expect.poll(shown, { timeout: 30_000 }).toMatchObject({ problem: null, every: 'hourly', keep: 2 })
    await expect.poll(() => readdir(backups), { timeout: 30_000 }).toHaveLength(1)
    await expect.poll(async () => (await shown())?.last_at, { timeout: 30_000 }).toMatch(/Z$/)
    const [name = ''] = await readdir(backups)
    expect(name).toMatch(/^farebox-\d{8}T\d{6}Z\.db$/)
    expect((await farebox(['status'], { dataDir })).stdout).toMatch(/backups +hourly, the last /)
    await program.stop()
    const restored = await farebox(['restore', join(backups, name)], { dataDir: join(folder, 'other') })
    expect(restored).toMatchObject({ code: 0 })
  })

  it('that cannot be made are shown as a problem, and calls go on', async () => {
    const env = { FAREBOX_BACKUP_DIR: join(folder, 'not-mounted') }
    const program = await startProcess({ dataDir, env })
    const problem = async () => (await program.admin.call('status', {})).backups?.problem
    await expect.poll(problem).toContain('ENOENT')
    const { attention } = await program.admin.call('overview', {})
    expect(attention).toContainEqual(expect.objectContaining({ kind: 'backup' }))
    expect((await farebox(['status'], { dataDir })).stdout).toContain('ENOENT')
    expect((await fetch(`${program.url}/ready`)).status).toBe(200)
  })
})

describe('the probe', () => {
  const probe = (args: readonly string[], port: string) =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH ?? '', FAREBOX_PORT: port }
      spawn(process.execPath, [PROBE, ...args], { env }).once('exit', resolve)
    })

  it('ends with 0 where the answer is 200, and with 1 where it is not or nobody listens', async () => {
    const program = await startProcess({ dataDir })
    const { port } = new URL(program.url)
    expect(await probe(['/health'], port)).toBe(0)
    expect(await probe(['/ready'], port)).toBe(0)
    await program.admin.call('pause', { body: { minutes: 5 } })
    expect(await probe(['/ready'], port)).toBe(1)
    await program.stop()
    expect(await probe(['/health'], port)).toBe(1)
  })

  it('waits for a start', async () => {
    const first = await startProcess({ dataDir })
    const { port } = new URL(first.url)
    await first.stop()
    const waiting = probe(['/health', '--wait', '60'], port)
    await startProcess({ dataDir, port: Number(port) })
    expect(await waiting).toBe(0)
  })
})

it('says nothing where everything is well and people read it', async () => {
  const program = await startProcess({ dataDir })
  await program.stop()
  expect(program.stderr()).toBe('')
})
