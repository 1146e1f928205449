// Looks for what tests need before the first of them, installs it if this is root and the system has apt-get, and says what is left out.
// `node test/install.ts` does it for all tests, and fails if something is still missing: CI runs it first.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isForThisSystem, isThere, REQUIREMENTS, type Requirement, type RequirementName } from './requirements.ts'
import type { Needs } from './support/test-needs.ts'

type Print = (line: string) => void

/** The system that tests run on. */
export type Machine = {
  readonly isThere: (requirement: Requirement) => boolean
  readonly isRoot: boolean
  readonly isCi: boolean
  /** Rejects if the program fails or is missing. */
  readonly run: (program: string, args: readonly string[]) => Promise<{ readonly stderr: string }>
}

/** For a slow mirror, and for another apt-get that holds the lock. */
const LIMIT_MS = 15 * 60_000

const thisMachine: Machine = {
  isThere,
  isRoot: process.getuid?.() === 0,
  isCi: process.env['CI'] !== undefined,
  run: (program, args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
    return promisify(execFile)(program, args, { env, timeout: LIMIT_MS })
  },
}

/** Before the first test of these files. Resolves to the requirements that the run does without; in CI it throws if there are any. */
export async function prepare(
  files: readonly Needs[],
  print: Print,
  machine: Machine = thisMachine,
): Promise<readonly RequirementName[]> {
  const isNeeded = ({ name }: Requirement) =>
    files.some(({ whole, partly }) => [...whole, ...partly].some((one) => one === name))
  const missing = await installed(REQUIREMENTS.filter(isNeeded), print, machine)
  if (missing.length === 0) return []
  const lacks = `This machine has no ${listed(missing.map(({ name }) => name))}.`
  if (machine.isCi) throw withoutStack(`${lacks} CI leaves no test out. ${howToInstall(missing)}`)
  const groups = missing.map((one) => `${one.tests} (${one.name}: ${filesOf(one, files)})`)
  print(`${lacks} These tests are left out and counted as skipped: ${groups.join('; ')}. ${howToInstall(missing)}`)
  return missing.map(({ name }) => name)
}

type Row = (typeof REQUIREMENTS)[number]

/** Resolves to what is still missing. */
async function installed(needed: readonly Row[], print: Print, machine: Machine): Promise<readonly Row[]> {
  const missing = () => needed.filter((one) => isForThisSystem(one) && !machine.isThere(one))
  const before = missing()
  if (before.length === 0 || !machine.isRoot || !(await succeeds(machine.run('apt-get', ['--version'])))) return before
  const names = before.map(({ name }) => name)
  print(`Installing once, with apt-get, what tests need and this machine does not have: ${listed(names)}.`)
  const problem = await aptGetInstall(before, machine)
  if (problem !== undefined) print(`apt-get could not install all of it: ${problem}`)
  return missing()
}

/** Resolves to what kept it from that, in apt-get's words. */
async function aptGetInstall(missing: readonly Requirement[], { run }: Machine): Promise<string | undefined> {
  // A container has no lists. Old ones may still do if new ones cannot be fetched.
  const update: unknown = await run('apt-get', ['update', '-qq']).catch((error: unknown) => error)
  const packages: string[] = []
  const unknown: string[] = []
  for (const names of missing.flatMap(({ debian }) => debian)) {
    const known = await firstKnown(names, run)
    if (known === undefined) unknown.push(names.at(-1) ?? '')
    else packages.push(known)
  }
  if (packages.length > 0) {
    const flags = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120']
    const failure: unknown = await run('apt-get', ['install', ...flags, ...packages]).catch((error: unknown) => error)
    if (failure instanceof Error) return lastLine(failure)
  }
  return unknown.length === 0 ? undefined : `it knows no ${listed(unknown)}. ${lastLine(update)}`.trim()
}

async function firstKnown(names: readonly string[], run: Machine['run']): Promise<string | undefined> {
  for (const name of names) if (await succeeds(run('apt-cache', ['show', name]))) return name
  return undefined
}

function succeeds(running: Promise<unknown>): Promise<boolean> {
  return running.then(
    () => true,
    () => false,
  )
}

/** The last line that a program printed to standard error, whether it failed or not. */
function lastLine(outcome: unknown): string {
  const { stderr = '' } = outcome as { readonly stderr?: string }
  const fallback = outcome instanceof Error ? outcome.message : ''
  return (stderr.trim() || fallback).split('\n').at(-1) ?? ''
}

function filesOf({ name }: Requirement, files: readonly Needs[]): string {
  const whole = files.filter((file) => file.whole.some((one) => one === name)).length
  const partly = files.filter((file) => file.partly.some((one) => one === name)).length
  const count = (number: number) => `${number} ${number === 1 ? 'file' : 'files'}`
  return [...(whole > 0 ? [count(whole)] : []), ...(partly > 0 ? [`some tests of ${count(partly)}`] : [])].join(', ')
}

function howToInstall(missing: readonly Requirement[]): string {
  const commands = {
    darwin: missing.flatMap(({ brew }) => (brew === undefined ? [] : [`brew install ${brew}`])),
    win32: missing.flatMap(({ winget }) => (winget === undefined ? [] : [`winget install ${winget}`])),
  }
  const packages = missing.flatMap(({ debian }) => debian.map((names) => names.at(-1)))
  const own = process.platform === 'darwin' || process.platform === 'win32' ? commands[process.platform] : undefined
  const command = own?.join(', ') ?? `apt-get install ${packages.join(' ')}, as root (the names are Debian's)`
  const withoutRoot = missing.flatMap(({ name, withoutRoot: other }) =>
    other === undefined ? [] : [`; ${name} without root: ${other}`],
  )
  return `To install: ${command}${withoutRoot.join('')}.`
}

/** The sentence says all of it: Vitest would print frames of its own below. */
function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: message })
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

if (process.argv[1] === import.meta.filename) {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const missing = await installed(REQUIREMENTS, print, thisMachine)
  if (missing.length > 0) {
    print(`This machine has no ${listed(missing.map(({ name }) => name))}, which tests need. ${howToInstall(missing)}`)
    process.exitCode = 1
  }
}
