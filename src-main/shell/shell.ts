// The desktop shell: puts tray, window and notifications around a gateway. It decides nothing by itself; what it shows and what a
// click does are functions in the files beside it.

import { app, clipboard, Menu, powerMonitor, type Rectangle } from 'electron'
import type { Command } from '#shell/autostart.ts'
import { CrashNotes } from '#shell/crash-notes.ts'
import { DashboardWindow } from '#shell/dashboard-window.ts'
import { askWhatClosingMeans, asksToRetry, complain } from '#shell/dialogs.ts'
import { GatewayControl } from '#shell/gateway-control.ts'
import type { GatewayHost, Reading } from '#shell/gateway-port.ts'
import { guardPages, openOutside } from '#shell/guard.ts'
import { listenToSystem } from '#shell/system.ts'
import { linkIn } from '#shell/arguments.ts'
import { placeOfLink, registerLinks } from '#shell/links.ts'
import { loginItem, type LoginItem } from '#shell/login.ts'
import { applicationTemplate } from '#shell/menu-template.ts'
import { menuOf, type MenuAction, type Page } from '#shell/menu.ts'
import { Memory } from '#shell/memory.ts'
import {
  alertNotices,
  creditNotices,
  installNotice,
  providerNotices,
  type Notice,
  type ToldProviders,
} from '#shell/notices.ts'
import { notify } from '#shell/notifier.ts'
import { Shutdown } from '#shell/shutdown.ts'
import type { ShellState, Switches } from '#shell/state.ts'
import { TrayIcon } from '#shell/tray.ts'
import { UpdateControl } from '#shell/update-control.ts'
import type { Build, Updater } from '#shell/updates.ts'
import type { WindowPlace } from '#shell/window-bounds.ts'
import { readWords, type Words } from '#shell/words.ts'

export type ShellOptions = {
  readonly host: GatewayHost
  readonly dataDir: string
  readonly iconsDir: string
  /** The folder with the words of the tray, a file for each language. */
  readonly wordsDir: string
  readonly platform: NodeJS.Platform
  /** The flags of this start. */
  readonly argv: readonly string[]
  /** What the system is to start at login. */
  readonly loginCommand: Command
  /** What is typed to run the command line. */
  readonly command: string
  readonly build: Build
  readonly updater: Updater | undefined
  /** Addresses below which links are handed to the browser; the first is where releases are found. */
  readonly externalPlaces: readonly string[]
  /** How long running answers may take to end, beyond which the process ends all the same. */
  readonly endMs: number
  readonly nowMs: () => number
  /** Says something about the shell itself; never content, keys or tickets. */
  readonly note: (line: string) => void
}

const HIDDEN_MS = 5 * 60_000

/** Shows the shell; comes back when everything is up. Where another one runs on the data folder, that one is shown instead. */
export async function startShell(options: ShellOptions): Promise<void> {
  if (!app.requestSingleInstanceLock()) return app.exit(0)
  const desktop = new Desktop(options)
  await app.whenReady()
  await desktop.begin()
}

class Desktop {
  readonly #options: ShellOptions
  readonly #memory: Memory
  readonly #crashes: CrashNotes
  readonly #control: GatewayControl
  readonly #updates: UpdateControl
  readonly #windows: DashboardWindow
  readonly #tray: TrayIcon
  readonly #login: LoginItem
  readonly #shutdown: Shutdown
  #toldProviders: ToldProviders = []
  #words: Words | undefined
  #shownMenu = ''
  #isReady = false
  /** A link that came before anything could be shown. */
  #firstLink: string | undefined

  constructor(options: ShellOptions) {
    const { dataDir, note, nowMs, platform, iconsDir } = options
    this.#options = options
    this.#firstLink = linkIn(options.argv)
    this.#memory = new Memory(dataDir, note)
    this.#crashes = new CrashNotes({ dataDir, nowMs, version: options.build.version })
    this.#shutdown = new Shutdown({
      finish: () => this.#finish(),
      exit: (code) => app.exit(code),
      limitMs: options.endMs,
      note,
    })
    this.#login = loginItem({ platform, command: options.loginCommand, argv: options.argv })
    this.#control = new GatewayControl({
      host: options.host,
      nowMs,
      onChange: () => this.#show(),
      onReading: (reading) => {
        this.#speak(reading.language)
        this.#notify(reading)
      },
    })
    this.#updates = this.#makeUpdates()
    const perform = (action: MenuAction) => void this.#perform(action)
    this.#tray = new TrayIcon({
      platform,
      iconsDir,
      nowMs,
      note,
      perform,
      onClick: (icon) => void this.#togglePopover(icon),
    })
    this.#windows = this.#makeWindows()
    listenToSystem({
      crashes: this.#crashes,
      end: () => void this.#shutdown.begin(),
      hasEnded: () => this.#shutdown.hasBegun,
      mayQuit: () => this.#shutdown.mayQuit,
      open: () => void this.#open('overview'),
      openLink: (link) => void this.#openLink(link),
    })
  }

  /** From here on Electron can show something. */
  async begin(): Promise<void> {
    const { externalPlaces } = this.#options
    this.#isReady = true
    registerLinks(this.#options)
    this.#crashes.begin()
    guardPages({ origin: () => this.#control.gateway?.url, externalPlaces })
    powerMonitor.on('resume', () => void this.#control.afterSleep())
    powerMonitor.on('shutdown', (...given: unknown[]) => {
      holdBack(given[0])
      void this.#shutdown.begin()
    })
    this.#dock('hide')
    this.#show()
    this.#tellOfInstallation()
    // A start at login shows no window; the icon says how it went.
    if (this.#firstLink !== undefined) await this.#openLink(this.#firstLink)
    else if (this.#login.wasStartedByLogin) await this.#control.start()
    else await this.#open('overview')
  }

  #state(): ShellState {
    const { gateway, summary } = this.#control.view
    const { command } = this.#options
    return { ...summary, gateway, update: this.#updates.state, switches: this.#switches(), command }
  }

  /** The owner's choice, else the first of the system's languages that there are words for. */
  get #said(): Words {
    const { language = 'system' } = this.#memory.file
    const wanted = language === 'system' ? app.getPreferredSystemLanguages() : [language]
    return (this.#words ??= readWords(this.#options.wordsDir, wanted))
  }

  #speak(language: string): void {
    if (language === (this.#memory.file.language ?? 'system')) return
    this.#memory.change({ language })
    this.#words = undefined
  }

  #switches(): Switches {
    const { file } = this.#memory
    return {
      startAtLogin: this.#login.isOn(),
      closeToTray: file.close_to_tray ?? false,
      dailyUpdateCheck: file.daily_update_check,
      notifications: file.notifications,
    }
  }

  #show(): void {
    if (!this.#isReady || this.#shutdown.hasBegun) return
    const state = this.#state()
    const words = this.#said
    this.#tray.show(state, words)
    const items = menuOf(state, words, this.#options.nowMs())
    const menu = JSON.stringify([words.language, items])
    if (menu === this.#shownMenu) return
    this.#shownMenu = menu
    const perform = (action: MenuAction) => void this.#perform(action)
    Menu.setApplicationMenu(Menu.buildFromTemplate(applicationTemplate(items, { perform, view: words.text('view') })))
  }

  /** Does what a click asks for. What goes wrong is said in a dialog. */
  async #perform(action: MenuAction): Promise<void> {
    // A menu may outlast the gateway it was made for, and must not restart a gateway that is being ended.
    if (this.#shutdown.hasBegun) return
    try {
      await this.#carryOut(action)
    } catch (error) {
      await complain(this.#said, error instanceof Error ? error.message : this.#said.text('dialog.failed'))
    }
  }

  async #carryOut(action: MenuAction): Promise<void> {
    switch (action.type) {
      case 'open':
        return this.#open(action.page)
      case 'start':
        return this.#control.start()
      case 'stop':
        this.#windows.destroy()
        return this.#control.stop()
      case 'pause':
        return this.#control.pause(action.minutes)
      case 'resume':
        return this.#control.resume()
      case 'copy':
        return clipboard.writeText(action.text)
      case 'switch':
        return this.#switch(action.name, action.isOn)
      case 'look-for-update':
        return this.#updates.look('asked')
      case 'download-update':
        return this.#updates.download()
      case 'install-update': {
        const install = this.#updates.installer()
        return install === undefined ? undefined : this.#shutdown.begin(install)
      }
      case 'show-releases': {
        const { externalPlaces } = this.#options
        return openOutside(`${externalPlaces[0] ?? ''}/releases`, externalPlaces)
      }
      case 'quit':
        return this.#shutdown.begin()
    }
  }

  #switch(name: keyof Switches, isOn: boolean): void {
    if (name === 'startAtLogin') this.#login.set(isOn)
    if (name === 'closeToTray') this.#memory.change({ close_to_tray: isOn })
    if (name === 'dailyUpdateCheck') this.#memory.change({ daily_update_check: isOn })
    if (name === 'notifications') this.#memory.change({ notifications: isOn })
    this.#show()
  }

  /** Starts the gateway where it does not run: whoever opens the dashboard wants to see it. Never rejects. */
  async #open(page: Page): Promise<void> {
    if (!this.#isReady || this.#shutdown.hasBegun) return
    if (this.#control.view.gateway.type !== 'running') await this.#control.start()
    const { gateway } = this.#control.view
    try {
      if (gateway.type === 'running' && this.#control.gateway !== undefined) {
        return await this.#windows.open(this.#control.gateway, page)
      }
      const why = gateway.type === 'failed' ? gateway.message : this.#said.text('dialog.gatewayNotRunning')
      if (await asksToRetry(this.#said, why)) await this.#open(page)
    } catch (error) {
      await complain(this.#said, error instanceof Error ? error.message : this.#said.text('dialog.noDashboard'))
    }
  }

  async #openLink(link: string): Promise<void> {
    if (this.#shutdown.hasBegun) return
    if (!this.#isReady) return void (this.#firstLink = link)
    const place = placeOfLink(link)
    if (place.type === 'page') return this.#open(place.page)
    await complain(this.#said, place.sentence)
  }

  async #togglePopover(icon: Rectangle): Promise<void> {
    const { gateway } = this.#control
    try {
      if (gateway === undefined || this.#control.view.gateway.type !== 'running') return await this.#open('overview')
      await this.#windows.togglePopover(gateway, icon)
    } catch (error) {
      await complain(this.#said, error instanceof Error ? error.message : this.#said.text('dialog.noDashboard'))
    }
  }

  #notify({ keys, status, alerts }: Reading): void {
    const credits = creditNotices(keys, this.#memory.file.told_levels, this.#said)
    const providers = providerNotices(status, this.#toldProviders, this.#said)
    const budgets = alertNotices(alerts, this.#memory.file.told_alert, this.#said)
    this.#memory.change({ told_levels: credits.told, told_alert: budgets.told })
    this.#toldProviders = providers.told
    if (!this.#memory.file.notifications) return
    for (const notice of [...credits.notices, ...budgets.notices, ...providers.notices]) this.#tell(notice)
  }

  #tell(notice: Notice): void {
    notify(notice, () => void this.#open(notice.page))
  }

  /** It is shown even where notifications are off: a person asked for it, and the program was away meanwhile. */
  #tellOfInstallation(): void {
    const { installing, ...rest } = this.#memory.file
    const notice = installNotice(installing, this.#options.build.version, this.#said)
    if (notice === undefined) return
    this.#memory.replace(rest)
    this.#tell(notice)
  }

  #makeWindows(): DashboardWindow {
    const { platform } = this.#options
    return new DashboardWindow({
      platform,
      hiddenMs: HIDDEN_MS,
      savedPlace: () => placeOf(this.#memory.file.window),
      onPlace: ({ isMaximized, ...place }) => this.#memory.change({ window: { ...place, is_maximized: isMaximized } }),
      isEnding: () => this.#shutdown.hasBegun,
      onClose: () => this.#windowClosed(),
      onShown: () => this.#dock('show'),
      onHidden: () => this.#dock('hide'),
      onSessionEnd: () => void this.#shutdown.begin(),
    })
  }

  /** The first time, a person is asked what closing means; the answer is a switch in the menu. */
  async #windowClosed(): Promise<'hide' | 'stay'> {
    if (this.#memory.file.close_to_tray === null) {
      const answer = await askWhatClosingMeans(this.#said)
      if (answer === 'cancel') return 'stay'
      this.#switch('closeToTray', answer === 'keep')
    }
    if (this.#memory.file.close_to_tray === true) return 'hide'
    void this.#shutdown.begin()
    return 'stay'
  }

  #makeUpdates(): UpdateControl {
    const { build, updater, nowMs } = this.#options
    return new UpdateControl({
      build,
      updater,
      nowMs,
      isDaily: () => this.#memory.file.daily_update_check,
      lastLookMs: () => this.#memory.file.last_update_look ?? undefined,
      onLook: (atMs) => this.#memory.change({ last_update_look: atMs }),
      onInstall: (version) => this.#memory.change({ installing: version }),
      onChange: () => this.#show(),
    })
  }

  /** A program without a window has no place in the Dock. */
  #dock(change: 'show' | 'hide'): void {
    if (this.#options.platform === 'darwin') app.setActivationPolicy(change === 'show' ? 'regular' : 'accessory')
  }

  async #finish(): Promise<void> {
    this.#updates.close()
    try {
      this.#windows.destroy()
      this.#tray.destroy()
    } finally {
      // Even if the window failed, charges that are still open have to be written.
      await this.#control.stop()
    }
    this.#crashes.end()
  }
}

function placeOf(saved: Memory['file']['window']): WindowPlace | undefined {
  if (saved === null) return undefined
  const { is_maximized: isMaximized, ...place } = saved
  return { ...place, isMaximized }
}

/** The system waits then, for as long as it has patience. Electron's documentation has the event, its declarations have not. */
function holdBack(event: unknown): void {
  if (typeof event !== 'object' || event === null || !('preventDefault' in event)) return
  if (typeof event.preventDefault === 'function') event.preventDefault()
}
