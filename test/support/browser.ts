// The browser that tests look at pages with.

import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
/** The same without windows, which not every system has. Its tests take a quarter less processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/** The program to start. Where there is none, it is the one that a message had best name. */
export function findBrowser(isThere: (path: string) => boolean): string {
  return isThere(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM
}

/** Starts one. Whoever starts it closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser(existsSync),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      // Pages that share a process share what it has compiled.
      '--renderer-process-limit=1',
      // There is no graphics card, and a process that stands in for one costs more than it gives.
      '--disable-gpu',
      '--in-process-gpu',
      // A page of a test is gone before code that was made quicker has earned what making it took.
      '--js-flags=--no-opt --no-maglev',
    ],
  })
}
