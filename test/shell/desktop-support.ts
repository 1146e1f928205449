// The whole shell on the double of Electron, beside a gateway that a test scripts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MenuItemConstructorOptions } from 'electron'
import type { Reading, Started } from '#shell/gateway-port.ts'
import { startShell, type ShellOptions } from '#shell/shell.ts'
import { resetElectron, world, type BrowserWindow, type World } from '../support/electron-double.ts'
import { FakeGateway, NOW_MS, WORDS_DIR } from './support.ts'

export type Desk = {
  readonly gateway: FakeGateway
  readonly dataDir: string
  readonly notes: string[]
  /** What the next start of the gateway gives. */
  next: Started
  starts: number
}

type DeskOptions = Partial<ShellOptions> & {
  readonly changes?: Partial<World>
  readonly first?: Started
  /** What the gateway says from the beginning. */
  readonly firstReading?: Reading
  readonly dataDir?: string
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'unhandledRejection'] as const
const folders: string[] = []
const before = new Map(SIGNALS.map((name) => [name, process.listeners(name as 'SIGTERM')]))

/** Starts the shell and comes back when it is up. */
export async function openDesk({ changes, first, firstReading, dataDir, ...options }: DeskOptions = {}): Promise<Desk> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'farebox-desk-'))
  folders.push(folder)
  const platform = options.platform ?? 'linux'
  resetElectron({ platform, appData: folder, ...changes })
  const gateway = new FakeGateway()
  if (firstReading !== undefined) gateway.next = firstReading
  const desk: Desk = { gateway, dataDir: folder, notes: [], next: first ?? { type: 'running', gateway }, starts: 0 }
  const started = startShell({
    host: {
      start: async () => {
        desk.starts += 1
        return desk.next
      },
    },
    dataDir: folder,
    iconsDir: '/icons',
    wordsDir: WORDS_DIR,
    platform,
    argv: [],
    loginCommand: ['/opt/farebox'],
    command: 'farebox',
    build: { isPackaged: true, isSigned: true, kind: 'appimage', version: '1.0.0' },
    updater: undefined,
    externalPlaces: ['https://example.org/farebox'],
    endMs: 5_000,
    nowMs: () => NOW_MS,
    note: (line) => desk.notes.push(line),
    ...options,
  })
  world.ready()
  await started
  return desk
}

/** Takes away what a shell leaves in this process, which in the real one ends with it. */
export function clearDesks(): void {
  for (const [name, listeners] of before) {
    for (const listener of process.listeners(name as 'SIGTERM')) {
      if (!listeners.includes(listener)) process.removeListener(name, listener)
    }
  }
  for (const window of world.windows) window.destroy()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** The items that can be clicked, by what is written on them. What stands in submenus counts as well. */
export function clickable(items: readonly MenuItemConstructorOptions[]): Map<string, () => void> {
  const found = new Map<string, () => void>()
  for (const { label = '', click, submenu } of items) {
    // The handlers of the shell take none of what Electron hands to them.
    if (click !== undefined) found.set(label, click as unknown as () => void)
    if (Array.isArray(submenu)) for (const [name, handler] of clickable(submenu)) found.set(name, handler)
  }
  return found
}

/** What the person sees in the tray at this moment: on Linux what the desktop was given, elsewhere what a click pops up. */
export function trayItems(): readonly MenuItemConstructorOptions[] {
  const tray = world.trays.at(-1)
  if (world.platform !== 'linux') tray?.emit('right-click')
  return (world.platform === 'linux' ? tray?.desktopMenu : tray?.popped)?.items ?? []
}

export function labels(items: readonly MenuItemConstructorOptions[] = trayItems()): string[] {
  return items.map(({ label = '' }) => label)
}

/** Clicks the item of the tray whose label begins like this. */
export function click(beginning: string): void {
  const [, handler] = [...clickable(trayItems())].find(([label]) => label.startsWith(beginning)) ?? []
  if (handler === undefined)
    throw new Error(`There is nothing to click that begins with '${beginning}': ${labels().join(' | ')}`)
  handler()
}

/** The windows that are there, hidden or not. */
export function windows(): BrowserWindow[] {
  return world.windows.filter((window) => !window.isDestroyed())
}

export function visible(): BrowserWindow[] {
  return windows().filter((window) => window.isVisible())
}

/** Lets everything run that was begun and waits for no timer. */
export async function settle(): Promise<void> {
  for (let index = 0; index < 10; index++) await new Promise((resolve) => setImmediate(resolve))
}
