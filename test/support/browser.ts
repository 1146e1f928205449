// The browser that tests look at pages with.

import { chromium, type Browser } from 'playwright-core'
import { programOf } from '../requirements.ts'

/** Starts one. Whoever starts it closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: programOf('chromium'),
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
