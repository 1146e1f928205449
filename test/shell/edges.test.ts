// What happens to the shell when two things come at once, or something goes wrong.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Updater } from '#shell/updates.ts'
import { app, EVENTS, powerMonitor, world } from '../support/electron-double.ts'
import { readSources } from '../support/sources.ts'
import { clearDesks, click, clickable, labels, openDesk, settle, visible, windows } from './desktop-support.ts'
import { keyView, reading, URL_OF_GATEWAY } from './support.ts'

vi.mock('electron', () => import('../support/electron-double.ts'))

afterEach(() => {
  vi.useRealTimers()
  clearDesks()
})

const ROOT = dirname(dirname(import.meta.dirname))

function crashNotes(dataDir: string): string {
  const folder = join(dataDir, 'crashes')
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join()
}

describe('a second start', () => {
  it('at login opens no window, when the first one runs already', async () => {
    await openDesk({ argv: ['--hidden'] })
    app.emit('second-instance', {}, ['/opt/farebox', '--data-dir', '/d', '--hidden'])
    await settle()
    expect(world.windows).toEqual([])
  })
})

describe('the window', () => {
  it('opens once when it is asked for twice before its page is there', async () => {
    await openDesk({ argv: ['--hidden'] })
    const { promise, resolve } = Promise.withResolvers<void>()
    world.loading = promise
    app.emit('second-instance', {}, [])
    app.emit('second-instance', {}, [])
    await settle()
    resolve()
    await settle()
    expect([visible().length, world.windows.length, world.dialogs]).toEqual([1, 1, []])
  })

  it('shows the page that was asked for last, when both were asked for at once', async () => {
    await openDesk({ argv: ['--hidden'] })
    const { promise, resolve } = Promise.withResolvers<void>()
    world.loading = promise
    click('Open dashboard')
    click('All settings')
    await settle()
    resolve()
    await settle()
    expect(world.dialogs).toEqual([])
    expect(visible()[0]?.webContents.url).toBe(`${URL_OF_GATEWAY}/app/settings`)
  })

  it('is not left behind, invisible, when there is no ticket', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    desk.gateway.ticket = () => Promise.reject(new Error('There are too many sessions.'))
    click('Open dashboard')
    await settle()
    expect(windows()).toEqual([])
  })

  it('asks what closing means once, however often its button is pressed', async () => {
    await openDesk({ changes: { answers: [2, 2, 2] } })
    const [window] = visible()
    for (let presses = 0; presses < 3; presses++) window?.pressClose()
    await settle()
    expect(world.dialogs).toHaveLength(1)
    window?.pressClose()
    await settle()
    expect(world.dialogs).toHaveLength(2)
  })
})

describe('the small window', () => {
  it('stays closed when the click that closes it takes its focus first', async () => {
    await openDesk({ platform: 'win32', argv: ['--hidden'] })
    world.trays[0]?.emit('click')
    await settle()
    expect(visible()).toHaveLength(1)
    visible()[0]?.emit('blur')
    world.trays[0]?.emit('click')
    await settle()
    expect(visible()).toEqual([])
    world.trays[0]?.emit('click')
    await settle()
    expect(visible()).toHaveLength(1)
  })

  it('opens on a double click as on one', async () => {
    await openDesk({ platform: 'darwin', argv: ['--hidden'] })
    const { promise, resolve } = Promise.withResolvers<void>()
    world.loading = promise
    world.trays[0]?.emit('click')
    world.trays[0]?.emit('click')
    await settle()
    resolve()
    await settle()
    expect([world.windows.length, world.dialogs]).toEqual([1, []])
  })
})

describe('the end', () => {
  it('of the session waits for what has to be written', async () => {
    const desk = await openDesk()
    desk.gateway.closing = new Promise(() => undefined)
    let isHeld = false
    powerMonitor.emit('shutdown', { preventDefault: () => (isHeld = true) })
    await settle()
    expect([isHeld, world.exits]).toEqual([true, []])
  })

  it('of the session on Windows ends the gateway, as far as Windows gives time', async () => {
    const desk = await openDesk({ platform: 'win32' })
    visible()[0]?.emit('session-end', {})
    await settle()
    expect([desk.gateway.done, world.exits]).toEqual([['close'], [0]])
  })

  it('is not undone by a click on a menu that is still there', async () => {
    const desk = await openDesk({ platform: 'darwin' })
    click('Stop')
    await settle()
    const menu = clickable(world.menu?.items ?? [])
    expect([...menu.keys()]).toContain('Start')
    app.emit('before-quit', { preventDefault: () => undefined })
    for (const press of menu.values()) press()
    await settle()
    expect([desk.starts, desk.gateway.done, world.exits]).toEqual([1, ['close'], [0]])
  })

  it('writes what is owed also when the icon cannot be taken away', async () => {
    const desk = await openDesk()
    const [tray] = world.trays
    if (tray !== undefined) tray.destroy = () => void fail()
    click('Quit')
    await settle()
    expect(desk.gateway.done).toEqual(['close'])
    expect(world.exits).toEqual([1])
  })
})

describe('an update', () => {
  const SIGNED = { isPackaged: true, isSigned: true, kind: 'dmg', version: '1.0.0' } as const

  function updater(install: Updater['install']): Updater {
    const look = async () => ({ type: 'offer', version: '1.1.0', isChecked: true, hasPackage: true }) as const
    return { look, download: async () => undefined, install }
  }

  async function installing(install: Updater['install']) {
    const desk = await openDesk({ platform: 'darwin', build: SIGNED, updater: updater(install) })
    click('Check for updates')
    await settle()
    click('Download Farebox 1.1.0')
    await settle()
    click('Install Farebox 1.1.0 and restart')
    await settle()
    return desk
  }

  it('is installed after the gateway has ended, and then nothing keeps Electron from quitting', async () => {
    let before: readonly string[] = []
    const desk = await installing(() => {
      before = world.windows.filter((window) => !window.isDestroyed()).map(() => 'a window')
      app.quit()
      return new Promise(() => undefined)
    })
    expect([desk.gateway.done, before, world.exits]).toEqual([['close'], [], [0]])
  })

  it('that could not be installed ends the program all the same, and the next start says so', async () => {
    const { dataDir, notes } = await installing(() => Promise.reject(new Error('secret path')))
    expect([world.exits, notes]).toEqual([[1], ['The update could not be installed.']])
    await openDesk({ argv: ['--hidden'], dataDir, build: SIGNED })
    expect(world.notifications.map(({ options }) => options.title)).toEqual(['The update did not work'])
    await openDesk({ argv: ['--hidden'], dataDir, build: SIGNED })
    expect(world.notifications).toEqual([])
  })

  it('that was installed is told of by the version that came', async () => {
    const { dataDir } = await installing(() => new Promise(() => undefined))
    await openDesk({ argv: ['--hidden'], dataDir, build: { ...SIGNED, version: '1.1.0' } })
    expect(world.notifications.map(({ options }) => options.body)).toEqual(['Farebox 1.1.0 runs now.'])
  })

  it('that is only told of leads to where releases are', async () => {
    const build = { ...SIGNED, isSigned: false }
    await openDesk({ argv: ['--hidden'], build, updater: updater(() => new Promise(() => undefined)) })
    click('Check for updates')
    await settle()
    click('Farebox 1.1.0 is there')
    expect(world.opened).toEqual(['https://example.org/farebox/releases'])
    expect(labels().join()).not.toMatch(/Download|Install/)
  })
})

describe('the tray', () => {
  it('shows keys that have more credits together than an amount can be, and adds up nothing', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    const keys = Array.from({ length: 12 }, (_, index) => keyView(`k${index}`, { total: 1e9, remaining: 1e9 }))
    desk.gateway.next = reading({ keys })
    powerMonitor.emit('resume')
    await settle()
    expect(labels()[0]).toContain('running at')
    expect(labels()).toContain('starter (the lowest of 12 keys): 1,000,000,000.00 of 1,000,000,000.00 credits left')
  })

  it('says that the gateway does not run when it fails in a way that nobody foresaw', async () => {
    const host = { start: () => Promise.reject(new Error('prompt: my secret')) }
    await openDesk({ argv: ['--hidden'], host })
    expect(labels()).toContain('Try again')
    expect(labels().join()).not.toContain('secret')
  })
})

describe('notes about crashes', () => {
  it('hold no line of a message, also one that reads like a place in the code', async () => {
    const { dataDir } = await openDesk()
    process.emit('uncaughtException', new Error('first\n    at my secret (prompt:1:1)\nlast'))
    await settle()
    expect(crashNotes(dataDir)).toMatch(/Error at .*edges\.test\.ts/)
    expect(crashNotes(dataDir)).not.toContain('secret')
  })

  it('hold no name that somebody made up', async () => {
    const { dataDir } = await openDesk()
    process.emit('unhandledRejection', Object.assign(new Error('x'), { name: 'my secret' }), Promise.resolve())
    await settle()
    expect(crashNotes(dataDir)).not.toContain('secret')
  })

  it('that cannot be written keep nobody from starting', async () => {
    const { dataDir } = await openDesk({ argv: ['--hidden'] })
    process.emit('SIGTERM')
    await settle()
    writeFileSync(join(dataDir, 'file'), '')
    const desk = await openDesk({ argv: ['--hidden'], dataDir: join(dataDir, 'file') }).catch((error: unknown) => error)
    expect(desk).not.toBeInstanceOf(Error)
    expect(labels()).toContain('Stop')
  })
})

describe('notifications', () => {
  it('come once for each level, however often the balance is read, and again only after a top-up', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    const balances = [10, 1.9, 1.9, 1.5, 0.9, 0.8, 0, 0, 10, 1.9, 1.9]
    for (const remaining of balances) {
      desk.gateway.next = reading({ keys: [keyView('ci', { total: 10, remaining })] })
      powerMonitor.emit('resume')
      await settle()
    }
    expect(world.notifications.map(({ options }) => /\d+ %|refused/.exec(options.body)?.[0])).toEqual([
      '20 %',
      '10 %',
      'refused',
      '20 %',
    ])
  })
})

describe('messages between the page and the program', () => {
  it('do not exist: nothing listens to any, no window has a preload script, and no code of ours could make one', async () => {
    const talks = readSources(join(ROOT, 'src-main')).filter(({ text }) =>
      /\b(ipcMain|ipcRenderer|contextBridge|MessageChannelMain|executeJavaScript|preload:|postMessageToFrame|\.ipc\b|webContents\.send)/.test(
        text,
      ),
    )
    expect(talks.map(({ path }) => path)).toEqual([])
    await openDesk({ platform: 'win32' })
    world.trays[0]?.emit('click')
    await settle()
    expect(world.windows).toHaveLength(2)
    expect(world.windows.flatMap(({ options }) => Object.keys(options.webPreferences ?? {}))).not.toContain('preload')
    // A message of a page, whatever frame it is of, is an event of its contents or of ipcMain, and nobody listens to either.
    expect(EVENTS.WebContents.filter((event) => /ipc|message/.test(event))).toEqual([])
    expect(() => world.windows[0]?.webContents.emit('ipc-message', {}, 'open')).toThrow('does not know the event')
  })
})

describe('the lint rules', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'farebox-lint-'))
    copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** What the linter says of a file of ours with this text. */
  function lint(path: string, text: string): string {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    const linter = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint')
    return spawnSync(process.execPath, [linter, path], { cwd: folder, encoding: 'utf8' }).stdout
  }

  it('keep Electron and its updater out of everything but the shell', () => {
    const text = "import { app } from 'electron'\n\napp.exit(0)\n"
    for (const path of ['src-main/server/a.ts', 'src-main/app/app.ts', 'src-renderer/app/a.ts']) {
      expect(lint(path, text)).toContain('Only src-main/shell and src-main/hosts/desktop.ts know Electron')
    }
    for (const path of ['src-main/shell/a.ts', 'src-main/hosts/desktop.ts'])
      expect(lint(path, text)).toContain('0 errors')
    const updater = "import { autoUpdater } from 'electron-updater'\n\nautoUpdater.quitAndInstall()\n"
    expect(lint('src-main/server/b.ts', updater)).toContain('Only src-main/shell knows how updates are installed')
  })

  it.each(['ipcMain', 'contextBridge', 'MessageChannelMain'])('keep %s out of the shell as well', (name) => {
    const text = `import { ${name} } from 'electron'\n\nconsole.log(${name})\n`
    expect(lint('src-main/shell/a.ts', text)).toContain('The page and the program exchange no messages')
  })
})

function fail(): never {
  throw new Error('the icon')
}
