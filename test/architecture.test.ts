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

/** The rooms that `app` puts together. */
const PARTS =
  'contract core dialect store ledger catalog bills reports provider secret pipeline server lan config threads connect scan alert fleet'.split(
    ' ',
  )

const ROOMS: Readonly<Record<string, Room>> = {
  contract: { values: [], packages: ['typebox'], isPure: true },
  core: { values: ['contract'], isPure: true },
  dialect: { values: ['core'], isPure: true },
  store: { values: ['core', 'contract'], packages: ['better-sqlite3'] },
  ledger: { values: ['core'], types: ['store'], packages: ['better-sqlite3'] },
  catalog: { values: ['core', 'contract', 'dialect'], types: ['store', 'ledger', 'secret'] },
  bills: { values: ['contract', 'core', 'dialect'], isPure: true },
  reports: { values: ['core', 'catalog', 'store', 'bills'], types: ['contract', 'ledger'] },
  provider: {
    values: ['core', 'dialect'],
    types: ['pipeline', 'secret'],
    packages: ['undici', '@smithy/core', '@smithy/signature-v4', 'google-auth-library', 'nodemailer'],
  },
  secret: { values: ['core'] },
  pipeline: { values: ['core', 'dialect', 'catalog'], types: ['ledger', 'store'] },
  server: {
    values: ['contract', 'core', 'dialect', 'pipeline', 'catalog', 'reports'],
    types: ['store', 'ledger', 'secret', 'alert'],
    packages: [
      'fastify',
      'ws',
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-proto',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
    ],
  },
  // It writes into files of others: it knows nothing of the gateway but what the contract says of it.
  connect: { values: [], types: ['contract'], packages: ['jsonc-parser', 'yaml', 'toml-eslint-parser', 'dotenv'] },
  // Several gateways on one PostgreSQL; loaded where one is named.
  fleet: { values: ['core', 'catalog'], types: ['ledger', 'pipeline'], packages: ['pg'] },
  alert: { values: ['core'], types: ['ledger', 'store', 'secret'] },
  // It reads and repairs what `connect` wrote, and asks for nothing itself.
  doctor: { values: ['connect'], types: ['contract'] },
  // It reads the logs of tools, and knows neither the ledger nor a way to write.
  scan: { values: ['core', 'dialect'] },
  cli: { values: ['contract', 'core', 'connect', 'doctor', 'scan'], packages: ['yaml', 'uqr'] },
  lan: { values: ['contract', 'core'] },
  shell: { values: ['contract', 'core'], types: ['secret'], packages: ['electron', 'electron-updater'] },
  config: { values: [] },
  threads: { values: ['core', 'store', 'ledger', 'reports'], types: ['contract'] },
  app: { values: PARTS },
  hosts: { values: [...PARTS, 'app', 'cli'] },
}

/** Files whose rights differ from those of their room: each thread loads what it does and no more. */
const FILES: Readonly<Record<string, Room>> = {
  'threads/writer-thread.ts': { values: ['core', 'store', 'ledger'] },
  'threads/report-thread.ts': { values: ['core', 'store', 'ledger', 'reports', 'app'], types: ['contract'] },
  'threads/tokenizer-thread.ts': { values: ['core'], types: ['provider'], packages: ['gpt-tokenizer'] },
  'threads/body-thread.ts': { values: ['dialect', 'pipeline'], types: ['server'] },
  'threads/page-thread.ts': { values: ['bills', 'provider'], types: ['app'] },
  'threads/scan-thread.ts': { values: ['catalog', 'scan'] },
  'threads/side-threads.ts': { values: ['store', 'config'] },
  'threads/keychain-process.ts': { values: ['secret'], packages: ['keytar'] },
  'app/restore.ts': { values: ['core', 'store', 'ledger', 'secret'], types: ['cli'] },
  'app/migrate.ts': { values: ['app', 'fleet', 'store'], types: ['cli', 'config', 'core'] },
  'app/verify-folder.ts': { values: ['core', 'store', 'ledger'], types: ['contract'] },
  'app/notes.ts': { values: ['core'] },
  'hosts/gateway-host.ts': { values: ['app', 'cli', 'connect', 'store'], types: ['config', 'core', 'shell'] },
  'hosts/desktop-choice.ts': { values: [], types: ['config'] },
  'hosts/desktop-runtime.ts': { values: ['config'] },
  'hosts/desktop.ts': { values: ['config', 'shell'], packages: ['electron'] },
  // What builds stands beside the sources.
  'hosts/launch.mjs': { values: ['..'] },
  'hosts/farebox.ts': { values: [] },
}

/** Files that may import more values than their room. */
const EXCEPTIONS: readonly { readonly files: RegExp; readonly values: readonly string[] }[] = [
  // What is delivered with the program, and the file of a thread.
  { files: /^(catalog\/resources|provider\/tokenizer|server\/bodies\/body-worker)\.ts$/, values: ['config'] },
]

/** Only config.ts reads settings; the entries hand the environment to it. */
const MAY_READ_ENVIRONMENT = [
  'config/config.ts',
  'hosts/headless.ts',
  'hosts/command.ts',
  'hosts/farebox.ts',
  'hosts/desktop.ts',
]
/** A package has other files at other places; what else asks where it lies is in no package. */
const MAY_KNOW_ITS_PLACE = ['config/program-files.ts', 'hosts/farebox.ts', 'hosts/launch.mjs']
/** The build replaces these calls by the text of the file (`inlineSql` in vite.plugins.ts). */
const INLINED_BY_THE_BUILD = /readFileSync\(new URL\('\.\/[\w/-]+\.sql', import\.meta\.url\), 'utf8'\)/g
const MAY_HOLD_SQL = ['store', 'ledger', 'fleet']
const SQL = /\b(SELECT\s|INSERT INTO\s|UPDATE\s.*\sSET\s|DELETE FROM\s|CREATE TABLE\s)/
/** Who may open connections: to providers one file for all, and to a gateway of this machine those who look for it. */
const MAY_CALL_OUT = [
  // It listens for TLS, and opens none.
  'lan/tls-server.ts',
  'provider/connections.ts',
  'fleet/connection.ts',
  'provider/guarded-connector.ts',
  'hosts/port-owner.ts',
  'cli/client.ts',
  'shell/feed-updater.ts',
]
const CALLS_OUT =
  /(?<![.\w])fetch\(|(?<!\.)\bnet\.(fetch|request)\(|\bnew (Pool|Agent|Client|\w+Pool|\w*ProxyAgent|WebSocket|EventSource)\(|^import (?!type )(\{[^}]*\}|[^\n{]*) from 'node:(https?|http2|net|tls|dgram)'/m
/** A shell reads a second language out of the words that a program is started with. */
const USES_SHELL = /\bshell:|import (?!type )\{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child[_]process'/
const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 70

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

/** Files of the contract without schemas: the others would bring the schema library into the browser. */
const DASHBOARD_PARTS = [
  'contract/admin-routes.ts',
  'contract/admin-address.ts',
  'contract/mail-address.ts',
  'contract/best-language.ts',
  'contract/csv.ts',
  'contract/dialects.ts',
  'contract/link.ts',
  'contract/urgency.ts',
  'contract/usage-groups.ts',
  'contract/usage-sums.ts',
]
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
    const isAllowed = found.isTypeOnly || DASHBOARD_PARTS.includes(found.target)
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
  if (code.replaceAll(INLINED_BY_THE_BUILD, '').includes('import.meta') && !MAY_KNOW_ITS_PLACE.includes(file.path)) {
    violations.push(`${file.path} asks where it lies`)
  }
  if (SQL.test(code) && !MAY_HOLD_SQL.includes(roomName(file.path))) violations.push(`${file.path} holds SQL`)
  if (CALLS_OUT.test(code) && !MAY_CALL_OUT.includes(file.path)) violations.push(`${file.path} opens connections`)
  if (USES_SHELL.test(code)) violations.push(`${file.path} starts a program with a shell`)
  return violations
}

function sizeViolations(file: SourceFile): string[] {
  const lines = codeLines(file.text)
  const tooLong = lines > MAX_FILE_LINES ? [`${file.path} has ${lines} lines`] : []
  const blocks = longBlocks(file.text, MAX_FUNCTION_LINES)
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

  const loadedWith = (start: string): string[] => {
    const byPath = new Map(sources.map((file) => [file.path, file]))
    const reached = new Set<string>()
    const visit = (path: string) => {
      if (reached.has(path)) return
      reached.add(path)
      const file = byPath.get(path)
      if (file === undefined) return
      for (const found of importsOf(file)) if (!found.isTypeOnly && !found.isDynamic) visit(found.target)
    }
    visit(start)
    return [...reached]
  }

  it('load no schema before somebody asks for the admin API', () => {
    const reached = [...new Set([...loadedWith('hosts/headless.ts'), ...loadedWith('app/app.ts')])]
    expect(reached).toContain('app/open.ts')
    expect(reached).toContain('pipeline/run.ts')
    expect(reached).toContain('contract/admin-routes.ts')
    expect(reached).not.toContain('typebox')
    const plain = loadedWith('contract/admin-routes.ts')
    const loaded = reached.filter((path) => path.startsWith('contract/'))
    expect(loaded.toSorted()).toEqual([...plain, 'contract/dialects.ts', 'contract/price-classes.ts'].toSorted())
  })

  it('load no editor of settings before somebody asks for a tool', () => {
    const reached = loadedWith('app/administration.ts')
    expect(reached).toContain('connect/key-file.ts')
    for (const part of ['connect/tools.ts', 'connect/adapters.ts', 'jsonc-parser', 'toml-eslint-parser', 'dotenv']) {
      expect(reached).not.toContain(part)
    }
    expect(loadedWith('app/tool-control.ts')).toContain('jsonc-parser')
  })

  it('bring no schema into the dashboard', () => {
    for (const table of DASHBOARD_PARTS) expect(loadedWith(table), table).not.toContain('typebox')
    expect(loadedWith('contract/admin-api.ts')).toContain('typebox')
  })

  it('import files that exist, and without cycles', () => {
    const paths = new Set(['../build.mjs', ...sources.map((file) => file.path)])
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
  'src-main/core/uuid.ts': ['String.fromCharCode(...codes)'],
  'src-main/dialect/input-survey.ts': ['rules('],
  'src-main/ledger/entries.ts': ['insertEntry.run(...row)', 'putBalance.run(...row)'],
  'src-main/provider/demo-embedding.ts': ['Math.hypot(...values)'],
  'src-main/provider/redaction.ts': ['Math.max(...secrets.map('],
  'src-main/server/sign-in/sign-in-throttle.ts': ['Math.max(this.#waitForAll(most, nowMs), ...own'],
  'src-main/store/elsewhere-rollups.ts': [
    'putHour.run(',
    'addHour.run(',
    'addDay.run(',
    'findGroup.get(',
    'addGroup.run(',
  ],
  'src-main/store/usage-rollups.ts': ['put.run(', 'findGroup.get(', 'addGroup.run('],
  'src-main/store/usage-telling.ts': ['told.run('],
  'src-renderer/api/use-api.ts': ['callApi(action, '],
  'src-renderer/api/use-pages.ts': ['callApi(action, '],
  'src-renderer/data/receipt.ts': ['Math.max(MIN_PLACES, ...[...known'],
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

  it('takes types and files without schemas of the contract from the gateway, nothing else', () => {
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
    expect(check('hosts/headless.ts', "import { a } from '#cli/a.ts'", 'run(process.env)')).toEqual([])
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
    ['provider/a.ts imports more than types from secret/a.ts', 'provider/a.ts', "import { a } from '#secret/a.ts'"],
    ['server/a.ts imports config/config.ts', 'server/a.ts', "import type { Config } from '#config/config.ts'"],
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
    ['app/a.ts asks where it lies', 'app/a.ts', "const script = new URL('./a-thread.ts', import.meta.url)"],
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
