// The words this program was started with, and those it is started with at login.

import { LINK_SCHEME } from '#contract/link.ts'
import type { Command } from '#shell/autostart.ts'

/** Flags of `farebox start` that make sense here; each is followed by a value. Chromium and the system add flags of their own. */
const FLAGS = ['--data-dir', '--port', '--config']

/** Of everything that was given, the flags that are ours. Whoever wrote a link may have written what comes behind it as well. */
export function ownFlags(given: readonly string[]): string[] {
  return flagsOf(given, FLAGS)
}

/**
 * What was typed as a command of the command line; undefined where nothing was, and the tray app is meant. Everything behind `--` is
 * a command. Otherwise it begins with the first word that is no flag and no value of one of ours; what Chromium and packages put
 * before it is left out.
 */
export function commandWords(given: readonly string[]): string[] | undefined {
  // Whoever wrote a link must not choose a command, whatever the system makes of it on the way here.
  if (linkIn(given) !== undefined) return undefined
  const dashes = given.indexOf('--')
  if (dashes !== -1) return given.slice(dashes + 1)
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? ''
    if (!word.startsWith('-')) return [...ownFlags(given.slice(0, index)), ...given.slice(index)]
    if (word === '--help' || word === '-h') return ['help']
    if (word === '--version') return [word]
    if (FLAGS.includes(word)) index += 1
  }
  return undefined
}

/** The link that somebody followed: the system hands it over as a word. */
export function linkIn(given: readonly string[]): string | undefined {
  return given.find(isLink)
}

function isLink(word: string): boolean {
  return word.toLowerCase().startsWith(`${LINK_SCHEME}:`)
}

export type CommandPlace = {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  readonly appImage: string | undefined
  /** Where a package has its resources. */
  readonly resourcesPath: string
}

/** What somebody types for the command line of this program. */
export function ownCommand({ isPackaged, platform, appImage, resourcesPath }: CommandPlace): string {
  if (!isPackaged) return 'npm run --silent farebox --'
  if (appImage !== undefined && appImage !== '') return `"${appImage}" --`
  if (platform === 'darwin') return `"${resourcesPath}/bin/farebox"`
  return platform === 'win32' ? `"${resourcesPath}\\bin\\farebox.cmd"` : 'farebox'
}

export type OwnProgram = {
  readonly given: readonly string[]
  /** Where the data is, absolute: at login there is another working folder, and another environment. */
  readonly dataDir: string
  readonly execPath: string
  readonly isPackaged: boolean
  /** The folder that Electron runs; named on the command line where it is not part of the program. */
  readonly appPath: string
  /** The file of an AppImage, whose program lies in a folder that is gone after each run. */
  readonly appImage: string | undefined
}

/** What starts Farebox on the same data and port as this time. A configuration file has been applied, and is not applied again. */
export function loginCommand({ given, dataDir, execPath, isPackaged, appPath, appImage }: OwnProgram): Command {
  const program = isPackaged && appImage !== undefined && appImage !== '' ? appImage : execPath
  return [program, ...(isPackaged ? [] : [appPath]), '--data-dir', dataDir, ...flagsOf(given, ['--port'])]
}

function flagsOf(given: readonly string[], flags: readonly string[]): string[] {
  const link = given.findIndex(isLink)
  const own = link === -1 ? given : given.slice(0, link)
  return own.flatMap((word, index) => {
    const [name = ''] = word.split('=', 1)
    if (!flags.includes(name)) return []
    const next = own[index + 1]
    return word.includes('=') || next === undefined ? [word] : [word, next]
  })
}
