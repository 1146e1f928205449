// Starting a program without a shell. Windows starts command files (`.cmd`, `.bat`) only through cmd.exe, which reads a second language
// out of its line: every word is quoted for it here. Names are looked up here too, because Windows would try the current folder first.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, win32 } from 'node:path'

export type Start = {
  readonly program: string
  readonly words: readonly string[]
  /** Windows: the words are quoted already, and the system adds no quotes. */
  readonly isVerbatim: boolean
}

type Environment = Readonly<Record<string, string | undefined>>
type OnSystem = { readonly env: Environment; readonly platform: NodeJS.Platform }

/** What Windows can start, of all that PATHEXT may list: the rest are documents for interpreters. */
const STARTABLE = new Set(['.COM', '.EXE', '.BAT', '.CMD'])
const COMMAND_FILE = /\.(?:cmd|bat)$/i
/** cmd.exe reads these as they are, outside of quotes too. */
const PLAIN_WORD = /^[\w#$*+./:?@\\-]*[\w#$*+./:?@-]$/
/** The end of the line for cmd.exe: nothing can quote it. */
const LINE_END = /[\0\r\n]/

/** The absolute path of a command on PATH; undefined where there is none. Relative folders on PATH are not searched. */
export function findProgram(command: string, { env, platform }: OnSystem): string | undefined {
  const isWindows = platform === 'win32'
  const listed = (env['PATHEXT'] ?? '.EXE;.CMD').split(';')
  const endings = isWindows ? listed.filter((ending) => STARTABLE.has(ending.toUpperCase())) : ['']
  const folders = (env['PATH'] ?? '').split(delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1'))
  return folders
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => join(folder, command + ending)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** How to start a program with these words and nothing else; undefined for words that cmd.exe cannot carry: those with a line break. */
export function startOf(program: string, words: readonly string[], { env, platform }: OnSystem): Start | undefined {
  if (platform !== 'win32' || !COMMAND_FILE.test(program)) return { program, words, isVerbatim: false }
  if ([program, ...words].some((word) => LINE_END.test(word))) return undefined
  const line = [quotedForCmd(program), ...words.map((word) => (PLAIN_WORD.test(word) ? word : quotedForCmd(word)))]
  // No AutoRun, extensions on, no delayed expansion, and of the line only the outer quotes are removed.
  const options = ['/d', '/e:ON', '/v:OFF', '/s', '/c']
  return { program: systemProgram('cmd.exe', env), words: [...options, `"${line.join(' ')}"`], isVerbatim: true }
}

/**
 * One word for a command file and for the program that it hands its words to. A quote is doubled, so that cmd.exe, which knows no escaped
 * ones, never sees the word end early, however often it reads the line. `%%cd:~,%` is a percent sign and a variable cut to nothing.
 */
function quotedForCmd(word: string): string {
  const inner = word.replace(/(?<!\\)(\\*)("|$)/g, '$1$1$2$2').replaceAll('%', '%%cd:~,%')
  return `"${inner}"`
}

/** A program of Windows itself, by its path: its bare name would be looked up in the current folder first. */
export function systemProgram(name: string, env: Environment): string {
  const root = env['SystemRoot'] ?? env['SYSTEMROOT'] ?? ''
  const folder = /^[a-z]:\\[^"\r\n]*$/i.test(root) ? root : 'C:\\Windows'
  return win32.join(folder, 'System32', name)
}
