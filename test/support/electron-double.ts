// Stands in for the parts of Electron that the shell uses. It fails on every member and every event that it does not know, and keeps
// to what Electron does where that matters: a destroyed object takes no call, a menu that Linux was not given is not there, a window
// that is closed asks first. test/shell/electron-double.test.ts holds what it knows against Electron's declarations.

import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { request, type ClientRequest, type RequestOptions } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { MenuItemConstructorOptions, Rectangle } from 'electron'

type Handler = (...args: never[]) => unknown

/** What tests look at and set. Made anew by `resetElectron`. */
export type World = {
  platform: NodeJS.Platform
  isFirstInstance: boolean
  isPackaged: boolean
  appData: string
  appPath: string
  version: string
  /** Those of the system, the dearest first. */
  languages: readonly string[]
  /** Why a tray cannot be made; undefined where it can. */
  trayFails: boolean
  loadFails: boolean
  /** Pages are there when this is resolved. */
  loading: Promise<void>
  /** The buttons that somebody will press, one dialog after the other. */
  answers: number[]
  login: { openAtLogin: boolean; refuses: boolean; calls: object[] }
  displays: { id: number; workArea: Rectangle }[]
  readonly exits: number[]
  readonly trays: Tray[]
  readonly windows: BrowserWindow[]
  readonly notifications: Notification[]
  readonly dialogs: { message?: string; detail?: string; buttons?: string[] }[]
  readonly opened: string[]
  readonly paths: Map<string, string>
  readonly policies: string[]
  /** Whether a second start would find this one. */
  hasLock: boolean
  /** What macOS's own updater was asked for. */
  readonly squirrel: string[]
  /** What links of its own it asked the system for. */
  readonly schemes: string[]
  hasHardwareAcceleration: boolean
  readonly utilities: UtilityProcess[]
  /** The environment of utility processes that are told of none. */
  utilityEnv: NodeJS.ProcessEnv
  clipboard: string
  menu: Menu | null
  isReady: boolean
  ready: () => void
  whenReady: Promise<void>
}

function newWorld(): World {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    platform: 'linux',
    isFirstInstance: true,
    isPackaged: false,
    appData: '/nonexistent',
    appPath: '/farebox',
    version: '1.0.0',
    languages: ['en-GB'],
    trayFails: false,
    loadFails: false,
    loading: Promise.resolve(),
    answers: [],
    login: { openAtLogin: false, refuses: false, calls: [] },
    displays: [{ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
    exits: [],
    trays: [],
    windows: [],
    notifications: [],
    dialogs: [],
    opened: [],
    paths: new Map(),
    policies: [],
    hasLock: false,
    squirrel: [],
    schemes: [],
    hasHardwareAcceleration: true,
    utilities: [],
    utilityEnv: process.env,
    clipboard: '',
    menu: null,
    isReady: false,
    ready: () => {
      world.isReady = true
      resolve()
    },
    whenReady: promise,
  }
}

export let world = newWorld()

export function resetElectron(changes: Partial<World> = {}): World {
  world = { ...newWorld(), ...changes }
  for (const emitter of [app, autoUpdater, powerMonitor, theSession]) emitter.removeAllListeners()
  theSession.handlers.clear()
  return world
}

/** Members that every JavaScript object may be asked for. */
const ORDINARY = new Set([
  'then',
  'toJSON',
  'constructor',
  'toString',
  'valueOf',
  'inspect',
  'nodeType',
  'asymmetricMatch',
  '$$typeof',
])

/** Fails on what it does not have instead of answering undefined. */
function strict<Target extends object>(name: string, target: Target): Target {
  return new Proxy(target, {
    get(object, member) {
      if (typeof member === 'string' && !(member in object) && !ORDINARY.has(member)) {
        throw new Error(`The double of Electron does not know '${member}' of ${name}.`)
      }
      const value: unknown = Reflect.get(object, member)
      return typeof value === 'function' ? value.bind(object) : value
    },
  })
}

/** Fails on events that it does not know, also when a test makes one up. */
class Emitter extends EventEmitter {
  readonly known: readonly string[]

  constructor(known: readonly string[]) {
    super()
    this.known = known
  }

  override on(event: string, listener: Handler): this {
    this.#check(event)
    return super.on(event, listener as (...args: unknown[]) => void)
  }

  override emit(event: string, ...args: unknown[]): boolean {
    this.#check(event)
    return super.emit(event, ...args)
  }

  #check(event: string): void {
    if (!this.known.includes(event)) throw new Error(`The double of Electron does not know the event '${event}'.`)
  }
}

/** By the names of Electron's declarations; for the test that compares them. */
export const EVENTS = {
  App: [
    'second-instance',
    'open-url',
    'activate',
    'before-quit',
    'window-all-closed',
    'render-process-gone',
    'child-process-gone',
    'web-contents-created',
  ],
  AutoUpdater: ['error', 'update-downloaded', 'before-quit-for-update'],
  BrowserWindow: ['close', 'closed', 'show', 'hide', 'blur', 'session-end'],
  Notification: ['click', 'close', 'failed'],
  PowerMonitor: ['resume', 'shutdown'],
  Session: ['will-download'],
  Tray: ['click', 'right-click'],
  UtilityProcess: ['message', 'exit'],
  WebContents: ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview', 'render-process-gone'],
} as const

class App extends Emitter {
  constructor() {
    super(EVENTS.App)
  }

  get isPackaged(): boolean {
    return world.isPackaged
  }

  requestSingleInstanceLock(): boolean {
    world.hasLock = world.isFirstInstance
    return world.isFirstInstance
  }

  releaseSingleInstanceLock(): void {
    world.hasLock = false
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    world.schemes.push(scheme)
    return true
  }

  getVersion(): string {
    return world.version
  }

  getPreferredSystemLanguages(): string[] {
    return [...world.languages]
  }

  getName(): string {
    return 'farebox'
  }

  /** Ends the process unless somebody objects. */
  quit(): void {
    let isPrevented = false
    this.emit('before-quit', { preventDefault: () => (isPrevented = true) })
    if (!isPrevented) this.exit()
  }

  whenReady(): Promise<void> {
    return world.whenReady
  }

  exit(code = 0): void {
    world.exits.push(code)
  }

  disableHardwareAcceleration(): void {
    world.hasHardwareAcceleration = false
  }

  setPath(name: string, path: string): void {
    world.paths.set(name, path)
  }

  getPath(name: string): string {
    if (name === 'appData') return world.appData
    if (name === 'userData') return world.paths.get(name) ?? world.appData
    throw new Error(`The double of Electron does not know the path '${name}'.`)
  }

  getAppPath(): string {
    return world.appPath
  }

  setAppUserModelId(id: string): void {
    if (world.platform !== 'win32') throw new Error('setAppUserModelId is not there on this system.')
    world.paths.set('appUserModelId', id)
  }

  setActivationPolicy(policy: string): void {
    if (world.platform !== 'darwin') throw new Error('setActivationPolicy is not there on this system.')
    world.policies.push(policy)
  }

  getLoginItemSettings(): { openAtLogin: boolean; wasOpenedAtLogin: boolean } {
    if (world.platform === 'linux') throw new Error('Login items are not there on Linux.')
    return { openAtLogin: world.login.openAtLogin, wasOpenedAtLogin: false }
  }

  setLoginItemSettings(settings: { openAtLogin?: boolean }): void {
    if (world.platform === 'linux') throw new Error('Login items are not there on Linux.')
    world.login.calls.push(settings)
    if (!world.login.refuses) world.login.openAtLogin = settings.openAtLogin ?? false
  }
}

const KNOWN_ITEM = ['type', 'label', 'enabled', 'checked', 'click', 'submenu', 'role', 'accelerator']

/** Built from a template that Electron would take, and fixed from then on. */
export class Menu {
  readonly items: readonly MenuItemConstructorOptions[]

  private constructor(items: readonly MenuItemConstructorOptions[]) {
    this.items = items
  }

  static buildFromTemplate(template: MenuItemConstructorOptions[]): Menu {
    for (const item of template) {
      const unknown = Object.keys(item).filter((key) => !KNOWN_ITEM.includes(key))
      if (unknown.length > 0) throw new Error(`The double of Electron does not know '${unknown[0]}' of a menu item.`)
      if (item.label === undefined && item.role === undefined && item.type === undefined) {
        throw new Error('Invalid template for MenuItem: must have at least one of label, role or type')
      }
      if (Array.isArray(item.submenu)) Menu.buildFromTemplate(item.submenu)
    }
    return new Menu(structuredCopy(template))
  }

  static setApplicationMenu(menu: Menu | null): void {
    world.menu = menu
  }
}

/** What the template was when the menu was built: changing it later changes no menu. */
function structuredCopy(template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return template.map((item) =>
    Array.isArray(item.submenu) ? { ...item, submenu: structuredCopy(item.submenu) } : { ...item },
  )
}

class Destroyable extends Emitter {
  #isDestroyed = false

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  protected markDestroyed(): void {
    this.#isDestroyed = true
  }

  protected alive(): void {
    if (this.#isDestroyed) throw new Error('Object has been destroyed')
  }
}

export class Tray extends Destroyable {
  image: NativeImage
  tooltip = ''
  /** What the desktop shows on Linux: only what it was given last. */
  desktopMenu: Menu | undefined
  /** What was popped up last. */
  popped: Menu | undefined

  constructor(image: NativeImage) {
    super(EVENTS.Tray)
    if (world.trayFails) throw new Error('no tray')
    this.image = image
    const tray = strict('Tray', this)
    world.trays.push(tray)
    return tray
  }

  setImage(image: NativeImage): void {
    this.alive()
    this.image = image
  }

  setToolTip(text: string): void {
    this.alive()
    this.tooltip = text
  }

  setContextMenu(menu: Menu): void {
    this.alive()
    this.desktopMenu = menu
  }

  popUpContextMenu(menu: Menu): void {
    this.alive()
    if (world.platform === 'linux') throw new Error('popUpContextMenu is not there on Linux.')
    this.popped = menu
  }

  getBounds(): Rectangle {
    this.alive()
    return { x: 1800, y: 0, width: 24, height: 24 }
  }

  destroy(): void {
    this.markDestroyed()
  }
}

type NativeImage = { readonly path: string; isTemplate: boolean; setTemplateImage(isTemplate: boolean): void }

export const nativeImage = strict('nativeImage', {
  createFromPath: (path: string): NativeImage =>
    strict<NativeImage>('NativeImage', {
      path,
      isTemplate: false,
      setTemplateImage(isTemplate) {
        this.isTemplate = isTemplate
      },
    }),
})

export class WebContents extends Emitter {
  openHandler: ((details: { url: string }) => { action: string }) | undefined
  readonly loaded: string[] = []
  url = ''

  constructor() {
    super(EVENTS.WebContents)
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler
  }

  getURL(): string {
    return this.url
  }
}

type WindowOptions = Rectangle & { webPreferences?: object; show?: boolean; frame?: boolean; minWidth?: number }

export class BrowserWindow extends Destroyable {
  readonly options: WindowOptions
  readonly webContents: WebContents
  #bounds: Rectangle
  #isVisible: boolean
  #isMaximized = false
  #loads = 0
  isFocused = false

  constructor(options: WindowOptions) {
    super(EVENTS.BrowserWindow)
    this.options = options
    this.#bounds = options
    this.#isVisible = options.show ?? true
    this.webContents = strict('WebContents', new WebContents())
    app.emit('web-contents-created', {}, this.webContents)
    const window = strict('BrowserWindow', this)
    world.windows.push(window)
    return window
  }

  async loadURL(url: string): Promise<void> {
    this.alive()
    this.webContents.loaded.push(url)
    const load = (this.#loads += 1)
    await world.loading
    if (world.loadFails) throw new Error(`ERR_CONNECTION_REFUSED (-102) loading '${url}'`)
    // What begins to load breaks off what was loading, as in any browser.
    if (load !== this.#loads)
      throw Object.assign(new Error(`ERR_ABORTED (-3) loading '${url}'`), { code: 'ERR_ABORTED' })
    // The dashboard takes the ticket out of its address before anything else.
    this.webContents.url = url.replace(/#.*$/, '')
  }

  isVisible(): boolean {
    this.alive()
    return this.#isVisible
  }

  isMinimized(): boolean {
    this.alive()
    return false
  }

  isMaximized(): boolean {
    this.alive()
    return this.#isMaximized
  }

  maximize(): void {
    this.alive()
    this.#isMaximized = true
  }

  show(): void {
    this.alive()
    if (this.#isVisible) return
    this.#isVisible = true
    this.emit('show')
  }

  hide(): void {
    this.alive()
    if (!this.#isVisible) return
    this.#isVisible = false
    this.emit('hide')
  }

  focus(): void {
    this.alive()
    this.isFocused = true
  }

  restore(): void {
    this.alive()
  }

  setBounds(bounds: Rectangle): void {
    this.alive()
    this.#bounds = bounds
  }

  getNormalBounds(): Rectangle {
    this.alive()
    const { x, y, width, height } = this.#bounds
    return { x, y, width, height }
  }

  /** What a person does; the program only ever destroys. */
  pressClose(): void {
    const event = { isPrevented: false, preventDefault: () => void (event.isPrevented = true) }
    this.emit('close', event)
    if (!event.isPrevented) this.destroy()
  }

  destroy(): void {
    if (this.isDestroyed()) return
    this.markDestroyed()
    this.emit('closed')
  }
}

export class Notification extends Emitter {
  readonly options: { title: string; body: string }
  isShown = false

  constructor(options: { title: string; body: string }) {
    super(EVENTS.Notification)
    this.options = options
  }

  static isSupported(): boolean {
    return true
  }

  show(): void {
    this.isShown = true
    world.notifications.push(this)
  }
}

export class Session extends Emitter {
  readonly handlers = new Map<string, Handler>()

  constructor() {
    super(EVENTS.Session)
  }

  setPermissionRequestHandler(handler: Handler): void {
    this.handlers.set('request', handler)
  }

  setPermissionCheckHandler(handler: Handler): void {
    this.handlers.set('check', handler)
  }

  setDevicePermissionHandler(handler: Handler): void {
    this.handlers.set('device', handler)
  }

  setDisplayMediaRequestHandler(handler: Handler): void {
    this.handlers.set('display', handler)
  }
}

/** What Electron gives the code of a utility process, made of what Node gives a child. */
const PARENT_PORT = `
  const { EventEmitter } = await import('node:events')
  const port = new EventEmitter()
  port.postMessage = (message) => void process.send(message)
  // What was sent before somebody listens is kept until then.
  port.once('newListener', () => process.on('message', (data) => port.emit('message', { data, ports: [] })))
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.parentPort = port`

/** A real process whose only way to talk is the port of a utility process. */
export class UtilityProcess extends Emitter {
  readonly #child: ChildProcess
  readonly options: { serviceName?: string; stdio?: string }

  constructor(modulePath: string, options: UtilityProcess['options']) {
    super(EVENTS.UtilityProcess)
    this.options = options
    this.#child = fork(modulePath, [], {
      env: world.utilityEnv,
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(PARENT_PORT)}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.once('exit', (code) => this.emit('exit', code))
    world.utilities.push(this)
  }

  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }

  postMessage(message: object): void {
    if (this.pid !== undefined) this.#child.send(message, () => undefined)
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM')
  }
}

export const utilityProcess = strict('utilityProcess', {
  fork(modulePath: string, args: string[], options: UtilityProcess['options']): UtilityProcess {
    if (!world.isReady) throw new Error('utilityProcess cannot be created before app is ready.')
    if (args.length > 0) throw new Error('The double of Electron does not know arguments of utility processes.')
    return strict('UtilityProcess', new UtilityProcess(modulePath, options))
  },
})

export const theSession = new Session()
/** How the session of the window was asked for. */
export const partitions: { name: string; cache: boolean | undefined }[] = []

export const session = strict('session', {
  fromPartition(name: string, options: { cache?: boolean } = {}): Session {
    partitions.push({ name, cache: options.cache })
    return strict('Session', theSession)
  },
})

export const shell = strict('shell', {
  async openExternal(url: string): Promise<void> {
    world.opened.push(url)
  },
})

export const clipboard = strict('clipboard', {
  writeText(text: string): void {
    world.clipboard = text
  },
})

export const dialog = strict('dialog', {
  async showMessageBox(options: World['dialogs'][number]): Promise<{ response: number }> {
    world.dialogs.push(options)
    return { response: world.answers.shift() ?? (options.buttons?.length ?? 1) - 1 }
  },
})

export const screen = strict('screen', {
  getPrimaryDisplay: () => world.displays[0],
  getAllDisplays: () => world.displays,
  getDisplayMatching: () => world.displays[0],
})

export const nativeTheme = strict('nativeTheme', { shouldUseDarkColors: false })

/** The network as Electron has it, with Node's in its place. */
export const net = strict('net', {
  fetch: (url: string, options: RequestInit): Promise<Response> => fetch(url, options),
  request: ({ session: _session, ...options }: RequestOptions & { session?: unknown }): ClientRequest =>
    options.protocol === 'https:' ? requestSecurely(options) : request(options),
})

/** Squirrel, which only macOS has: it fetches what it is pointed to, and quits when told. */
class AutoUpdater extends Emitter {
  #feed: { url: string; headers?: Record<string, string> } | undefined

  constructor() {
    super(EVENTS.AutoUpdater)
  }

  setFeedURL(feed: { url: string; headers?: Record<string, string> }): void {
    this.#feed = feed
  }

  checkForUpdates(): void {
    void this.#fetch()
  }

  quitAndInstall(): void {
    world.squirrel.push('quitAndInstall')
    app.quit()
  }

  async #fetch(): Promise<void> {
    const { url = '', headers = {} } = this.#feed ?? {}
    const found = (await (await fetch(url, { headers })).json()) as { url: string }
    world.squirrel.push(await (await fetch(found.url)).text())
    this.emit('update-downloaded')
  }
}

export const autoUpdater = strict('autoUpdater', new AutoUpdater())

class PowerMonitor extends Emitter {
  constructor() {
    super(EVENTS.PowerMonitor)
  }
}

export const powerMonitor = strict('powerMonitor', new PowerMonitor())
const theApp = new App()
export const app = strict('app', theApp)

/** Every member that the shell may call, by the names of Electron's declarations. */
export const MEMBERS = {
  App: membersOf(App),
  AutoUpdater: membersOf(AutoUpdater),
  BrowserWindow: membersOf(BrowserWindow).filter((name) => name !== 'pressClose'),
  Menu: ['buildFromTemplate', 'setApplicationMenu'],
  Net: ['fetch', 'request'],
  Notification: ['isSupported', ...membersOf(Notification)],
  Session: membersOf(Session),
  Tray: membersOf(Tray),
  UtilityProcess: membersOf(UtilityProcess),
  WebContents: membersOf(WebContents),
} as const

function membersOf({ prototype }: { readonly prototype: object }): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
}
