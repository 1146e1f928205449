// The shell on the real Electron, driven by Playwright. What can be decided without it is tested in test/shell.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = dirname(dirname(import.meta.dirname))
const PROGRAM = process.env['FAREBOX_TEST_ELECTRON'] ?? ''
/** Chromium's sandbox does not work for root, who is all there is in many containers. */
const AS_ROOT = process.getuid?.() === 0 ? ['--no-sandbox'] : []

let dataDir: string
let running: ElectronApplication | undefined

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'farebox-desktop-'))
})

afterEach(async () => {
  running?.process().kill('SIGKILL')
  running = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

function words(...flags: string[]): string[] {
  return [...AS_ROOT, ROOT, '--data-dir', dataDir, '--port', '0', ...flags]
}

async function launch(...flags: string[]): Promise<ElectronApplication> {
  const env = { ...process.env, FAREBOX_SECRETS: 'vault', HOME: dataDir, XDG_CONFIG_HOME: join(dataDir, 'config') }
  running = await _electron.launch({ executablePath: PROGRAM, args: words(...flags), env })
  await expect.poll(() => existsSync(join(dataDir, 'instance.json'))).toBe(true)
  return running
}

function origin(): string {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8')) as { url: string }
  return url
}

async function dashboard(electron: ElectronApplication): Promise<Page> {
  const page = electron.windows()[0] ?? (await electron.waitForEvent('window'))
  await page.waitForURL(`${origin()}/**`)
  return page
}

describe('the shell', () => {
  it('serves the gateway and shows the dashboard of its own origin', async () => {
    const electron = await launch()
    expect((await fetch(`${origin()}/health`)).status).toBe(200)
    expect((await dashboard(electron)).url().startsWith(`${origin()}/`)).toBe(true)
  })

  it('started at login shows no window, and shows one when it is launched again', async () => {
    const electron = await launch('--hidden')
    expect(electron.windows()).toEqual([])
    const second = spawn(PROGRAM, words(), { env: { ...process.env, HOME: dataDir } })
    const code = new Promise((resolve) => second.on('exit', resolve))
    expect((await dashboard(electron)).url().startsWith(`${origin()}/`)).toBe(true)
    expect(await code).toBe(0)
  })

  it('gives the page no Node, no way off its origin, no window and no permission', async () => {
    const page = await dashboard(await launch())
    const reached = await page.evaluate(() =>
      ['process', 'require', 'electron', 'Buffer'].filter((name) => name in globalThis),
    )
    expect(reached).toEqual([])
    const before = page.url()
    await page.evaluate(() => void Reflect.get(globalThis, 'location').assign('https://example.com/'))
    expect(await page.evaluate(() => Reflect.get(globalThis, 'open')('https://example.com/'))).toBeNull()
    const asked = await page.evaluate(
      () => Reflect.get(globalThis, 'Notification').requestPermission() as Promise<string>,
    )
    expect(asked).toBe('denied')
    expect(page.url()).toBe(before)
  })

  it('writes nothing of the page to disk', async () => {
    const electron = await launch()
    await dashboard(electron)
    const isPersistent = await electron.evaluate(({ session }) => session.fromPartition('dashboard').isPersistent())
    expect(isPersistent).toBe(false)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal) => {
    const electron = await launch('--hidden')
    const exited = new Promise((resolve) => electron.process().on('exit', resolve))
    electron.process().kill(signal)
    expect(await exited).toBe(0)
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
  })

  it('ends cleanly when Electron is told to quit', async () => {
    const electron = await launch()
    const exited = new Promise((resolve) => electron.process().on('exit', resolve))
    await electron.evaluate(({ app }) => app.quit()).catch(() => undefined)
    expect(await exited).toBe(0)
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false)
  })
})
