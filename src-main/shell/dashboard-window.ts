// The window of the dashboard and the small one beside the tray icon. Both show the gateway's own page. A window that is hidden for
// a while is destroyed: it costs more memory than the gateway, and is made anew in a moment.

import { BrowserWindow, nativeTheme, screen, type Rectangle } from 'electron'
import type { Gateway } from '#shell/gateway-port.ts'
import type { Page } from '#shell/menu.ts'
import { placePopover, placeWindow, type WindowPlace } from '#shell/window-bounds.ts'
import { dashboardAddress, isSignedOut, WEB_PREFERENCES } from '#shell/window-policy.ts'

export type WindowOptions = {
  readonly platform: NodeJS.Platform
  /** How long a hidden window is kept. */
  readonly hiddenMs: number
  readonly savedPlace: () => WindowPlace | undefined
  readonly onPlace: (place: WindowPlace) => void
  /** Whether the program is ending, so that windows close instead of asking. */
  readonly isEnding: () => boolean
  /** Somebody closed the window; resolves to whether it is to be hidden. */
  readonly onClose: () => Promise<'hide' | 'stay'>
  readonly onShown: () => void
  readonly onHidden: () => void
  /** Windows is about to end every program of this session. */
  readonly onSessionEnd: () => void
}

/** Before the page has painted anything. The dashboard's own backgrounds. */
const BACKGROUND = { light: '#ffffff', dark: '#0c1114' } as const

/** A click on the icon takes the focus from the small window first, which closes it; the click then must not open it again. */
const SAME_CLICK_MS = 300

export class DashboardWindow {
  readonly #options: WindowOptions
  #window: BrowserWindow | undefined
  #popover: BrowserWindow | undefined
  #blurredAtMs = -Infinity
  #isAsking = false
  readonly #timers = new Map<BrowserWindow, NodeJS.Timeout>()

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** Shows a page of the dashboard, signed in. Rejects with a sentence when there is no ticket or no page. */
  async open(gateway: Gateway, page: Page): Promise<void> {
    this.#popover?.hide()
    const present = this.#window
    if (present !== undefined && isAt(present, gateway)) {
      if (page !== 'overview') await go(present, dashboardAddress(gateway.url, page, undefined))
      return bringUp(present)
    }
    const address = dashboardAddress(gateway.url, page, await gateway.ticket())
    // Somebody may have asked twice, or quit, while the ticket was made.
    if (this.#options.isEnding()) return
    this.#window ??= this.#makeWindow()
    const window = this.#window
    await go(window, address)
    if (!window.isDestroyed()) bringUp(window)
  }

  /** Shows or hides the small window beside the tray icon. */
  async togglePopover(gateway: Gateway, icon: Rectangle): Promise<void> {
    const isSameClick = performance.now() - this.#blurredAtMs < SAME_CLICK_MS
    this.#blurredAtMs = -Infinity
    if (isSameClick) return
    if (this.#popover?.isVisible() === true) return this.#popover.hide()
    const isThere = this.#popover !== undefined && isAt(this.#popover, gateway)
    const ticket = isThere ? undefined : await gateway.ticket()
    if (this.#options.isEnding()) return
    this.#popover ??= this.#makePopover()
    const popover = this.#popover
    popover.setBounds(placePopover(icon, screen.getDisplayMatching(icon).workArea))
    if (ticket !== undefined) await go(popover, dashboardAddress(gateway.url, 'overview', ticket))
    if (!popover.isDestroyed()) popover.show()
  }

  /** Closes both windows at once, such as when the gateway they show has ended. */
  destroy(): void {
    this.#window?.destroy()
    this.#popover?.destroy()
  }

  #makeWindow(): BrowserWindow {
    const { savedPlace, platform } = this.#options
    const { isMaximized, ...bounds } = placeWindow(savedPlace(), workAreas())
    const window = new BrowserWindow({
      ...common(),
      ...bounds,
      minWidth: 420,
      minHeight: 480,
      title: 'Farebox',
      // Where the tray cannot be relied on, the menu bar is the other way to what it offers.
      autoHideMenuBar: platform !== 'linux',
    })
    if (isMaximized) window.maximize()
    window.on('close', (event) => this.#closing(window, event))
    this.#keep(window)
    window.on('closed', () => (this.#window = undefined))
    return window
  }

  #makePopover(): BrowserWindow {
    const popover = new BrowserWindow({
      ...common(),
      frame: false,
      resizable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Farebox',
    })
    popover.on('blur', () => {
      this.#blurredAtMs = performance.now()
      popover.hide()
    })
    this.#keep(popover)
    popover.on('closed', () => (this.#popover = undefined))
    return popover
  }

  /** Counts the time that a window is hidden, and tells whether any is shown. */
  #keep(window: BrowserWindow): void {
    const { hiddenMs, onShown, onHidden, onSessionEnd } = this.#options
    window.on('session-end', onSessionEnd)
    window.on('show', () => {
      clearTimeout(this.#timers.get(window))
      onShown()
    })
    const gone = () => {
      clearTimeout(this.#timers.get(window))
      if (this.#window?.isVisible() !== true && this.#popover?.isVisible() !== true) onHidden()
    }
    window.on('hide', () => {
      gone()
      this.#timers.set(
        window,
        setTimeout(() => window.destroy(), hiddenMs),
      )
    })
    window.on('closed', () => {
      clearTimeout(this.#timers.get(window))
      this.#timers.delete(window)
      if (window === this.#window) this.#window = undefined
      if (window === this.#popover) this.#popover = undefined
      gone()
    })
    // A page that has crashed is no use; the next opening makes a new one.
    window.webContents.on('render-process-gone', () => window.destroy())
  }

  #closing(window: BrowserWindow, event: { preventDefault(): void }): void {
    this.#options.onPlace({ ...window.getNormalBounds(), isMaximized: window.isMaximized() })
    if (this.#options.isEnding()) return
    event.preventDefault()
    void this.#ask(window)
  }

  /** The question has no window of its own to belong to, so that the button can be pressed again beneath it. */
  async #ask(window: BrowserWindow): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      const answer = await this.#options.onClose()
      if (answer === 'hide' && !window.isDestroyed()) window.hide()
    } finally {
      this.#isAsking = false
    }
  }
}

function common() {
  return {
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    webPreferences: { ...WEB_PREFERENCES },
  }
}

function workAreas(): Rectangle[] {
  const main = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id)
  return [main, ...others].map(({ workArea }) => workArea)
}

/** Whether a window shows a page of this gateway and is signed in there. */
function isAt(window: BrowserWindow, gateway: Gateway): boolean {
  const url = window.webContents.getURL()
  return url.startsWith(`${gateway.url}/`) && !isSignedOut(url)
}

/** What Electron says about a page that does not load has its address in it, and that has the ticket. */
async function go(window: BrowserWindow, address: string): Promise<void> {
  try {
    await window.loadURL(address)
  } catch (error) {
    // Another page was asked for meanwhile, and loads instead.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_ABORTED') return
    if (!window.isDestroyed()) window.destroy()
    throw new Error('The dashboard does not load. Try again, or open it with: farebox open')
  }
}

function bringUp(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
