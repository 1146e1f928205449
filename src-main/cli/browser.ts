// Shows a page of the gateway in the user's browser.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemProgram } from '#connect/program.ts'
import { openPageName } from '#core/open-page.ts'

type Surroundings = {
  readonly dataDir: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Variables that show that there is a screen. */
const SCREEN_VARIABLES = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER', 'WSL_DISTRO_NAME']
/** An opener that ends well or is still at work by then has found a browser. */
const ENOUGH_MS = 3000

/**
 * Opens a URL that holds a ticket, by way of a file that only this user can read. False where there is no browser to be found. The
 * gateway removes the file a minute later.
 */
export async function openInBrowser(url: string, { dataDir, platform, env }: Surroundings): Promise<boolean> {
  const hasScreen = platform !== 'linux' || SCREEN_VARIABLES.some((name) => (env[name] ?? '') !== '')
  if (!hasScreen) return false
  const file = join(dataDir, openPageName(randomUUID()))
  await writeFile(file, pageOf(url), { mode: 0o600, flag: 'wx' })
  const [program, ...before] = openerOf(platform, env)
  return isStarted(program, [...before, file])
}

/** Programs of the system by their paths, where they have one: nothing in the current folder or on PATH takes their place. */
export function openerOf(platform: NodeJS.Platform, env: Surroundings['env']): readonly [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['/usr/bin/open']
    case 'win32':
      return [systemProgram('rundll32.exe', env), 'url.dll,FileProtocolHandler']
    default:
      return ['xdg-open']
  }
}

function isStarted(program: string, words: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', detached: true })
    const timer = setTimeout(() => resolve(true), ENOUGH_MS)
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}

/** The URL is of this program's making: an address, a port and letters that mean nothing in HTML. */
function pageOf(url: string): string {
  const head = `<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Farebox</title>`
  const refresh = `<meta http-equiv="refresh" content="0; url=${url}">`
  return `<!doctype html><html lang="en"><head>${head}${refresh}</head><body><a href="${url}">Dashboard</a></body></html>\n`
}
