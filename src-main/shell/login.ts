// Whether Farebox starts at login. The system keeps it, so the system is asked, each time: a person may change it there too.

import { app } from 'electron'
import { hasAutostart, HIDDEN_FLAG, removeAutostart, writeAutostart, type Command } from '#shell/autostart.ts'

export type LoginItem = {
  isOn(): boolean
  /** Throws an error with a sentence where it cannot be changed. */
  set(isOn: boolean): void
  /** Whether this start was the one at login. */
  readonly wasStartedByLogin: boolean
}

export type LoginOptions = {
  readonly platform: NodeJS.Platform
  /** What the system is to start, without the flag for a hidden start. */
  readonly command: Command
  readonly argv: readonly string[]
}

export function loginItem(options: LoginOptions): LoginItem {
  const isHidden = options.argv.includes(HIDDEN_FLAG)
  if (options.platform === 'linux') return linuxItem(options.command, isHidden)
  const settings = settingsOf(options)
  return {
    isOn: () => app.getLoginItemSettings(settings).openAtLogin,
    set(isOn) {
      if (options.platform === 'darwin' && !app.isPackaged) {
        throw new Error('On macOS only the packaged Farebox can start at login.')
      }
      app.setLoginItemSettings({ ...settings, openAtLogin: isOn })
      // macOS may want the person to agree in its own settings.
      if (isOn && !app.getLoginItemSettings(settings).openAtLogin) {
        throw new Error('The system refused it. Allow Farebox in the settings for login items.')
      }
    },
    get wasStartedByLogin() {
      return isHidden || (options.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
    },
  }
}

/** macOS knows only whether; Windows wants to know what, with quotes around it. */
function settingsOf({ platform, command: [program, ...rest] }: LoginOptions): { path?: string; args?: string[] } {
  if (platform !== 'win32') return {}
  return { path: program, args: [...rest.map(quote), HIDDEN_FLAG] }
}

/** A backslash before the closing quote would escape it; file names have no quotes on Windows. */
function quote(argument: string): string {
  return `"${argument.replace(/(?<!\\)\\+$/, '$&$&')}"`
}

function linuxItem(command: Command, isHidden: boolean): LoginItem {
  return {
    isOn: () => hasAutostart(app.getPath('appData')),
    set: (isOn) => (isOn ? writeAutostart(app.getPath('appData'), command) : removeAutostart(app.getPath('appData'))),
    wasStartedByLogin: isHidden,
  }
}
