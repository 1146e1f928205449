// What is kept about a crash: when, which version, which process and why, as far as that is a word from a list. A memory dump would
// hold prompts, answers and secrets of the moment, so Electron's crash reporter is not started at all, and nothing is sent anywhere.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Crash = {
  /** Which process: `main`, `window`, or the kind that Electron names. */
  readonly what: string
  /** Electron's word for why, or the name and place of an error without its message. */
  readonly reason: string
  readonly exitCode?: number
}

export type CrashNotesOptions = { readonly dataDir: string; readonly version: string; readonly nowMs: () => number }

const MAX_NOTES = 20
/** Other files of the folder are somebody's. */
const NOTE = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.json$/

export class CrashNotes {
  readonly #options: CrashNotesOptions
  readonly #dir: string
  readonly #marker: string

  constructor(options: CrashNotesOptions) {
    this.#options = options
    this.#dir = join(options.dataDir, 'crashes')
    this.#marker = join(this.#dir, 'running')
  }

  /** Marks that the program runs. Writes a note when the last time did not end as it should. Never throws. */
  begin(): void {
    if (existsSync(this.#marker)) this.add({ what: 'main', reason: 'ended without saying so' })
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      writeFileSync(this.#marker, '', { mode: 0o600 })
    } catch {
      // A disk that takes no mark must not keep Farebox from starting; all that is lost is the note about a crash.
    }
  }

  end(): void {
    rmSync(this.#marker, { force: true })
  }

  add({ what, reason, exitCode }: Crash): void {
    const { nowMs, version } = this.#options
    const at = new Date(nowMs()).toISOString()
    const note = { at, version, platform: process.platform, what: word(what), reason: word(reason), exitCode }
    try {
      // A crash may come before the beginning.
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      writeFileSync(join(this.#dir, `${at.replaceAll(':', '-')}.json`), `${JSON.stringify(note)}\n`, { mode: 0o600 })
      this.#forgetOldest()
    } catch {
      // A disk that takes no note must not turn one crash into two.
    }
  }

  #forgetOldest(): void {
    const notes = readdirSync(this.#dir)
      .filter((name) => NOTE.test(name))
      .toSorted()
    for (const name of notes.slice(0, Math.max(0, notes.length - MAX_NOTES))) rmSync(join(this.#dir, name))
  }
}

/** Bounded and in one line, whatever it was. */
function word(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, ' ').slice(0, 300)
}
