// Holds the import table of the architecture against the code, so that it cannot erode. The tables come first; a new room
// or a new right is a line in them, with its reason in docs/decisions.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeLines, importCycles, importsOf, longBlocks, readSources, withoutComments } from './support/sources.ts'
import type { Import, SourceFile } from './support/sources.ts'

type Room = {
  /** Rooms and files whose values and types may be imported. */
  readonly values: readonly string[]
  /** Rooms of which only types may be imported: at run time the parts are handed in. */
  readonly types?: readonly string[]
  readonly packages?: readonly string[]
  /** Pure rooms know nothing of the platform. */
  readonly isPure?: true
}

const ROOMS: Readonly<Record<string, Room>> = {
  contract: { values: [], packages: ['typebox'], isPure: true },
  core: { values: ['contract'], isPure: true },
  dialect: { values: ['core'], isPure: true },
  store: { values: ['core', 'contract'], packages: ['better-sqlite3'] },
  ledger: { values: ['core'], types: ['store'], packages: ['better-sqlite3'] },
  catalog: { values: ['core', 'contract'], types: ['store', 'ledger', 'secret'] },
  reports: { values: ['core', 'catalog', 'store'], types: ['contract', 'ledger'] },
  provider: { values: ['core'], types: ['dialect', 'pipeline', 'secret'], packages: ['undici'] },
  secret: { values: ['core'] },
  pipeline: { values: ['core', 'dialect', 'catalog'], types: ['ledger', 'store'] },
  server: {
    values: ['contract', 'core', 'dialect', 'pipeline', 'catalog', 'reports'],
    types: ['store', 'ledger', 'secret'],
    packages: ['fastify'],
  },
  cli: { values: ['contract', 'core'], packages: ['yaml', 'uqr'] },
  connect: { values: ['contract', 'core'] },
  lan: { values: ['contract', 'core'], packages: ['dns-packet'] },
  shell: { values: ['contract', 'core'], types: ['secret'], packages: ['electron', 'electron-updater'] },
}

const FILES: Readonly<Record<string, Room>> = {
  'config.ts': { values: [] },
  'program-files.ts': { values: [] },
  'writer-thread.ts': { values: ['core', 'store', 'ledger'] },
  'report-thread.ts': { values: ['core', 'store', 'ledger', 'reports', 'verify-folder.ts'], types: ['contract'] },
  'tokenizer-thread.ts': { values: ['core'], types: ['provider'], packages: ['gpt-tokenizer'] },
  'body-thread.ts': { values: ['dialect'], types: ['server'] },
  'keychain-process.ts': { values: ['secret'], packages: ['keytar'] },
  'side-threads.ts': { values: ['store', 'program-files.ts'], types: ['report-thread.ts'] },
  'verify-folder.ts': { values: ['core', 'store', 'ledger'], types: ['contract'] },
  'notes.ts': { values: ['core'] },
  'app-status.ts': {
    values: ['core', 'catalog', 'config.ts', 'operations.ts'],
    types: ['ledger', 'parts.ts', 'lan-listener.ts'],
  },
  'restore.ts': { values: ['core', 'store', 'ledger', 'secret'], types: ['cli'] },
  'parts.ts': {
    values: [...allBut('shell', 'cli', 'server'), 'config.ts', 'program-files.ts'],
    types: ['writer-thread.ts'],
  },
  'administration.ts': {
    values: ['server', 'provider', 'secret', 'config.ts', 'parts.ts'],
    types: ['contract', 'store', 'report-thread.ts', 'side-threads.ts'],
  },
  'lan-listener.ts': { values: ['lan'], types: ['contract', 'core', 'server', 'parts.ts'] },
  'operations.ts': {
    values: ['core', 'catalog', 'server', 'store', 'config.ts'],
    types: ['contract', 'parts.ts', 'side-threads.ts'],
  },
  'app.ts': {
    values: [
      ...allBut('shell', 'cli'),
      'config.ts',
      'parts.ts',
      'program-files.ts',
      'side-threads.ts',
      'administration.ts',
      'app-status.ts',
      'notes.ts',
      'lan-listener.ts',
      'operations.ts',
    ],
    types: ['writer-thread.ts', 'report-thread.ts'],
  },
  'headless.ts': { values: [...allBut('shell'), 'config.ts', 'app.ts', 'command.ts', 'parts.ts'] },
  'gateway-host.ts': {
    values: ['app.ts', 'headless.ts', 'cli', 'server', 'store'],
    types: ['config.ts', 'core', 'shell'],
  },
  'desktop-choice.ts': { values: [], types: ['config.ts'] },
  'desktop-runtime.ts': { values: [], types: ['config.ts'] },
  'command.ts': {
    values: [...allBut('shell'), 'config.ts', 'app.ts', 'restore.ts', 'verify-folder.ts'],
  },
  'warm-up.ts': { values: ['app.ts', 'config.ts', 'command.ts', 'headless.ts', 'provider'] },
  'build-dashboard.mjs': { values: [] },
  'cache-folder.mjs': { values: [] },
  'bundled-packages.mjs': { values: ['cache-folder.mjs'] },
  'code-cache.mjs': { values: ['cache-folder.mjs', 'bundled-packages.mjs'] },
  'bundle-packages.mjs': { values: ['cache-folder.mjs'], packages: ['vite'] },
  'launch.mjs': {
    values: ['headless.ts', 'command.ts', 'desktop-choice.ts', 'desktop-runtime.ts', 'code-cache.mjs', 'warm-up.ts'],
  },
  'main.ts': {
    values: ['config.ts', 'gateway-host.ts', 'desktop-choice.ts', 'command.ts', 'headless.ts', 'shell'],
    packages: ['electron'],
  },
}

/** Files that may import more values than their room. */
const EXCEPTIONS: readonly { readonly files: RegExp; readonly values: readonly string[] }[] = [
  // The demo provider answers in a dialect instead of sending a request to someone who does.
  { files: /^provider\/demo/, values: ['dialect'] },
  // What is delivered with the program, and the file of a thread.
  { files: /^(catalog\/resources|provider\/tokenizer|server\/large-bodies)\.ts$/, values: ['program-files.ts'] },
]

/** Only config.ts reads settings; the entries hand the environment to it. */
const MAY_READ_ENVIRONMENT = ['config.ts', 'headless.ts', 'command.ts', 'launch.mjs', 'main.ts']
/** A package has other files at other places; what else asks where it lies is in no package. */
const MAY_KNOW_ITS_PLACE = [
  'program-files.ts',
  'desktop-runtime.ts',
  'launch.mjs',
  'build-dashboard.mjs',
  'bundle-packages.mjs',
  'cache-folder.mjs',
  'code-cache.mjs',
]
const MAY_HOLD_SQL = ['store', 'ledger']
const SQL = /\b(SELECT\s|INSERT INTO\s|UPDATE\s.*\sSET\s|DELETE FROM\s|CREATE TABLE\s)/
/** Who may open connections: to providers one file for all, and to a gateway of this machine those who look for it. */
const MAY_CALL_OUT = [
  // It listens for TLS, and opens none.
  'lan/tls-server.ts',
  // It speaks to the network that was chosen, and asks nobody anything.
  'lan/mdns-socket.ts',
  'provider/connections.ts',
  'provider/guarded-connector.ts',
  'server/port-owner.ts',
  'cli/client.ts',
  'shell/feed-updater.ts',
]
const CALLS_OUT =
  /(?<![.\w])fetch\(|(?<!\.)\bnet\.(fetch|request)\(|\bnew (Pool|Agent|Client|\w+Pool|\w*ProxyAgent|WebSocket|EventSource)\(|^import (?!type )(\{[^}]*\}|[^\n{]*) from 'node:(https?|http2|net|tls|dgram)'/m
const MOST_FILE_LINES = 400
const MOST_FUNCTION_LINES = 70

function allBut(...names: readonly string[]): string[] {
  return Object.keys(ROOMS).filter((room) => !names.includes(room))
}

function violationsOf(file: SourceFile): string[] {
  const room = FILES[file.path] ?? ROOMS[roomName(file.path)]
  if (room === undefined) return [`${file.path} is in no room of the table`]
  return [
    ...importsOf(file).flatMap((found) => importViolation(file, room, found) ?? []),
    ...textViolations(file),
    ...sizeViolations(file),
  ]
}

function importViolation(file: SourceFile, room: Room, found: Import): string | undefined {
  if (found.type === 'outside' && found.target.startsWith('node:')) {
    return room.isPure ? `${file.path} imports ${found.target}, but its room is pure` : undefined
  }
  if (found.type === 'outside') {
    const isAllowed = room.packages?.includes(found.target) ?? false
    return isAllowed ? undefined : `${file.path} imports the package ${found.target}`
  }
  const target = roomName(found.target)
  if (target === roomName(file.path) && target in ROOMS) return undefined
  const more = EXCEPTIONS.flatMap((exception) => (exception.files.test(file.path) ? exception.values : []))
  if ([...room.values, ...more].includes(target)) return undefined
  if (!room.types?.includes(target)) return `${file.path} imports ${found.target}`
  return found.isTypeOnly ? undefined : `${file.path} imports more than types from ${found.target}`
}

/** Tables of the contract that are plain data: the others would bring the schema library into the browser. */
const DASHBOARD_TABLES = ['contract/admin-routes.ts', 'contract/usage-sums.ts']
const DASHBOARD_PACKAGES =
  /^(react|react-dom|radix-ui|recharts|i18next|react-i18next|lucide-react|cmdk|clsx|tailwind-merge|class-variance-authority|get-nonce|uqr|react-hook-form|@tanstack\/.+|@dnd-kit\/.+)$/

function dashboardViolations(file: SourceFile): string[] {
  return importsOf(file).flatMap((found) => {
    const prefix = `src-renderer/${file.path} imports`
    if (found.type === 'outside') return DASHBOARD_PACKAGES.test(found.target) ? [] : [`${prefix} ${found.target}`]
    if (found.target.startsWith('renderer/') || !found.target.startsWith('contract/')) {
      const isOwn = found.target.startsWith('renderer/') || !(roomName(found.target) in ROOMS)
      return isOwn ? [] : [`${prefix} ${found.target}`]
    }
    const isAllowed = found.isTypeOnly || DASHBOARD_TABLES.includes(found.target)
    return isAllowed ? [] : [`${prefix} more than types from ${found.target}`]
  })
}

/** The paths of imports begin with the name that the package gives the folder. */
function asOwnRoot(file: SourceFile): SourceFile {
  return { ...file, path: `renderer/${file.path}` }
}

/** The first folder of a path; a file outside of any folder is a room of its own. */
function roomName(path: string): string {
  return path.split('/')[0] ?? path
}

function textViolations(file: SourceFile): string[] {
  const code = withoutComments(file.text)
  const violations: string[] = []
  const readsEnvironment = /\bprocess\s*(\?\.|\.|\[['"`])\s*env\b|from ['"]node:process['"]/.test(code)
  if (readsEnvironment && !MAY_READ_ENVIRONMENT.includes(file.path)) violations.push(`${file.path} reads process.env`)
  if (code.includes('import.meta') && !MAY_KNOW_ITS_PLACE.includes(file.path)) {
    violations.push(`${file.path} asks where it lies`)
  }
  if (SQL.test(code) && !MAY_HOLD_SQL.includes(roomName(file.path))) violations.push(`${file.path} holds SQL`)
  if (CALLS_OUT.test(code) && !MAY_CALL_OUT.includes(file.path)) violations.push(`${file.path} opens connections`)
  return violations
}

function sizeViolations(file: SourceFile): string[] {
  const lines = codeLines(file.text)
  const tooLong = lines > MOST_FILE_LINES ? [`${file.path} has ${lines} lines`] : []
  const blocks = longBlocks(file.text, MOST_FUNCTION_LINES)
  return [...tooLong, ...blocks.map((block) => `${file.path}:${block.line} has a function of ${block.length} lines`)]
}

describe('the sources', () => {
  const sources = readSources(join(import.meta.dirname, '..', 'src-main'))

  it('are found', () => {
    expect(sources.map((file) => file.path)).toContain('core/money.ts')
  })

  it('keep to the import table, the places for SQL and settings, and the sizes', () => {
    expect(sources.flatMap(violationsOf)).toEqual([])
  })

  it('load no schema before somebody asks for the admin API', () => {
    const byPath = new Map(sources.map((file) => [file.path, file]))
    const reached = new Set<string>()
    const visit = (path: string) => {
      const file = byPath.get(path)
      if (file === undefined || reached.has(path)) return
      reached.add(path)
      for (const found of importsOf(file)) if (!found.isTypeOnly && !found.isDynamic) visit(found.target)
    }
    visit('headless.ts')
    expect(reached).toContain('pipeline/run.ts')
    expect([...reached].filter((path) => path.startsWith('contract/'))).toEqual([])
  })

  it('import files that exist, and without cycles', () => {
    const paths = new Set(sources.map((file) => file.path))
    const targets = sources.flatMap((file) => importsOf(file).filter((found) => found.type === 'inside'))
    expect(targets.map((found) => found.target).filter((target) => !paths.has(target))).toEqual([])
    expect(importCycles(sources)).toEqual([])
  })
})

/**
 * Spreads into arguments of lists that are short whatever the network or a database sends. Any other ends in a RangeError at
 * some hundred thousand items: `append` and `largest` of core/append.ts take lists of any length.
 */
const SHORT_SPREADS: Readonly<Record<string, readonly string[]>> = {
  'src-main/catalog/offers.ts': ['Math.max(...Object.values('],
  'src-main/lan/certificate.ts': ['der.sequence(...extensionsOf(', 'der.sequence(...names.map('],
  'src-main/lan/der.ts': ['tagged(TAGS.'],
  'src-main/dialect/input-survey.ts': ['rules('],
  'src-main/ledger/entries.ts': ['insertEntry.run(...row)', 'insertUsage.run(...row)', 'putBalance.run(...row)'],
  'src-main/provider/demo-embedding.ts': ['Math.hypot(...values)'],
  'src-main/provider/redaction.ts': ['Math.max(...secrets.map('],
  'src-main/server/sign-in-throttle.ts': ['Math.max(this.#waitForAll(most, nowMs), ...own'],
  'src-main/store/database.ts': ['Math.max(...MIGRATIONS.map('],
  'src-main/store/usage-rollups.ts': ['put.run(', 'findGroup.get(', 'addGroup.run('],
  'src-renderer/api/use-api.ts': ['callApi(action, '],
  'src-renderer/data/receipt.ts': ['Math.max(LEAST_PLACES, ...[...known'],
}

describe('arguments', () => {
  const sources = [...readSources('src-main'), ...readSources('src-renderer')]

  it('are spread from short lists alone', () => {
    const found = sources.flatMap(({ path, text }) =>
      spreadCalls(withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'/g, "''"))
        .filter(
          (call) =>
            !Object.entries(SHORT_SPREADS).some(
              ([at, calls]) => at.endsWith(path) && calls.some((known) => call.startsWith(known)),
            ),
        )
        .map((call) => `${path}: ${call}`),
    )
    expect(found).toEqual([])
  })

  it('are found wherever they are spread', () => {
    expect(spreadCalls('a.push(...b)')).toEqual(['a.push(...b)'])
    expect(spreadCalls('a.push(f(x), {}, ...b)')).toEqual(['a.push(f(x), {}, ...b)'])
    expect(spreadCalls('new Set([...b]); f({ ...b }); function f(...b: string[]) {}; [...a, ...b]')).toEqual([])
  })
})

/** Calls with a spread among their arguments, from the name on. */
function spreadCalls(text: string): string[] {
  return Array.from(text.matchAll(/\.\.\.(?!\w+\??:)(?=[\w#([])/g), ({ index }) => callAround(text, index)).filter(
    (call) => call !== undefined,
  )
}

function callAround(text: string, spread: number): string | undefined {
  let depth = 0
  for (let index = spread - 1; index >= 0; index--) {
    const character = text[index] ?? ''
    if (')]}'.includes(character)) depth += 1
    else if ('([{'.includes(character) && depth > 0) depth -= 1
    else if ('([{'.includes(character)) {
      const name = /[a-zA-Z#][\w.#\]]*$/.exec(text.slice(Math.max(0, index - 100), index))?.[0]
      return character === '(' && name !== undefined ? name + text.slice(index, spread + 20).split('\n')[0] : undefined
    }
  }
  return undefined
}

describe('the dashboard', () => {
  const sources = readSources(join(import.meta.dirname, '..', 'src-renderer'))

  it('is found', () => {
    expect(sources.map((file) => file.path)).toContain('main.tsx')
  })

  it('takes types and two plain tables of the contract from the gateway, nothing else', () => {
    expect(sources.flatMap(dashboardViolations)).toEqual([])
  })

  it('keeps to the sizes and imports itself without cycles', () => {
    expect(sources.flatMap(sizeViolations)).toEqual([])
    expect(importCycles(sources.map(asOwnRoot))).toEqual([])
  })

  it.each([
    ["import { ADMIN_API } from '#contract/admin-api.ts'", 'more than types from contract/admin-api.ts'],
    ["import type { MicroCredits } from '#core/money.ts'", 'core/money.ts'],
    ["import { readFileSync } from 'node:fs'", 'node:fs'],
    ["import Fastify from 'fastify'", 'fastify'],
  ])('may not contain %s', (text, what) => {
    expect(dashboardViolations({ path: 'app/a.ts', text })).toEqual([`src-renderer/app/a.ts imports ${what}`])
  })

  it('may ask for addresses by name and for types', () => {
    const lines = [
      "import { ADMIN_ROUTES } from '#contract/admin-routes.ts'",
      "import type { A } from '#contract/a.ts'",
    ]
    expect(dashboardViolations({ path: 'app/a.ts', text: lines.join('\n') })).toEqual([])
  })
})

describe('the checker', () => {
  const check = (path: string, ...lines: string[]) => violationsOf({ path, text: lines.join('\n') })

  it('allows what the table allows', () => {
    const lines = ["import { a } from '#core/a.ts'", "import type { B } from '#store/b.ts'", "import b from './b.ts'"]
    expect(check('ledger/a.ts', ...lines, "import Database from 'better-sqlite3'")).toEqual([])
    expect(check('provider/demo.ts', "import { write } from '#dialect/write.ts'")).toEqual([])
    expect(check('headless.ts', "import { a } from '#cli/a.ts'", 'run(process.env)')).toEqual([])
  })

  it('ignores comments and what only looks like one', () => {
    expect(check('core/a.ts', "// import x from '#store/x.ts'", '/* SELECT a */')).toEqual([])
    const lines = ["const glob = 'a/**'", 'const quote = /[\'"`]/', "import x from '#store/x.ts'", "const end = '**/'"]
    expect(check('core/a.ts', ...lines)).toEqual(['core/a.ts imports store/x.ts'])
  })

  it.each([
    ['core/a.ts imports store/a.ts', 'core/a.ts', "import { a } from '#store/a.ts'"],
    ['core/a.ts imports store/a.ts', 'core/a.ts', "import {\n  a,\n  b,\n} from '#store/a.ts'"],
    ['core/a.ts imports store/a.ts', 'core/a.ts', "import '../store/a.ts'"],
    ['core/a.ts imports store/a.ts', 'core/a.ts', "export { a } from '#store/a.ts'"],
    ['core/a.ts imports store/a.ts', 'core/a.ts', "const a = await import('#store/a.ts')"],
    ['core/a.ts imports node:path, but its room is pure', 'core/a.ts', "import { join } from 'node:path'"],
    ['ledger/a.ts imports more than types from store/a.ts', 'ledger/a.ts', "import { a } from '#store/a.ts'"],
    ['ledger/a.ts imports more than types from store/a.ts', 'ledger/a.ts', "import { type A } from '#store/a.ts'"],
    ['provider/a.ts imports more than types from dialect/a.ts', 'provider/a.ts', "import { a } from '#dialect/a.ts'"],
    ['server/a.ts imports config.ts', 'server/a.ts', "import type { Config } from '#main/config.ts'"],
    ['server/a.ts imports the package electron', 'server/a.ts', "import { app } from 'electron'"],
    ['server/a.ts imports the package @fastify/cors', 'server/a.ts', "import a from '@fastify/cors/a.js'"],
    ['server/a.ts reads process.env', 'server/a.ts', "import { env } from 'node:process'"],
    ['server/a.ts reads process.env', 'server/a.ts', 'const home = process.env.HOME'],
    ['server/a.ts holds SQL', 'server/a.ts', 'const text = `\n  SELECT id\n  FROM model`'],
    ['server/a.ts holds SQL', 'server/a.ts', "const text = 'UPDATE model SET id = 1'"],
    ['provider/a.ts opens connections', 'provider/a.ts', "const answer = await fetch('https://x')"],
    ['provider/a.ts opens connections', 'provider/a.ts', "import { Pool } from 'undici'\nconst pool = new Pool(url)"],
    ['provider/a.ts opens connections', 'provider/a.ts', 'const agent = new EnvHttpProxyAgent()'],
    ['server/a.ts opens connections', 'server/a.ts', "import { request } from 'node:https'"],
    ['app.ts asks where it lies', 'app.ts', "const script = new URL('./a-thread.ts', import.meta.url)"],
    ['shell/a.ts opens connections', 'shell/a.ts', "import { net } from 'electron'\nawait net.fetch(url)"],
    ['attic/a.ts is in no room of the table', 'attic/a.ts', ''],
    ['attic.ts is in no room of the table', 'attic.ts', ''],
  ])('finds that %s', (violation, path, text) => {
    expect(check(path, text)).toEqual([violation])
  })

  it('finds functions and files that are too long', () => {
    const body = Array.from({ length: 70 }, (_, index) => `  run(${index})`)
    const long = ['export async function a(', '  b: string,', '): Promise<void> {', ...body, '}']
    expect(check('core/a.ts', ...long)).toEqual(['core/a.ts:3 has a function of 72 lines'])
    expect(check('core/a.ts', 'const a = () => {', ...body.slice(2), '', '  // Why.', '}')).toEqual([])
    expect(check('core/a.ts', ...Array.from({ length: 401 }, () => 'run()'))).toEqual(['core/a.ts has 401 lines'])
  })

  it('finds cycles, whatever they are made of', () => {
    const files = [
      { path: 'core/a.ts', text: "import { b } from '#core/b.ts'" },
      { path: 'core/b.ts', text: "import type { C } from './c.ts'" },
      { path: 'core/c.ts', text: "import { a } from '#core/a.ts'" },
    ]
    expect(importCycles(files)).toEqual([['core/a.ts', 'core/b.ts', 'core/c.ts', 'core/a.ts']])
    expect(importCycles(files.slice(1))).toEqual([])
  })
})
