// The real entry of the desktop app with a real gateway in it, on the double of Electron.

import { mkdtempSync, rmSync, statSync, existsSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openApp } from '#main/app.ts'
import { gatewayHost } from '#main/gateway-host.ts'
import { resetElectron, world } from '../support/electron-double.ts'
import { startFarebox, testConfig } from '../support/farebox.ts'
import { clearDesks, click, labels, settle } from './desktop-support.ts'

vi.mock('electron', () => import('../support/electron-double.ts'))

const given = process.argv
let dataDir: string
const servers: Server[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'farebox-main-'))
})

afterEach(async () => {
  process.argv = given
  vi.resetModules()
  clearDesks()
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
  rmSync(dataDir, { recursive: true, force: true })
})

/** Runs the entry as Electron does: it is ready only after the file was run. */
async function run(...flags: string[]): Promise<void> {
  resetElectron({ appData: join(dataDir, 'config') })
  process.argv = ['/electron', '/farebox', '--data-dir', dataDir, ...flags]
  await import('#main/main.ts')
  world.ready()
}

async function takenPort(): Promise<number> {
  // Whoever asks who it is gets no answer.
  const server = createServer((connection) => connection.destroy())
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const status = () => labels()[0] ?? ''

describe('the desktop app', () => {
  it('serves calls, is paused and resumed from the tray, and ends with everything written', async () => {
    await run('--port', '0', '--hidden')
    await expect.poll(status).toMatch(/^Farebox: running at 127\.0\.0\.1:\d+$/)
    const url = `http://${status().split(' ').at(-1)}`
    const call = async () => (await fetch(`${url}/v1/chat/completions`, { method: 'POST' })).status
    expect(await call()).toBe(401)
    click('Pause for an hour')
    await expect.poll(status).toContain('paused until')
    click('Resume')
    await expect.poll(status).toContain('running at')
    expect([world.windows, world.dialogs]).toEqual([[], []])
    click('Quit Farebox')
    await expect.poll(() => world.exits).toEqual([0])
    await expect(call()).rejects.toThrow()
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
    // The folder is free for the next one.
    const next = await openApp(testConfig(dataDir, {}), () => undefined)
    await next.close()
  })

  it('stops and starts its gateway without ending', async () => {
    await run('--port', '0', '--hidden')
    await expect.poll(status).toContain('running at')
    click('Stop')
    await expect.poll(status).toBe('Farebox: stopped')
    click('Start')
    await expect.poll(status).toContain('running at')
    expect(world.exits).toEqual([])
    click('Quit Farebox')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('uses the gateway that runs on the folder, and leaves it running', async () => {
    const running = await startFarebox({ dataDir })
    await run('--hidden')
    await expect.poll(status).toBe(`Farebox: running at ${new URL(running.url).host}`)
    expect(labels()[1]).toBe(`It was started elsewhere (process ${process.pid}).`)
    click('Pause for an hour')
    await expect.poll(async () => (await running.admin.call('status', {})).paused_until).toBeDefined()
    click('Quit (the gateway goes on)')
    await expect.poll(() => world.exits).toEqual([0])
    expect((await fetch(`${running.url}/health`)).status).toBe(200)
    await running.stop()
  })

  it('keeps what Chromium writes in the data folder, which only this user can read', async () => {
    await run('--port', '0', '--hidden')
    expect(world.paths.get('userData')).toBe(join(dataDir, 'window'))
    expect(statSync(join(dataDir, 'crashes')).mode & 0o077).toBe(0)
    await expect.poll(status).toContain('running at')
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('ends with a sentence when a flag is wrong', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await run('--port', 'x')
    await settle()
    expect(world.exits).toEqual([1])
    expect(written.mock.calls.join()).toContain('--port must be a whole number')
    written.mockRestore()
  })

  it('goes on when the port is taken, says by whom, and starts when it is free', async () => {
    const port = await takenPort()
    await run('--port', String(port), '--hidden')
    await expect.poll(() => labels().join()).toContain(`Port ${port} is taken by `)
    expect(world.exits).toEqual([])
    await new Promise((resolve) => servers.pop()?.close(resolve))
    click('Try again')
    await expect.poll(status).toContain(`running at 127.0.0.1:${port}`)
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })
})

describe('the gateway of the desktop', () => {
  it('says so when the folder is in use by one that does not answer', async () => {
    const silent = await openApp(testConfig(dataDir, {}), () => undefined)
    const started = await gatewayHost(testConfig(dataDir, {}), () => undefined).start()
    expect(started).toEqual({ type: 'failed', message: expect.stringContaining('does not answer') })
    await silent.close()
  })

  it('says so when the file to apply has mistakes, and leaves the folder free', async () => {
    const config = { ...testConfig(dataDir, {}), configFile: join(dataDir, 'missing.yaml') }
    const exitCode = process.exitCode
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await gatewayHost(config, () => undefined).start()).toMatchObject({ type: 'failed' })
    written.mockRestore()
    process.exitCode = exitCode
    await (await openApp(testConfig(dataDir, {}), () => undefined)).close()
  })

  it('rejects with the sentence of the gateway when there is no ticket', async () => {
    const started = await gatewayHost({ ...testConfig(dataDir, {}), port: 0 }, () => undefined).start()
    if (started.type !== 'running') throw new Error('it does not run')
    const ticket = await started.gateway.ticket().catch((error: unknown) => error)
    expect(typeof ticket === 'string' || (ticket instanceof Error && ticket.message.length > 0)).toBe(true)
    expect(await started.gateway.read()).toMatchObject({ keys: [], calls: [], status: { state: 'running' } })
    await started.gateway.close()
  })
})
