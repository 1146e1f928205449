// Programs are started with exactly the words that they are given. Windows' way is tried against a model of what reads a line there:
// cmd.exe on the command line, cmd.exe in the command file that hands its words on, and the C runtime of the program behind it.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { openerOf } from '#cli/browser.ts'
import { shellWord } from '#cli/shell-word.ts'
import { findProgram, startOf, systemProgram } from '#connect/program.ts'
import { cases } from '../support/cases.ts'
import { closeWorkshops, openWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const ENV = { SystemRoot: 'C:\\Windows', PATHEXT: '.COM;.EXE;.BAT;.CMD;.VBS;.JS' }
const WINDOWS = { env: ENV, platform: 'win32' } as const
const SHIM = 'C:\\Users\\R&D 100%PATH%\\npm\\claude.cmd'
const VARIABLES: Readonly<Record<string, string>> = {
  path: 'C:\\x&y',
  cd: 'C:\\work & play',
  a: '" & calc & "',
  os: 'NT',
}

/** Percent signs on the command line: of an unknown variable everything stays. */
function expandPercent(line: string): string {
  let out = ''
  for (let at = 0; at < line.length; at++) {
    const found = line[at] === '%' ? /^%([^%:\n]*)(?::~(-?\d*),(-?\d*))?%/.exec(line.slice(at)) : null
    const value = found === null ? undefined : VARIABLES[(found[1] ?? '').toLowerCase()]
    if (found === null || value === undefined) {
      out += line[at]
      continue
    }
    out += found[2] === undefined ? value : value.slice(Number(found[2]), Number(found[2]) + Number(found[3]))
    at += found[0].length - 1
  }
  return out
}

/** What cmd.exe makes of a line once its variables are in it; throws where it would see more than one command. */
function readByCmd(line: string): string {
  let isQuoted = false
  let out = ''
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (/[\n\r\0]/.test(letter)) throw new Error('the line ends early')
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && letter === '^') {
      out += line[++at] ?? ''
      continue
    }
    if (!isQuoted && /[&|<>()]/.test(letter)) throw new Error(`cmd.exe reads ${letter} as its own`)
    out += letter
  }
  return out
}

/** The words of a program by the rules of Microsoft's C runtime. */
function readByProgram(line: string): string[] {
  const words: string[] = []
  let at = 0
  const runOf = (letter: string) => {
    const start = at
    while (line[at] === letter) at++
    return at - start
  }
  for (;;) {
    while (line[at] === ' ' || line[at] === '\t') at++
    if (at >= line.length) return words
    let word = ''
    let isQuoted = false
    while (at < line.length && (isQuoted || (line[at] !== ' ' && line[at] !== '\t'))) {
      const backslashes = runOf('\\')
      if (line[at] !== '"') {
        word += '\\'.repeat(backslashes)
        const isOver = at >= line.length || (!isQuoted && /[ \t]/.test(line[at] ?? ''))
        if (!isOver && line[at] !== '\\') word += line[at++]
        continue
      }
      word += '\\'.repeat(backslashes >> 1)
      at++
      if (backslashes % 2 === 1) word += '"'
      else if (isQuoted && line[at] === '"') {
        word += '"'
        at++
      } else isQuoted = !isQuoted
    }
    words.push(word)
  }
}

/** The words that a program behind a command file gets: `"%dp0%\node.exe" … %*` is read by cmd.exe again. */
function wordsBehindShim(words: readonly string[]): string[] | undefined {
  const start = startOf(SHIM, words, WINDOWS)
  if (start === undefined) return undefined
  expect(start).toMatchObject({ program: 'C:\\Windows\\System32\\cmd.exe', isVerbatim: true })
  expect(start.words.slice(0, -1)).toEqual(['/d', '/e:ON', '/v:OFF', '/s', '/c'])
  const [, command = ''] = /^"(.*)"$/s.exec(start.words.at(-1) ?? '') ?? []
  const [, program = '', handed = ''] = /^("[^"]*")(.*)$/s.exec(readByCmd(expandPercent(command))) ?? []
  expect(program).toBe(`"${SHIM}"`)
  const [, ...read] = readByProgram(`node.exe ${readByCmd(readByCmd(handed))}`)
  return read
}

const MEANT = [
  '&',
  '|',
  '<',
  '>',
  '^',
  '%',
  '!',
  '"',
  '\\',
  ' ',
  '\t',
  "'",
  '(',
  ')',
  ',',
  ';',
  '=',
  '`',
  '$',
  '~',
  ':',
]
const LETTERS = [...MEANT, 'a', 'path', 'cd', '%PATH%', '%cd:~,%', '\\"', '""', 'ü', '💥', '-']
const line = fc.array(fc.constantFrom(...LETTERS), { maxLength: 12 }).map((letters) => letters.join(''))

describe('a command file of Windows', () => {
  it('gets exactly its words, whatever they are made of', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (words) => {
        expect(wordsBehindShim(words)).toEqual(words)
      }),
      { numRuns: cases(2000, 5000, 200_000) },
    )
  })

  it.each(['m&calc.exe', 'm"&calc.exe&"', '%COMSPEC%', 'C:\\', '\\"', '', '^', 'a b', '"', '\\\\"', '100%', '%a%'])(
    'gets %j as one word',
    (word) => expect(wordsBehindShim(['--model', word, 'last'])).toEqual(['--model', word, 'last']),
  )

  it.each(['a\nb', 'a\r', '\0', '"\n&calc'])('is not started with %j, which would end the line', (word) => {
    expect(startOf(SHIM, [word], WINDOWS)).toBeUndefined()
    expect(startOf('C:\\a\\CLAUDE.BAT', [word], WINDOWS)).toBeUndefined()
  })
})

describe('any other program', () => {
  it.each([
    ['C:\\tools\\codex.exe', WINDOWS],
    ['claude.cmd', { env: {}, platform: 'linux' }],
  ] as const)('%s is started as it is, with its words as they are', (program, place) => {
    const words = ['m&calc.exe', 'a\n"b']
    expect(startOf(program, words, place)).toEqual({ program, words, isVerbatim: false })
  })

  it('of Windows itself is started by its path', () => {
    expect(openerOf('win32', ENV)[0]).toBe('C:\\Windows\\System32\\rundll32.exe')
    expect(systemProgram('cmd.exe', { SystemRoot: 'D:\\WinNT\\' })).toBe('D:\\WinNT\\System32\\cmd.exe')
    for (const root of ['', '.', 'Windows', '\\\\host\\share', 'C:\\a"b', undefined]) {
      expect(systemProgram('cmd.exe', { SystemRoot: root })).toBe('C:\\Windows\\System32\\cmd.exe')
    }
  })
})

describe('the look-up on PATH', () => {
  it('finds absolute paths of what Windows can start, and nothing in the current folder or by a relative path', () => {
    const { home } = openWorkshop()
    const install = (folder: string, name: string) => {
      mkdirSync(join(home, folder), { recursive: true })
      writeFileSync(join(home, folder, name), '')
      chmodSync(join(home, folder, name), 0o755)
    }
    install('near', 'codex.EXE')
    install('far', 'codex.JS')
    install('far', 'codex.CMD')
    mkdirSync(join(home, 'odd', 'codex.EXE'), { recursive: true })
    const near = relative(process.cwd(), join(home, 'near'))
    const place = (...folders: string[]) => ({ ...WINDOWS, env: { ...ENV, PATH: folders.join(delimiter) } })
    const far = join(home, 'far')
    expect(findProgram('codex', place('', '.', near, join(home, 'odd'), `"${far}"`))).toBe(join(far, 'codex.CMD'))
    expect(findProgram('codex', place('', '.', near))).toBeUndefined()
  })
})

describe('a command that is printed to be pasted', () => {
  /** What each shell of Windows reads, without a look at what is inside quotes. */
  it('has words that PowerShell does not read anything out of', () => {
    const letters = [...LETTERS, '‘', '’', '‚', '‛', '“', '”', '„', '$(calc)', '\n', '\u001b']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 10 }), (parts) => {
        const word = parts.join('')
        const shown = word.replace(/\p{Cc}/gu, '\ufffd')
        const printed = shellWord(word, 'win32')
        const [, single] = /^'((?:[^'‘’‚‛]|(['‘’‚‛])\2)*)'$/.exec(printed) ?? []
        const [, double] = /^"([^"“”„$`]*)"$/.exec(printed) ?? []
        const bare = /^[\w.:/=+-][\w.@:/=+-]*$/.exec(printed)?.[0]
        expect(single?.replace(/(['‘’‚‛])\1/g, '$1') ?? double ?? bare).toBe(shown)
        // What cmd.exe could misread stands in quotes that it knows, as long as they do it.
        if (!/["$`%!\\“”„]/.test(shown)) expect(single).toBeUndefined()
      }),
      { numRuns: cases(500, 2000, 50_000) },
    )
  })
})
