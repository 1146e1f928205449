// Starting at login on Linux: a file in the folder that desktops read at login (XDG Autostart). macOS and Windows have a place of
// their own for it, which Electron knows.

import { chmodSync, mkdirSync, renameSync, rmSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is started: a program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** The start that shows no window. */
export const HIDDEN_FLAG = '--hidden'

export function autostartPath(configDir: string): string {
  return join(configDir, 'autostart', 'farebox.desktop')
}

/** Throws the system's error where the file cannot be written. */
export function writeAutostart(configDir: string, command: Command): void {
  const path = autostartPath(configDir)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.new`
  writeFileSync(draft, autostartEntry(command), { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

export function removeAutostart(configDir: string): void {
  rmSync(autostartPath(configDir), { force: true })
}

export function hasAutostart(configDir: string): boolean {
  return existsSync(autostartPath(configDir))
}

/** The text of the file, see the Desktop Entry Specification. */
export function autostartEntry(command: Command): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.5',
    'Name=Farebox',
    'Comment=A model gateway on this machine',
    `Exec=${[...command, HIDDEN_FLAG].map(quote).join(' ')}`,
    'Icon=farebox',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/**
 * An argument of the Exec key. It is read twice: as a string of the file, where a backslash escapes, and as a command line, where
 * a quoted argument escapes four characters; a percent sign would be a field code.
 */
function quote(argument: string): string {
  // A line break would begin another key of the file, and no program of ours has one in its path.
  if (/[\p{Cc}]/u.test(argument))
    throw new Error('The path of Farebox has a character that an autostart file cannot hold.')
  const escaped = argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${escaped.replaceAll('\\', '\\\\')}"`
}
