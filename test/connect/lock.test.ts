// Connections are changed by one at a time, whoever asks for it: the command line and a gateway that runs are two processes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { connectTool, disconnectAll, disconnectTool, launchTool, previewDisconnect } from '#connect/tools.ts'
import { lockConnections } from '#store/lock.ts'
import { closeWorkshops, openWorkshop, wish } from './workshop.ts'

afterEach(closeWorkshops)

const WISH = wish('claude-code')
const LOCK_FILE = join(import.meta.dirname, '../../src-main/store/lock.ts')

describe('while somebody else connects a tool', () => {
  it('nothing is connected, launched or disconnected, and no key is made', async () => {
    const workshop = openWorkshop()
    const held = await workshop.lock()
    const refused = { reason: 'busy', message: expect.stringContaining('Try again') as string }
    await expect(connectTool(workshop, WISH)).rejects.toMatchObject(refused)
    await expect(launchTool(workshop, WISH)).rejects.toMatchObject(refused)
    await expect(disconnectTool(workshop, 'claude-code')).rejects.toMatchObject(refused)
    expect(workshop.gateway.asked).toEqual([])
    expect(existsSync(join(workshop.home, '.claude'))).toBe(false)
    held?.release()
    await connectTool(workshop, WISH)
    expect(workshop.gateway.asked).toEqual(['create claude-code in team'])
  })

  it('a preview can be looked at', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, WISH)
    const held = await workshop.lock()
    expect(
      (await connectTool(workshop, { ...WISH, models: { model: 'gpt-5-mini' }, isDryRun: true })).changes,
    ).toHaveLength(1)
    expect((await previewDisconnect(workshop, 'claude-code')).changes).toHaveLength(1)
    held?.release()
  })

  it('taking all connections back says which of them stays', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, WISH)
    const held = await workshop.lock()
    const [left] = await disconnectAll(workshop)
    expect(left?.problems).toEqual([expect.stringContaining('Try again')])
    held?.release()
    expect((await disconnectAll(workshop)).flatMap(({ problems }) => problems)).toEqual([])
  })
})

it('of two that connect at once one is refused, and what is left is a whole connection', async () => {
  const workshop = openWorkshop()
  const both = await Promise.allSettled([connectTool(workshop, WISH), connectTool(workshop, WISH)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(workshop.gateway.made).toHaveLength(1)
  const settings = readFileSync(join(workshop.home, '.claude', 'settings.json'), 'utf8')
  expect(JSON.parse(settings)).toMatchObject({ env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:3273' } })
})

it('a process that is killed leaves no lock behind', async () => {
  const { dataDir } = openWorkshop()
  const code = `
    const { lockConnections } = await import(${JSON.stringify(LOCK_FILE)})
    globalThis.held = lockConnections(${JSON.stringify(dataDir)})
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(other.stdout, 'data')
  expect(lockConnections(dataDir)).toBeUndefined()
  other.kill('SIGKILL')
  await once(other, 'exit')
  const lock = lockConnections(dataDir)
  expect(lock).toBeDefined()
  lock?.release()
})
