// Looks for what tests need before the first of them, installs it if this is root and the system has apt-get, and says what is left out.
// `node test/install.ts` does it for all tests, and fails if something is still missing: CI runs it first.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isForThisSystem, isThere, LEFT_OUT_VARIABLE, REQUIREMENTS, type Requirement } from './requirements.ts'
import type { Needs } from './support/test-needs.ts'

type Print = (line: string) => void

const run = promisify(execFile)
/** A slow mirror, and another apt-get that holds the lock. */
const LIMIT_MS = 15 * 60_000

/**
 * Before the first test of these files. Sets in the environment which requirements its workers do without. Throws in CI if anything
 * is missing.
 */
export async function prepare(files: readonly Needs[], print: Print): Promise<void> {
  const needed = REQUIREMENTS.filter(({ name }) =>
    files.some(({ whole, partly }) => [...whole, ...partly].includes(name)),
  )
  const missing = await installed(needed, print)
  process.env[LEFT_OUT_VARIABLE] = missing.map(({ name }) => name).join(' ')
  if (missing.length === 0) return
  const lacks = `This machine has no ${listed(missing.map(({ name }) => name))}.`
  if (process.env['CI'] !== undefined) throw new Error(`${lacks} CI leaves no test out. ${howToInstall(missing)}`)
  const groups = missing.map((one) => `${one.tests} (${one.name}: ${filesOf(one, files)})`)
  print(`${lacks} These tests are left out and counted as skipped: ${groups.join('; ')}. ${howToInstall(missing)}`)
}

/** Resolves to what is still missing. */
async function installed(needed: readonly Requirement[], print: Print): Promise<readonly Requirement[]> {
  const missing = () => needed.filter((one) => isForThisSystem(one) && !isThere(one))
  const before = missing()
  if (before.length > 0 && process.getuid?.() === 0 && (await hasAptGet())) {
    print(
      `Installing once, with apt-get, what tests need and this machine lacks: ${listed(before.map(({ name }) => name))}.`,
    )
    const problem = await aptGetInstall(before)
    if (problem !== undefined) print(`apt-get could not install it: ${problem}`)
  }
  return missing()
}

/** Resolves to what kept it from that, in apt-get's words. */
async function aptGetInstall(missing: readonly Requirement[]): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const apt = (program: string, ...args: readonly string[]) => run(program, args, { env, timeout: LIMIT_MS })
  // A container has no lists. Old ones may still do if these cannot be fetched.
  const update = await apt('apt-get', 'update', '-qq').catch((error: unknown) => error)
  const packages: string[] = []
  const unknown: string[] = []
  for (const names of missing.flatMap(({ debian }) => debian)) {
    const found = await firstKnown(names, (name) => apt('apt-cache', 'show', name))
    if (found === undefined) unknown.push(names.at(-1) ?? '')
    else packages.push(found)
  }
  const flags = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120']
  const install = packages.length > 0 ? apt('apt-get', 'install', ...flags, ...packages) : Promise.resolve()
  const failure: unknown = await install.catch((error: unknown) => error)
  if (failure instanceof Error) return lastLine(failure)
  return unknown.length === 0 ? undefined : [`it knows no ${listed(unknown)}.`, lastLine(update)].join(' ').trim()
}

async function firstKnown(
  names: readonly string[],
  look: (name: string) => Promise<unknown>,
): Promise<string | undefined> {
  for (const name of names) {
    const isKnown = await look(name).then(
      () => true,
      () => false,
    )
    if (isKnown) return name
  }
  return undefined
}

function hasAptGet(): Promise<boolean> {
  return run('apt-get', ['--version']).then(
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

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

if (process.argv[1] === import.meta.filename) {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const missing = await installed(REQUIREMENTS, print)
  if (missing.length > 0) {
    print(`This machine has no ${listed(missing.map(({ name }) => name))}, which tests need. ${howToInstall(missing)}`)
    process.exitCode = 1
  }
}
