// Words of the commands that are printed for people to run.

import { printable } from '#cli/output.ts'

const PLAIN = /^[\w.@:/=,+%-]+$/
/** What cmd.exe or PowerShell reads inside double quotes. */
const READ_IN_DOUBLE_QUOTES = /["“”„$`%!\\]/

/** A word as it can be typed into a shell: a POSIX one, and on Windows PowerShell and, where any quotes do it, cmd.exe too. */
export function shellWord(word: string, platform: NodeJS.Platform): string {
  const isWindows = platform === 'win32'
  if (PLAIN.test(word) && !(isWindows && /^@|[%,]/.test(word))) return word
  const shown = printable(word)
  if (!isWindows) return `'${shown.replaceAll("'", `'\\''`)}'`
  return READ_IN_DOUBLE_QUOTES.test(shown) ? powershellText(shown) : `"${shown}"`
}

/** PowerShell takes typographic quotes for the end of a text too. */
export function powershellText(text: string): string {
  return `'${printable(text).replace(/['‘’‚‛]/g, '$&$&')}'`
}
