// What the shell keeps in files: its memory, the start at login, and notes about crashes.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandWords, loginCommand, ownCommand, ownFlags } from '#shell/arguments.ts'
import { autostartEntry, autostartPath, hasAutostart, removeAutostart, writeAutostart } from '#shell/autostart.ts'
import { CrashNotes } from '#shell/crash-notes.ts'
import { Memory } from '#shell/memory.ts'

let folder: string
let notes: string[]
const note = (line: string) => void notes.push(line)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-shell-'))
  notes = []
})

afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true, force: true })
})

describe('the memory of the shell', () => {
  const path = () => join(folder, 'shell.json')

  it('has everything off that nobody asked for, and writes nothing by itself', () => {
    const { file } = new Memory(folder, note)
    expect(file).toMatchObject({ close_to_tray: null, daily_update_check: false, window: null, told_levels: {} })
    expect(existsSync(path())).toBe(false)
    expect(notes).toEqual([])
  })

  it('keeps changes for the next start, for this user only', () => {
    const window = { x: -10, y: 20, width: 900, height: 700, is_maximized: true }
    new Memory(folder, note).change({ window, close_to_tray: true, told_levels: { k: 10 } })
    expect(new Memory(folder, note).file).toMatchObject({ window, close_to_tray: true, told_levels: { k: 10 } })
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['shell.json'])
  })

  it('does not write what has not changed', () => {
    const memory = new Memory(folder, note)
    memory.change({ notifications: true })
    expect(existsSync(path())).toBe(false)
  })

  it.each([
    ['no JSON', '{"close_to_tray":'],
    ['an unknown member', '{"close_to_tray":true,"more":1}'],
    [
      'a wrong type',
      JSON.stringify({
        close_to_tray: 'yes',
        daily_update_check: false,
        notifications: true,
        window: null,
        told_levels: {},
        last_update_look: null,
      }),
    ],
    [
      'a level that is none',
      JSON.stringify({
        close_to_tray: true,
        daily_update_check: false,
        notifications: true,
        window: null,
        told_levels: { a: 15 },
        last_update_look: null,
      }),
    ],
    ['nothing', ''],
  ])('begins anew with a note when the file has %s', (_name, text) => {
    writeFileSync(path(), text)
    const memory = new Memory(folder, note)
    expect(memory.file.close_to_tray).toBeNull()
    expect(notes).toEqual(['The settings of the window (shell.json) were damaged and have been reset.'])
    memory.change({ close_to_tray: false })
    expect(new Memory(folder, note).file.close_to_tray).toBe(false)
  })

  it('goes on in memory when the folder takes no file', () => {
    const memory = new Memory(join(folder, 'missing'), note)
    memory.change({ close_to_tray: true })
    expect(memory.file.close_to_tray).toBe(true)
    expect(notes).toHaveLength(1)
  })
})

describe('the start at login on Linux', () => {
  it('is a file that starts Farebox hidden, whole and for this user only', () => {
    writeAutostart(folder, ['/opt/Farebox/farebox', '--data-dir', '/home/ada/data'])
    const path = autostartPath(folder)
    expect(path).toBe(join(folder, 'autostart', 'farebox.desktop'))
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('\nExec="/opt/Farebox/farebox" "--data-dir" "/home/ada/data" "--hidden"\n')
    expect(text.startsWith('[Desktop Entry]\nType=Application\n')).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'autostart'))).toEqual(['farebox.desktop'])
  })

  it('is taken away without a trace, also twice', () => {
    expect(hasAutostart(folder)).toBe(false)
    writeAutostart(folder, ['/farebox'])
    expect(hasAutostart(folder)).toBe(true)
    removeAutostart(folder)
    removeAutostart(folder)
    expect(hasAutostart(folder)).toBe(false)
  })

  it.each([
    ['/a b/fare box', '"/a b/fare box"'],
    ['/50%/x', '"/50%%/x"'],
    ['/a"b', '"/a\\\\"b"'],
    ['/a$HOME', '"/a\\\\$HOME"'],
    ['/a`id`', '"/a\\\\`id\\\\`"'],
    ['/a\\b', '"/a\\\\\\\\b"'],
  ])('quotes %s as the specification says', (program, quoted) => {
    expect(autostartEntry([program])).toContain(`Exec=${quoted} "--hidden"\n`)
  })

  it('refuses a path that would be more than one line of the file', () => {
    expect(() => autostartEntry(['/a\nExec=/bin/evil'])).toThrow('cannot hold')
    expect(() => writeAutostart(folder, ['/a\n'])).toThrow('cannot hold')
    expect(hasAutostart(folder)).toBe(false)
  })

  it('leaves the old file as it was when the new one cannot be written', () => {
    mkdirSync(join(folder, 'autostart', 'farebox.desktop.new'), { recursive: true })
    expect(() => writeAutostart(folder, ['/b'])).toThrow()
    expect(hasAutostart(folder)).toBe(false)
  })
})

describe('the words of a start', () => {
  it('are those that are ours, whatever Chromium and the system add', () => {
    const given = [
      '--ozone-platform=wayland',
      '--data-dir',
      '/d',
      '--hidden',
      '-psn_0_1',
      '--port=0',
      '--no-sandbox',
      '--headless',
    ]
    expect(ownFlags(given)).toEqual(['--data-dir', '/d', '--port=0'])
  })

  it('are none of those behind a link, which may be of whoever wrote it', () => {
    const given = ['--port', '0', 'farebox://x', '--', '--config=\\\\host\\share', '--data-dir', '/d']
    expect(ownFlags(given)).toEqual(['--port', '0'])
    expect(ownFlags(['FAREBOX://x', '--config', 'c.yaml'])).toEqual([])
  })

  it.each([
    [[]],
    [['--hidden']],
    [['--data-dir', '/d', '--port', '0', '--config', 'a.yaml']],
    [['--data-dir=/d', '--no-sandbox', '-psn_0_1']],
    // Whoever wrote a link must not choose a command.
    [['farebox://add-provider?preset=openai']],
    [['farebox://x', '--', 'key', 'revoke', 'first']],
    [['key', 'revoke', 'first', 'FAREBOX://x']],
  ])('are no command in %j', (given) => {
    expect(commandWords(given)).toBeUndefined()
  })

  it.each([
    [['status'], ['status']],
    [
      ['key', 'list', '--json'],
      ['key', 'list', '--json'],
    ],
    // What an AppImage puts first on some systems.
    [
      ['--no-sandbox', 'key', 'list'],
      ['key', 'list'],
    ],
    [
      ['--data-dir', '/d', 'status'],
      ['--data-dir', '/d', 'status'],
    ],
    [['--help'], ['help']],
    [['--ozone-platform=headless', '--'], []],
    // Behind the dashes are words of ours only, whatever they look like.
    [
      ['--ozone-platform=headless', '--', 'apply', '-f', 'x', '--no-sandbox'],
      ['apply', '-f', 'x', '--no-sandbox'],
    ],
    [
      ['--', '--data-dir', '/d'],
      ['--data-dir', '/d'],
    ],
  ])('of %j are the command %j', (given, words) => {
    expect(commandWords(given)).toEqual(words)
  })

  it('for the command line are what works where the program lies', () => {
    const place = { isPackaged: true, appImage: undefined, resourcesPath: '/R' } as const
    expect(ownCommand({ ...place, platform: 'linux', isPackaged: false })).toBe('npm run --silent farebox --')
    expect(ownCommand({ ...place, platform: 'linux' })).toBe('farebox')
    expect(ownCommand({ ...place, platform: 'linux', appImage: '/a b/F.AppImage' })).toBe('"/a b/F.AppImage" --')
    expect(ownCommand({ ...place, platform: 'darwin' })).toBe('"/R/bin/farebox"')
    expect(ownCommand({ ...place, platform: 'win32', resourcesPath: 'C:\\R' })).toBe('"C:\\R\\bin\\farebox.cmd"')
  })

  it('start the same data at login: with its folder, without the file that was applied', () => {
    const program = {
      given: ['--port', '4000', '--config', 'x.yaml', '--data-dir', './d'],
      dataDir: '/w/d',
      execPath: '/usr/bin/electron',
      appPath: '/clone',
    }
    expect(loginCommand({ ...program, isPackaged: false, appImage: '/x.AppImage' })).toEqual([
      '/usr/bin/electron',
      '/clone',
      '--data-dir',
      '/w/d',
      '--port',
      '4000',
    ])
    expect(loginCommand({ ...program, given: [], isPackaged: true, appImage: undefined })).toEqual([
      '/usr/bin/electron',
      '--data-dir',
      '/w/d',
    ])
    expect(loginCommand({ ...program, given: [], isPackaged: true, appImage: '/x.AppImage' })).toEqual([
      '/x.AppImage',
      '--data-dir',
      '/w/d',
    ])
  })
})

describe('notes about crashes', () => {
  const crashesOf = () => readdirSync(join(folder, 'crashes')).filter((name) => name.endsWith('.json'))
  let nowMs = 1_800_000_000_000
  const open = () => new CrashNotes({ dataDir: folder, version: '1.0.0', nowMs: () => (nowMs += 1000) })

  it('hold when, what and why, in one line for this user only', () => {
    const crashes = open()
    crashes.begin()
    crashes.add({ what: 'window', reason: 'oom', exitCode: 5 })
    const [name = ''] = crashesOf()
    const path = join(folder, 'crashes', name)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      at: expect.any(String),
      version: '1.0.0',
      platform: process.platform,
      what: 'window',
      reason: 'oom',
      exitCode: 5,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('say that the last time did not end as it should, once', () => {
    open().begin()
    const second = open()
    second.begin()
    expect(crashesOf()).toHaveLength(1)
    second.end()
    open().begin()
    expect(crashesOf()).toHaveLength(1)
  })

  it('are the latest twenty', () => {
    const crashes = open()
    crashes.begin()
    for (let index = 0; index < 50; index++) crashes.add({ what: 'GPU', reason: `r${index}` })
    const reasons = crashesOf().map(
      (name) => (JSON.parse(readFileSync(join(folder, 'crashes', name), 'utf8')) as { reason: string }).reason,
    )
    expect(reasons).toEqual(Array.from({ length: 20 }, (_, index) => `r${30 + index}`))
  })

  it('are bounded words, and never a second crash', () => {
    const crashes = open()
    crashes.begin()
    crashes.add({ what: 'main', reason: `a\nb${'x'.repeat(5000)}` })
    const [name = ''] = crashesOf()
    expect(readFileSync(join(folder, 'crashes', name), 'utf8').length).toBeLessThan(600)
    rmSync(join(folder, 'crashes'), { recursive: true })
    expect(() => crashes.add({ what: 'main', reason: 'x' })).not.toThrow()
  })
})
