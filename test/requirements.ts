// What tests need of the system beside Node and npm: the one list. Helpers look up their programs here, and test/install.ts installs what
// is missing before the first test. A test without its programs is skipped, and counted by the name of its row.

import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import type * as Playwright from 'playwright-core'

export type Requirement = {
  /** As messages name it; the tag of the tests that need it. */
  readonly name: string
  /** The group of tests, as messages name it. */
  readonly tests: string
  readonly programs: readonly string[]
  /** Where a program is, if not in a folder of PATH. */
  readonly find?: (program: string) => string | undefined
  /** Debian's packages, each by the first of its names that the system knows. */
  readonly debian: readonly (readonly string[])[]
  readonly brew?: string
  readonly winget?: string
  /** A command that installs it without root. */
  readonly withoutRoot?: string
  /** Modules below `test` that start it: a test file that loads one needs it. */
  readonly helpers: readonly string[]
  /** The systems where tests use it; all of them if left out. */
  readonly systems?: readonly NodeJS.Platform[]
}

const LINUX_ONLY = { systems: ['linux'] } as const

export const REQUIREMENTS = [
  {
    name: 'postgresql',
    tests: 'several gateways on one database',
    programs: ['initdb', 'postgres', 'psql'],
    find: (program) => firstThere([...postgresFolders(), ...pathFolders()].map((folder) => join(folder, program))),
    debian: [['postgresql']],
    brew: 'postgresql@17',
    helpers: ['support/postgres.ts'],
    systems: ['linux', 'darwin'],
  },
  {
    name: 'chromium',
    tests: 'the dashboard in a browser',
    programs: ['chromium'],
    find: () => findBrowser(),
    debian: [['chromium-headless-shell', 'chromium']],
    brew: '--cask chromium',
    winget: 'Google.Chrome',
    withoutRoot: 'npx playwright-core install chromium',
    helpers: ['support/browser.ts'],
  },
  {
    name: 'python3',
    tests: 'books and logs that a second program adds up',
    programs: ['python3'],
    debian: [['python3']],
    brew: 'python',
    winget: 'Python.Python.3.13',
    helpers: ['recompute/recompute.ts'],
  },
  {
    name: 'pip',
    tests: "the vendors' types and a generator of requests, from PyPI",
    programs: ['python3', 'pip3'],
    debian: [['python3-pip']],
    brew: 'python',
    winget: 'Python.Python.3.13',
    helpers: ['support/python-packages.ts'],
  },
  {
    name: 'gnome-keyring',
    tests: 'secrets in a keychain',
    programs: ['dbus-daemon', 'gnome-keyring-daemon', 'gdbus'],
    debian: [['dbus'], ['gnome-keyring'], ['libglib2.0-bin']],
    helpers: ['support/keyring.ts'],
    ...LINUX_ONLY,
  },
  {
    name: 'gcc',
    tests: 'power cuts and kills at single writes',
    programs: ['cc'],
    debian: [['gcc'], ['libc6-dev']],
    helpers: ['support/disk-recorder.ts'],
    ...LINUX_ONLY,
  },
  {
    name: 'strace',
    tests: 'system calls that write to the disk',
    programs: ['strace'],
    debian: [['strace']],
    helpers: [],
    ...LINUX_ONLY,
  },
  {
    name: 'iproute2',
    tests: 'other machines on the LAN',
    programs: ['ip'],
    debian: [['iproute2']],
    helpers: ['support/other-machine.ts'],
    ...LINUX_ONLY,
  },
  {
    name: 'haproxy',
    tests: 'gateways behind a proxy',
    programs: ['haproxy'],
    debian: [['haproxy']],
    helpers: [],
    ...LINUX_ONLY,
  },
  {
    name: 'systemd',
    tests: 'the unit of the service',
    programs: ['systemd-analyze'],
    debian: [['systemd']],
    helpers: [],
    ...LINUX_ONLY,
  },
  {
    name: 'openssl',
    tests: 'signatures of a release',
    programs: ['openssl'],
    debian: [['openssl']],
    helpers: [],
    ...LINUX_ONLY,
  },
] as const satisfies readonly Requirement[]

export type RequirementName = (typeof REQUIREMENTS)[number]['name']

/** The tag that skips a test. */
export const LEFT_OUT = 'left-out'

/** What a run leaves out, set once before its first test: the names of requirements, with spaces between. */
export const LEFT_OUT_VARIABLE = 'FAREBOX_TESTS_WITHOUT'

/** Tests of other systems do not need it. */
export function isForThisSystem({ systems }: Requirement): boolean {
  return systems?.includes(process.platform) ?? true
}

export function isThere(requirement: Requirement): boolean {
  const { programs, find = inPath } = requirement
  return isForThisSystem(requirement) && programs.every((program) => find(program) !== undefined)
}

/** The path of its first program. Tests that call this need it, and are skipped if it is missing. */
export function programOf(name: RequirementName): string {
  const { programs, find = inPath }: Requirement = requirement(name)
  const found = find(programs[0] ?? '')
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}

function requirement(name: RequirementName): Requirement {
  return REQUIREMENTS.find((one) => one.name === name) as Requirement
}

/** Options for a test, or a group of tests, that needs more than the rest of its file. */
export function needs(...names: readonly RequirementName[]): { readonly tags: string[] } {
  return { tags: tagsOf(names) }
}

export function tagsOf(names: readonly RequirementName[]): string[] {
  const isMissing = (name: RequirementName) => (process.env[LEFT_OUT_VARIABLE] ?? '').split(' ').includes(name)
  const missing = names.find(isMissing)
  return missing === undefined ? [...names] : [missing, LEFT_OUT]
}

/** Debian has some programs where only root looks for them. */
function pathFolders(): readonly string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
}

function inPath(program: string): string | undefined {
  return firstThere(pathFolders().map((folder) => join(folder, program)))
}

function firstThere(paths: readonly string[]): string | undefined {
  const ending = process.platform === 'win32' ? '.exe' : ''
  return paths.map((path) => path + ending).find((path) => existsSync(path))
}

/** Debian and Homebrew keep each version in a folder that is not in PATH. The newest comes first. */
function postgresFolders(): readonly string[] {
  return ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'].flatMap((folder) => {
    const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^(postgresql@)?\d+$/.test(name)) : []
    const newestFirst = versions.toSorted((left, right) => right.localeCompare(left, 'en', { numeric: true }))
    return newestFirst.map((version) => join(folder, version, 'bin'))
  })
}

/** Without windows first: its tests take a quarter less processor time. Ubuntu's `chromium-browser` only asks for a snap. */
const BROWSERS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

export function findBrowser(isAt: (path: string) => boolean = existsSync): string | undefined {
  return BROWSERS.find(isAt) ?? playwrightsOwn(isAt)
}

/** Loading Playwright takes half a second, so it is asked last; before `npm ci` there is none. */
function playwrightsOwn(isAt: (path: string) => boolean): string | undefined {
  try {
    const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof Playwright
    return [chromium.executablePath()].find(isAt)
  } catch {
    return undefined
  }
}
