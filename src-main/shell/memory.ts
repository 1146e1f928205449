// What the shell remembers between two starts, in `shell.json` in the data folder. Whether Farebox starts at login is not in it: that
// is asked of the system, which is where a person may change it too.

import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ShellFile } from '#contract/shell-settings.ts'
import { check } from '#contract/validate.ts'

const DEFAULTS: ShellFile = {
  close_to_tray: null,
  daily_update_check: false,
  notifications: true,
  window: null,
  told_levels: {},
  last_update_look: null,
}

export class Memory {
  readonly #path: string
  readonly #note: (line: string) => void
  #file: ShellFile

  /** Reads the file. One that is broken counts as absent, which is noted, and is replaced by the next change. */
  constructor(dataDir: string, note: (line: string) => void) {
    this.#path = join(dataDir, 'shell.json')
    this.#note = note
    this.#file = this.#read()
  }

  get file(): ShellFile {
    return this.#file
  }

  change(members: Partial<ShellFile>): void {
    this.replace({ ...this.#file, ...members })
  }

  /** Writes the whole file beside its place before it is moved there. A failure is noted: nothing else depends on it. */
  replace(next: ShellFile): void {
    if (JSON.stringify(next) === JSON.stringify(this.#file)) return
    this.#file = next
    try {
      const draft = `${this.#path}.new`
      writeFileSync(draft, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 })
      if (process.platform !== 'win32') chmodSync(draft, 0o600)
      renameSync(draft, this.#path)
    } catch (error) {
      this.#note(`The settings of the window could not be kept (${codeOf(error)}): ${this.#path}`)
    }
  }

  #read(): ShellFile {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#note(`The settings of the window cannot be read (${codeOf(error)}).`)
      return DEFAULTS
    }
    const checked = check(ShellFile, parse(text))
    if (checked.type === 'valid') return checked.value
    this.#note('The settings of the window (shell.json) were damaged and have been reset.')
    return DEFAULTS
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses undefined like any other broken file.
    return undefined
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
