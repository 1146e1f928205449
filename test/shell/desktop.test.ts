import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { app, partitions, powerMonitor, theSession, world } from '../support/electron-double.ts'
import {
  clearDesks,
  click,
  clickable,
  labels,
  openDesk,
  settle,
  trayItems,
  visible,
  windows,
} from './desktop-support.ts'
import { callView, keyView, overviewView, reading, statusView, URL_OF_GATEWAY } from './support.ts'

vi.mock('electron', () => import('../support/electron-double.ts'))

afterEach(() => {
  vi.useRealTimers()
  clearDesks()
})

const PLATFORMS = ['linux', 'darwin', 'win32'] as const
const TAKEN = { type: 'port-taken', port: 3273, owner: "'nginx' (process 7)" } as const

describe('a start', () => {
  it('shows the dashboard, signed in by a ticket behind the #', async () => {
    await openDesk()
    expect(visible()).toHaveLength(1)
    expect(visible()[0]?.webContents.loaded).toEqual([`${URL_OF_GATEWAY}/app/overview#ticket=ticket-1`])
  })

  it('at login shows no window at all', async () => {
    const { starts } = await openDesk({ argv: ['--hidden'] })
    expect([starts, world.windows, world.dialogs]).toEqual([1, [], []])
    expect(labels()[0]).toBe('Farebox: running at 127.0.0.1:3273')
  })

  it('that finds a shell on the data folder ends without starting anything', async () => {
    const { starts } = await openDesk({ changes: { isFirstInstance: false } })
    expect([starts, world.exits, world.trays]).toEqual([0, [0], []])
  })

  it('shows the dashboard each time that Farebox is launched again', async () => {
    await openDesk({ argv: ['--hidden'] })
    app.emit('second-instance', {}, [])
    await settle()
    expect(visible()).toHaveLength(1)
    app.emit('second-instance', {}, [])
    await settle()
    expect(world.windows).toHaveLength(1)
    expect(visible()[0]?.isFocused).toBe(true)
  })

  it('shows what a link proposes, whichever way the system hands it over', async () => {
    const link = 'farebox://add-provider?preset=openai'
    const page = `/app/link?to=${encodeURIComponent(link)}`
    const shown = () => visible()[0]?.webContents.getURL() ?? ''
    await openDesk({ argv: [link] })
    await settle()
    expect(shown()).toContain(page)
    await openDesk({ argv: ['--hidden'] })
    app.emit('second-instance', {}, ['/opt/farebox', '--hidden', link])
    await settle()
    expect(shown()).toContain(page)
    await openDesk({ argv: ['--hidden'], platform: 'darwin' })
    let isPrevented = false
    app.emit('open-url', { preventDefault: () => (isPrevented = true) }, link)
    await settle()
    expect([shown().includes(page), isPrevented]).toEqual([true, true])
  })

  it('says in a sentence what is wrong with a link, and repeats nothing of it', async () => {
    await openDesk({ argv: ['--hidden'] })
    app.emit('second-instance', {}, ['/opt/farebox', 'farebox://add-provider?secret=of-mine'])
    await settle()
    expect([visible().length, world.dialogs.length]).toEqual([0, 1])
    expect(JSON.stringify(world.dialogs)).toContain('The link brings a secret')
    expect(JSON.stringify(world.dialogs)).not.toContain('of-mine')
  })

  it('asks Windows for its links, and no other system', async () => {
    for (const [platform, schemes] of [
      ['win32', ['farebox']],
      ['linux', []],
    ] as const) {
      await openDesk({ argv: ['--hidden'], platform, changes: { isPackaged: true } })
      expect(world.schemes).toEqual(schemes)
    }
  })

  it('speaks the language of the system, and that of the dashboard once somebody chose one, also at the next start', async () => {
    const { gateway, dataDir } = await openDesk({ argv: ['--hidden'], changes: { languages: ['fi', 'de-AT'] } })
    expect([labels()[0], labels().at(-1)]).toEqual(['Farebox: läuft unter 127.0.0.1:3273', 'Farebox beenden'])
    expect(world.menu?.items[2]?.label).toBe('Ansicht')
    gateway.next = reading({ language: 'en' })
    gateway.endExchange()
    await expect.poll(() => labels().at(-1)).toBe('Quit Farebox')
    expect(world.menu?.items[2]?.label).toBe('View')
    const german = { languages: ['de'] }
    await openDesk({ argv: ['--hidden'], dataDir, first: TAKEN, changes: german })
    expect(labels().at(-1)).toBe('Quit Farebox')
  })

  it('works where there is no tray, by the menu of the window', async () => {
    const { notes } = await openDesk({ changes: { trayFails: true } })
    expect(notes).toEqual(['This desktop has no tray. Start Farebox again to open its dashboard.'])
    const items = clickable(world.menu?.items ?? [])
    expect([...items.keys()]).toEqual(expect.arrayContaining(['Pause for an hour', 'Start at login', 'Quit Farebox']))
    // A session that is still coming up may have one later.
    world.trayFails = false
    items.get('Pause for an hour')?.()
    await settle()
    expect(labels()).toContain('Stop')
  })

  it('says who has the port, tries again when told, and leaves it when not', async () => {
    const desk = await openDesk({ first: TAKEN, changes: { answers: [0, 1] } })
    expect(world.dialogs.map(({ detail }) => detail)).toEqual(
      Array(2).fill("Port 3273 is taken by 'nginx' (process 7). Stop it and try again."),
    )
    expect(desk.starts).toBe(2)
    expect(world.exits).toEqual([])
    expect(world.trays[0]?.image).toMatchObject({ path: '/icons/tray/error.png' })
    desk.next = { type: 'running', gateway: desk.gateway }
    click('Try again')
    await settle()
    expect(labels()).toContain('Stop')
  })

  it('at login with the port taken bothers nobody', async () => {
    await openDesk({ first: TAKEN, argv: ['--hidden'] })
    expect(world.dialogs).toEqual([])
    expect(labels()).toContain('Try again')
  })
})

describe('the tray', () => {
  it.each(PLATFORMS)('has no dead item after a hundred random changes on %s', async (platform) => {
    const desk = await openDesk({ platform, argv: ['--hidden'] })
    const random = seeded(20_270_102)
    const stale = new Set<string>()
    for (let step = 0; step < 100; step++) {
      desk.gateway.next = randomReading(random)
      desk.next = random() < 0.2 ? TAKEN : { type: 'running', gateway: desk.gateway }
      powerMonitor.emit('resume')
      await settle()
      const items = [...clickable(trayItems())].filter(([label]) => !label.startsWith('Quit'))
      expect(items.length).toBeGreaterThan(0)
      const [label = '', press] = items[Math.floor(random() * items.length)] ?? []
      const earlier = { done: desk.gateway.done.length, starts: desk.starts, first: labels()[0] }
      press?.()
      await settle()
      stale.add(label.replace(/\d+/g, 'N').replace(/^N:N.*/, 'an error'))
      expectEffect(label, desk, earlier)
    }
    // The walk is of use only if it came by most of what there is.
    expect(stale.size).toBeGreaterThan(12)
  })

  it('gives Linux a whole new menu for each change, and keeps the old one when nothing changed', async () => {
    await openDesk({ argv: ['--hidden'] })
    const first = world.trays[0]?.desktopMenu
    powerMonitor.emit('resume')
    await settle()
    expect(world.trays[0]?.desktopMenu).toBe(first)
    click('Pause')
    await settle()
    expect(world.trays[0]?.desktopMenu).not.toBe(first)
    expect(world.trays).toHaveLength(1)
  })

  it.each([
    ['darwin', 'tray/runningTemplate.png', true],
    ['win32', 'tray/running.ico', false],
    ['linux', 'tray/running.png', false],
  ] as const)('on %s draws %s', async (platform, path, isTemplate) => {
    await openDesk({ platform, argv: ['--hidden'] })
    expect(world.trays[0]?.image).toMatchObject({ path: `/icons/${path}`, isTemplate })
    expect(world.trays[0]?.tooltip).toBe('Farebox: running at 127.0.0.1:3273')
  })

  it('opens a small window beside the icon on a click, and closes it on the next or when it loses the focus', async () => {
    await openDesk({ platform: 'win32', argv: ['--hidden'] })
    world.trays[0]?.emit('click')
    await settle()
    const [popover] = visible()
    expect(popover?.options).toMatchObject({ frame: false })
    expect(popover?.getNormalBounds()).toMatchObject({ width: 420, y: 32 })
    expect(popover?.webContents.loaded).toEqual([`${URL_OF_GATEWAY}/app/overview#ticket=ticket-1`])
    world.trays[0]?.emit('click')
    await settle()
    expect(visible()).toEqual([])
    world.trays[0]?.emit('click')
    await settle()
    popover?.emit('blur')
    expect([visible(), popover?.webContents.loaded.length]).toEqual([[], 1])
  })
})

describe('the window', () => {
  it('is destroyed after it was hidden for five minutes, and comes back signed in', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await openDesk({ changes: { answers: [0] } })
    visible()[0]?.pressClose()
    await settle()
    expect([visible().length, windows().length]).toEqual([0, 1])
    vi.advanceTimersByTime(5 * 60_000 - 1)
    expect(windows()).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(windows()).toHaveLength(0)
    click('Open dashboard')
    await settle()
    expect(visible()[0]?.webContents.loaded).toEqual([`${URL_OF_GATEWAY}/app/overview#ticket=ticket-2`])
  })

  it('that is shown again in time stays', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await openDesk({ changes: { answers: [0] } })
    visible()[0]?.pressClose()
    await settle()
    vi.advanceTimersByTime(4 * 60_000)
    app.emit('activate')
    await settle()
    vi.advanceTimersByTime(10 * 60_000)
    expect(visible()).toHaveLength(1)
  })

  it('asks once what closing means, and keeps the answer', async () => {
    const { dataDir } = await openDesk({ changes: { answers: [0] } })
    visible()[0]?.pressClose()
    await settle()
    expect(world.dialogs[0]?.buttons).toEqual(['Keep it running', 'Quit Farebox', 'Cancel'])
    click('Open dashboard')
    await settle()
    visible()[0]?.pressClose()
    await settle()
    expect([world.dialogs.length, world.exits]).toEqual([1, []])
    expect(JSON.parse(readFileSync(join(dataDir, 'shell.json'), 'utf8'))).toMatchObject({ close_to_tray: true })
  })

  it('stays when the question is cancelled, and quits when that was the answer', async () => {
    const desk = await openDesk({ changes: { answers: [2, 1] } })
    visible()[0]?.pressClose()
    await settle()
    expect([visible().length, world.exits]).toEqual([1, []])
    visible()[0]?.pressClose()
    await settle()
    expect([world.exits, desk.gateway.done]).toEqual([[0], ['close']])
  })

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('start at login %s and close to tray %s are switches of their own', async (login, tray) => {
    const { dataDir } = await openDesk({ argv: ['--hidden'] })
    for (let round = 0; round < (login ? 1 : 2); round++) click('Start at login')
    for (let round = 0; round < (tray ? 1 : 2); round++) click('Keep running')
    await settle()
    expect(existsSync(join(dataDir, 'autostart', 'farebox.desktop'))).toBe(login)
    expect(JSON.parse(readFileSync(join(dataDir, 'shell.json'), 'utf8'))).toMatchObject({ close_to_tray: tray })
  })

  it('comes back where it was', async () => {
    const desk = await openDesk({ changes: { answers: [0] } })
    const [window] = visible()
    window?.setBounds({ x: 50, y: 60, width: 900, height: 700 })
    window?.pressClose()
    await settle()
    clearListeners()
    await openDesk({ dataDir: desk.dataDir })
    expect(visible()[0]?.options).toMatchObject({ x: 50, y: 60, width: 900, height: 700, show: false, minWidth: 420 })
  })

  it('takes a new ticket when the page has lost its session, and none when it has not', async () => {
    await openDesk()
    const [window] = visible()
    click('All settings')
    await settle()
    expect(window?.webContents.loaded.at(-1)).toBe(`${URL_OF_GATEWAY}/app/settings`)
    if (window !== undefined) window.webContents.url = `${URL_OF_GATEWAY}/app/sign-in`
    click('Open dashboard')
    await settle()
    expect(window?.webContents.loaded.at(-1)).toBe(`${URL_OF_GATEWAY}/app/overview#ticket=ticket-2`)
  })

  it('says that it does not load without saying the ticket', async () => {
    const { notes } = await openDesk({ changes: { loadFails: true } })
    expect(world.dialogs).toHaveLength(1)
    expect(JSON.stringify([world.dialogs, notes])).not.toContain('ticket-')
    expect(windows()).toEqual([])
  })

  it('says it when there is no ticket to be had', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    desk.gateway.ticket = () => Promise.reject(new Error('There are too many sessions.'))
    click('Open dashboard')
    await settle()
    expect(world.dialogs[0]?.detail).toBe('There are too many sessions.')
  })

  it('is replaced after its page crashed, with a note that holds no content', async () => {
    const { dataDir } = await openDesk()
    app.emit('render-process-gone', {}, {}, { reason: 'oom', exitCode: 9 })
    visible()[0]?.webContents.emit('render-process-gone')
    expect(windows()).toEqual([])
    app.emit('second-instance', {}, [])
    await settle()
    expect(visible()).toHaveLength(1)
    const notes = readdirSync(join(dataDir, 'crashes')).filter((name) => name.endsWith('.json'))
    expect(JSON.parse(readFileSync(join(dataDir, 'crashes', notes[0] ?? ''), 'utf8'))).toMatchObject({
      what: 'window',
      reason: 'oom',
    })
  })
})

describe('what a page may do', () => {
  const tried = (url: string) => ({
    url,
    isMainFrame: true,
    isPrevented: false,
    preventDefault() {
      this.isPrevented = true
    },
  })

  it('is a sandboxed tab without Node or preload script, whose session is in memory', async () => {
    await openDesk({ platform: 'win32' })
    world.trays[0]?.emit('click')
    await settle()
    expect(world.windows).toHaveLength(2)
    for (const { options } of world.windows) {
      expect(options.webPreferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        partition: 'dashboard',
      })
      expect(options.webPreferences).not.toHaveProperty('preload')
    }
    expect(partitions.at(-1)).toEqual({ name: 'dashboard', cache: false })
  })

  it('goes nowhere off the origin, by link, frame, redirect or new window', async () => {
    await openDesk()
    const contents = visible()[0]?.webContents
    for (const event of ['will-navigate', 'will-redirect']) {
      const [inside, outside] = [tried(`${URL_OF_GATEWAY}/app/keys`), tried('https://evil.example/')]
      contents?.emit(event, inside)
      contents?.emit(event, outside)
      expect([event, inside.isPrevented, outside.isPrevented]).toEqual([event, false, true])
    }
    const frame = { ...tried('https://evil.example/'), isMainFrame: false }
    contents?.emit('will-frame-navigate', frame)
    expect(frame.isPrevented).toBe(true)
    const webview = tried('')
    contents?.emit('will-attach-webview', webview)
    expect(webview.isPrevented).toBe(true)
    expect(contents?.openHandler?.({ url: `${URL_OF_GATEWAY}/app/keys` })).toEqual({ action: 'deny' })
    expect(world.opened).toEqual([])
  })

  it('hands listed addresses to the browser, once, and no others', async () => {
    await openDesk()
    const contents = visible()[0]?.webContents
    const link = tried('https://example.org/farebox/docs')
    contents?.emit('will-navigate', link)
    contents?.emit('will-frame-navigate', link)
    contents?.openHandler?.({ url: 'https://example.org/farebox/issues' })
    for (const url of ['file:///etc/passwd', 'https://example.org/', 'ms-msdt:/id', 'https://evil.example/farebox']) {
      contents?.openHandler?.({ url })
      contents?.emit('will-navigate', tried(url))
    }
    expect(world.opened).toEqual(['https://example.org/farebox/docs', 'https://example.org/farebox/issues'])
  })

  it('has no permission but to write to the clipboard, and that on its own page only', async () => {
    await openDesk()
    const ask = (permission: string, requestingUrl: string, isMainFrame = true) => {
      let answer: boolean | undefined
      call('request', {}, permission, (granted: boolean) => (answer = granted), { requestingUrl, isMainFrame })
      return [answer, call('check', null, permission, requestingUrl, { isMainFrame })]
    }
    expect(ask('clipboard-sanitized-write', `${URL_OF_GATEWAY}/`)).toEqual([true, true])
    expect(ask('clipboard-sanitized-write', 'https://evil.example/')).toEqual([false, false])
    expect(ask('clipboard-sanitized-write', `${URL_OF_GATEWAY}/`, false)).toEqual([false, false])
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'usb', 'openExternal']) {
      expect(ask(permission, `${URL_OF_GATEWAY}/`)).toEqual([false, false])
    }
    expect(call('device')).toBe(false)
  })

  it('saves what it made itself, and nothing from elsewhere', async () => {
    await openDesk()
    const download = (url: string) => {
      const event = tried(url)
      theSession.emit('will-download', event, { getURL: () => url })
      return event.isPrevented
    }
    expect(
      [`blob:${URL_OF_GATEWAY}/1`, 'blob:https://evil.example/1', 'https://evil.example/x.exe'].map(download),
    ).toEqual([false, true, true])
  })
})

describe('quitting', () => {
  const WAYS: readonly [string, () => void][] = [
    ['the menu', () => click('Quit')],
    ['the keyboard or the Dock', () => void app.emit('before-quit', { preventDefault: () => undefined })],
    ['SIGTERM', () => void process.emit('SIGTERM')],
    ['SIGINT', () => void process.emit('SIGINT')],
    ['the end of the session', () => void powerMonitor.emit('shutdown', { preventDefault: () => undefined })],
    ['a fault', () => void process.emit('uncaughtException', new Error('of ours'))],
  ]

  it.each(WAYS)('by %s ends the gateway first, once, and then everything', async (_name, quit) => {
    const desk = await openDesk()
    const { promise, resolve } = Promise.withResolvers<void>()
    desk.gateway.closing = promise
    quit()
    await settle()
    expect([world.exits, windows().length]).toEqual([[], 0])
    resolve()
    await settle()
    expect([world.exits, desk.gateway.done]).toEqual([[0], ['close']])
    expect(existsSync(join(desk.dataDir, 'crashes', 'running'))).toBe(false)
  })

  it('is held back until it is done, and a second signal ends the process where it stands', async () => {
    const desk = await openDesk()
    desk.gateway.closing = new Promise(() => undefined)
    let isPrevented = false
    app.emit('before-quit', { preventDefault: () => (isPrevented = true) })
    expect(isPrevented).toBe(true)
    process.emit('SIGTERM')
    expect(world.exits).toEqual([1])
  })

  it('leaves a gateway that was started elsewhere running', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    desk.gateway.otherPid = 4242
    powerMonitor.emit('resume')
    await settle()
    click('Quit (the gateway goes on)')
    await settle()
    expect(world.exits).toEqual([0])
  })

  it('writes of a fault where it was, not what it said', async () => {
    const { dataDir } = await openDesk()
    process.emit('uncaughtException', new Error('prompt: my secret'))
    await settle()
    const files = readdirSync(join(dataDir, 'crashes')).map((name) =>
      readFileSync(join(dataDir, 'crashes', name), 'utf8'),
    )
    expect(files.join()).toContain('Error at ')
    expect(files.join()).not.toContain('secret')
  })
})

describe('notifications', () => {
  it('tell of low credits once, lead to the keys, and are not repeated by the next start', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    desk.gateway.next = reading({ keys: [keyView('ci', { total: 10, remaining: 1.5 })] })
    powerMonitor.emit('resume')
    await settle()
    powerMonitor.emit('resume')
    await settle()
    expect(world.notifications.map(({ options }) => options.body)).toEqual([
      "Key 'ci' (starter) has 20 % of its credits left, or less.",
    ])
    world.notifications[0]?.emit('click')
    await settle()
    expect(visible()[0]?.webContents.loaded[0]).toContain('/app/keys#ticket=')
    clearListeners()
    await openDesk({ argv: ['--hidden'], dataDir: desk.dataDir, firstReading: desk.gateway.next })
    await settle()
    expect(world.notifications).toEqual([])
  })

  it('can be switched off', async () => {
    const desk = await openDesk({ argv: ['--hidden'] })
    click('Notifications')
    desk.gateway.next = reading({ keys: [keyView('ci', { remaining: 0 })] })
    powerMonitor.emit('resume')
    await settle()
    expect(world.notifications).toEqual([])
  })
})

describe('the start at login', () => {
  it('on Windows names program, folder and the hidden start', async () => {
    await openDesk({
      platform: 'win32',
      argv: ['--hidden'],
      loginCommand: ['C:\\Farebox\\Farebox.exe', '--data-dir', 'C:\\My Data\\'],
    })
    click('Start at login')
    expect(world.login.calls).toEqual([
      { path: 'C:\\Farebox\\Farebox.exe', args: ['"--data-dir"', '"C:\\My Data\\\\"', '--hidden'], openAtLogin: true },
    ])
    expect(clickable(trayItems()).has('Start at login')).toBe(true)
  })

  it.each([
    ['on macOS from a clone', { isPackaged: false }, 'On macOS only the packaged Farebox can start at login.'],
    [
      'where the system does not agree',
      { isPackaged: true, login: { openAtLogin: false, refuses: true, calls: [] } },
      'The system refused it. Allow Farebox in the settings for login items.',
    ],
  ])('is refused with a sentence %s', async (_name, changes, sentence) => {
    await openDesk({ platform: 'darwin', argv: ['--hidden'], changes })
    click('Start at login')
    await settle()
    expect(world.dialogs[0]?.detail).toBe(sentence)
  })

  it('is what the system says, not what was once clicked', async () => {
    const { dataDir } = await openDesk({ argv: ['--hidden'] })
    click('Start at login')
    writeFileSync(join(dataDir, 'autostart', 'farebox.desktop'), '')
    click('Start at login')
    await settle()
    expect(existsSync(join(dataDir, 'autostart', 'farebox.desktop'))).toBe(false)
  })
})

function call(name: string, ...args: unknown[]): unknown {
  const handler = theSession.handlers.get(name)
  return (handler as ((...given: unknown[]) => unknown) | undefined)?.(...args)
}

/** As the end of the process would. */
function clearListeners(): void {
  process.emit('SIGTERM')
}

type Random = () => number

/** The same numbers each time: a failure can be looked at again. */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function randomReading(random: Random) {
  const keys = Array.from({ length: Math.floor(random() * 4) }, (_, index) =>
    keyView(`k${index}`, { total: 10, remaining: Math.round(random() * 10) }, { package: `p${index}` }),
  )
  const calls = Array.from({ length: Math.floor(random() * 3) }, () => callView({ status: random() < 0.5 ? 502 : 200 }))
  const status = statusView({
    ledger: random() < 0.1 ? 'halted' : 'ok',
    ...(random() < 0.3 ? { paused_until: '2027-01-02T13:00:00.000Z' } : {}),
  })
  const warning = { kind: 'new', subject: null, at: null, page: 'providers', text: 'Something & something else.' }
  const overview = overviewView(random() < 0.3 ? [warning] : [], { charge_credits: random(), requests: 3 })
  const tools = random() < 0.5 ? [{ name: 'Zed', state: 'connected' as const }] : []
  return reading({ keys, calls, status, overview, tools, language: random() < 0.2 ? 'en' : 'system' })
}

type Earlier = { readonly done: number; readonly starts: number; readonly first: string | undefined }

/** What a click on an item must have done. An item that is not here fails the test. */
function expectEffect(label: string, desk: Awaited<ReturnType<typeof openDesk>>, earlier: Earlier): void {
  const { done } = desk.gateway
  const address = () => visible().at(-1)?.webContents.url
  if (label === 'Start' || label === 'Try again') expect(desk.starts).toBe(earlier.starts + 1)
  else if (label === 'Stop') expect([done.at(-1), labels()[0]]).toEqual(['close', 'Farebox: stopped'])
  else if (label.startsWith('Pause')) expect(done.at(-1)).toBe('pause 60')
  else if (label.startsWith('Resume')) expect(done.at(-1)).toBe('resume')
  else if (label.startsWith('Chat completions')) expect(world.clipboard).toBe(`${URL_OF_GATEWAY}/v1`)
  else if (label.startsWith('Messages')) expect(world.clipboard).toBe(URL_OF_GATEWAY)
  else if (label.startsWith('Copy the command'))
    expect(world.clipboard).toMatch(/^farebox key create my-tool --package /)
  else if (['Zed', 'All tools', 'Connect a tool…'].includes(label)) expect(address()).toContain('/app/tools')
  else if (label === 'Open dashboard') expect(address()).toMatch(/^http:\/\/127\.0\.0\.1:3273\/app\//)
  else if (label === 'All settings') expect(address()).toContain('/app/settings')
  else if (label.startsWith('Today')) expect(address()).toContain('/app/')
  else if (label === 'New key…') expect(address()).toContain('/app/keys?make=key')
  else if (/credits/.test(label)) expect(address()).toContain('/app/keys')
  else if (/^\d\d:\d\d/.test(label)) expect(address()).toContain('/app/requests')
  else if (label.startsWith('Something')) expect(address()).toContain('/app/providers')
  else if (['Start at login', 'Keep running when the window is closed', 'Notifications'].includes(label)) {
    expect(
      trayItems()
        .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
        .some((item) => item.label === label),
    ).toBe(true)
  } else throw new Error(`What does '${label}' do?`)
}
