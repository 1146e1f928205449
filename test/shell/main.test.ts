// The real entry of the desktop app with a real gateway in it, on the double of Electron.

import { mkdirSync, mkdtempSync, rmSync, statSync, existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openApp } from '#app/open.ts'
import { gatewayHost } from '#hosts/gateway-host.ts'
import { resetElectron, world, type World } from '../support/electron-double.ts'
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
function run(...flags: string[]): Promise<void> {
  return runWords('--data-dir', dataDir, ...flags)
}

function runWords(...words: string[]): Promise<void> {
  return runAs({}, ...words)
}

async function runAs(changes: Partial<World>, ...words: string[]): Promise<void> {
  resetElectron({ appData: join(dataDir, 'config'), ...changes })
  const program = changes.isPackaged === true ? ['/farebox'] : ['/electron', '/farebox']
  process.argv = [...program, ...words]
  await import('#hosts/desktop.ts')
  world.ready()
}

/** What the entry prints, to both ways out. */
function printed() {
  const written = { out: '', err: '' }
  const take = (name: 'out' | 'err') => (text: unknown, done?: unknown) => {
    written[name] += String(text)
    if (typeof done === 'function') done()
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('err')),
  ]
  return { written, stop: () => spies.forEach((spy) => spy.mockRestore()) }
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
/** Each start loads the whole program anew. */
const BUSY = { timeout: 15_000 }

describe('the desktop app', () => {
  it('serves calls, is paused and resumed from the tray, and ends with everything written', async () => {
    await run('--port', '0', '--hidden')
    await expect.poll(status, BUSY).toMatch(/^Farebox: running at 127\.0\.0\.1:\d+$/)
    const url = `http://${status().split(' ').at(-1)}`
    const call = async () => (await fetch(`${url}/v1/chat/completions`, { method: 'POST' })).status
    expect(await call()).toBe(401)
    click('Pause for an hour')
    await expect.poll(status, BUSY).toContain('paused until')
    click('Resume')
    await expect.poll(status, BUSY).toContain('running at')
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
    await expect.poll(status, BUSY).toContain('running at')
    click('Stop')
    await expect.poll(status, BUSY).toBe('Farebox: stopped')
    click('Start')
    await expect.poll(status, BUSY).toContain('running at')
    expect(world.exits).toEqual([])
    click('Quit Farebox')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('uses the gateway that runs on the folder, and leaves it running', async () => {
    const running = await startFarebox({ dataDir })
    await run('--hidden')
    await expect.poll(status, BUSY).toBe(`Farebox: running at ${new URL(running.url).host}`)
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
    await expect.poll(status, BUSY).toContain('running at')
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('goes on when whoever reads what it writes is gone', async () => {
    await run('--port', '0', '--hidden')
    await expect.poll(status).toContain('running at')
    for (const stream of [process.stdout, process.stderr]) {
      expect(stream.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }))).toBe(true)
    }
    await settle()
    expect(world.exits).toEqual([])
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('from a clone looks for no updates and opens no links, and says why', async () => {
    await run('--port', '0', '--hidden')
    await expect.poll(() => labels()).toContain('No updates here: it runs from a clone, which git updates')
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('from a package that nobody released looks for no updates either', async () => {
    await runAs(
      { isPackaged: true, appPath: join(import.meta.dirname, '..', '..') },
      '--data-dir',
      dataDir,
      '--port',
      '0',
      '--hidden',
    )
    await expect.poll(() => labels()).toContain('No updates here: this build has no feed')
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('from a release looks at its feed when asked, and opens what is below the place of the project', async () => {
    const release = { place: 'https://127.0.0.1:9/farebox', feed: 'https://127.0.0.1:9/feed/', public_keys: [] }
    const rest = { code_signed: false, publisherName: [], updaterCacheDirName: 'farebox-updater' }
    mkdirSync(join(dataDir, 'app', 'resources'), { recursive: true })
    writeFileSync(join(dataDir, 'app', 'resources', 'release.json'), JSON.stringify({ ...release, ...rest }))
    await runAs({ isPackaged: true, appPath: join(dataDir, 'app') }, '--data-dir', dataDir, '--port', '0', '--hidden')
    await expect.poll(() => labels()).toContain('Check for updates')
    click('Check for updates')
    await expect.poll(() => labels()).toContain('The look for updates failed. Is there a connection?')
    await expect.poll(status).toContain('running at')
    click('Open dashboard')
    await expect.poll(() => world.windows.length).toBe(1)
    world.windows[0]?.webContents.openHandler?.({ url: 'https://127.0.0.1:9/farebox/issues' })
    expect(world.opened).toEqual(['https://127.0.0.1:9/farebox/issues'])
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })

  it('says the code, not the message, of what kept it from starting', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    writeFileSync(join(dataDir, 'file'), '')
    await runWords('--data-dir', join(dataDir, 'file', 'below'))
    await expect.poll(() => world.exits).toEqual([1])
    expect(written.mock.calls.join()).toContain('Farebox could not start (ENOTDIR).')
    written.mockRestore()
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
    await expect.poll(status, BUSY).toContain(`running at 127.0.0.1:${port}`)
    click('Quit')
    await expect.poll(() => world.exits).toEqual([0])
  })
})

describe('the command line of a package', () => {
  const SIGNALS = ['SIGTERM', 'SIGINT'] as const

  it('runs a command without icon or window, away from the folder of an app that runs', async () => {
    const { written, stop } = printed()
    await runWords('--', 'provider', 'list', '--json', '--data-dir', dataDir)
    await expect.poll(() => world.exits).toEqual([0])
    stop()
    expect(JSON.parse(written.out)).toEqual([])
    expect([world.trays, world.windows, world.menu]).toEqual([[], [], null])
    expect(world.hasHardwareAcceleration).toBe(false)
    const chromium = world.paths.get('userData') ?? ''
    expect(chromium).toContain('farebox-command-')
    expect(existsSync(chromium)).toBe(false)
  })

  it('asks the gateway that runs on the folder', async () => {
    const running = await startFarebox({ dataDir })
    const { written, stop } = printed()
    await runWords('--ozone-platform=headless', '--', 'status', '--json', '--data-dir', dataDir)
    await expect.poll(() => world.exits).toEqual([0])
    stop()
    expect(JSON.parse(written.out)).toMatchObject({ url: running.url })
    await running.stop()
  })

  it.each([
    ['a verb that is none', ['--', 'fly'], 2],
    ['no verb', ['--'], 0],
    ['help for the start', ['start', '--help'], 0],
  ])('ends with its exit code on %s', async (_name, words, exitCode) => {
    const { stop } = printed()
    await runWords(...words)
    await expect.poll(() => world.exits).toEqual([exitCode])
    stop()
    expect([world.trays, world.windows]).toEqual([[], []])
  })

  it('starts a gateway without an icon, which a signal ends', async () => {
    const before = SIGNALS.map((signal) => process.listeners(signal))
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
    // On a machine so busy that its threads are slow to end it would be replaced, and this process with it.
    const execve = vi.spyOn(process, 'execve').mockReturnValue(undefined as never)
    const { written, stop } = printed()
    await runWords('start', '--headless', '--json', '--port', '0', '--data-dir', dataDir)
    await expect.poll(() => written.out).toContain('\n')
    stop()
    const { url } = JSON.parse(written.out) as { url: string }
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect([world.exits, world.trays, world.windows]).toEqual([[], [], []])
    process.emit('SIGTERM')
    await expect.poll(() => exit.mock.calls).toEqual([[0]])
    for (const spy of [exit, execve]) spy.mockRestore()
    SIGNALS.forEach((signal, index) => {
      process.removeAllListeners(signal)
      for (const listener of before[index] ?? []) process.on(signal, listener)
    })
  })

  it('ends with an error where the gateway cannot start', async () => {
    const exitCode = process.exitCode
    const port = await takenPort()
    const { written, stop } = printed()
    await runWords('start', '--headless', '--port', String(port), '--data-dir', dataDir)
    await expect.poll(() => world.exits).toEqual([1])
    stop()
    process.exitCode = exitCode
    expect(written.err).toContain(`Port ${port} is taken by `)
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
