// `npm run bench -- --only pages`: what each page of the dashboard asks for when somebody opens it, on a year of a million calls in as many sessions: all at once, as the page does, and
// the page is there with the last of them.
import type { Installation } from './farebox.ts'
import type { Options } from './options.ts'
import { ask } from './reports.ts'
import { percentile } from './statistics.ts'
import { metWord } from './table.ts'
import { withYear } from './year.ts'

const LIMIT_MS = 100

const OVERVIEW = '/api/overview'
const CHOICES = ['/api/keys', '/api/models', '/api/packages', '/api/members']
/** The shell asks for the overview on every page. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  overview: [
    OVERVIEW,
    '/api/usage-report?from=7d&group=model&rollup=day',
    '/api/waiting',
    '/api/projects',
    '/api/providers',
    '/api/bills',
  ],
  keys: [OVERVIEW, '/api/keys', '/api/packages'],
  packages: [OVERVIEW, '/api/keys', '/api/packages'],
  models: [OVERVIEW, '/api/models', '/api/status'],
  providers: [OVERVIEW, '/api/providers', '/api/models', '/api/status'],
  tools: [OVERVIEW, '/api/tools'],
  members: [
    OVERVIEW,
    '/api/members',
    '/api/packages',
    '/api/invites',
    '/api/projects',
    '/api/usage-report?group=member&rollup=day&points=none&top=999&from=month',
  ],
  usage: [
    OVERVIEW,
    ...CHOICES,
    '/api/usage-report?from=30d&rollup=day&group=model&points=all&top=6',
    '/api/usage-report?from=60d&to=30d&rollup=day&group=none',
  ],
  requests: [OVERVIEW, ...CHOICES, '/api/usage?limit=200', '/api/refused?limit=20'],
  ledger: [OVERVIEW, '/api/keys', '/api/ledger?limit=100', '/api/ledger?limit=1'],
  bills: [OVERVIEW, '/api/bills', '/api/bills/balances'],
  try: [OVERVIEW, '/api/keys', '/api/models', '/api/packages'],
  audit: [OVERVIEW, '/api/audit?limit=100', '/api/members'],
  settings: [
    OVERVIEW,
    '/api/settings',
    '/api/status',
    '/api/lan',
    '/api/alerts/thresholds',
    '/api/webhooks',
    '/api/mailboxes',
  ],
}

/** Fills the installation's folder, measures, and returns a line for each page, with what took longest of it. */
export function pageFigures(farebox: Installation, { work }: Options): Promise<string> {
  const { yearCalls: calls, reportRounds: rounds } = work
  return withYear(farebox, { calls, sessions: calls }, async ({ child, headers }) => {
    const lines = await pageLines((path) => ask(child.url + path, headers), rounds)
    return `${lines.join('\n')}\n`
  })
}

/** How long an answer to a path took to its last byte, in milliseconds. */
type Ask = (path: string) => Promise<number>

async function pageLines(ask: Ask, rounds: number): Promise<string[]> {
  const lines: string[] = []
  for (const [page, paths] of Object.entries(PAGES)) {
    const whole: number[] = []
    const each = new Map(paths.map((path): [string, number[]] => [path, []]))
    for (let round = -1; round < rounds; round += 1) {
      const startedMs = performance.now()
      const times = await Promise.all(paths.map(async (path) => [path, await ask(path)] as const))
      // The first one is not counted: threads are started by it.
      if (round === -1) continue
      whole.push(performance.now() - startedMs)
      for (const [path, took] of times) each.get(path)?.push(took)
    }
    const [slowest] = [...each]
      .map(([path, times]) => ({ path, ms: percentile(times, 50) }))
      .toSorted((a, b) => b.ms - a.ms)
    const [p50, p95] = [percentile(whole, 50), percentile(whole, 95)]
    const figures = [
      `page ${page}`.padEnd(32),
      `p50 ${p50.toFixed(1)} ms`,
      `p95 ${p95.toFixed(1)} ms`,
      metWord(p95 <= LIMIT_MS),
      `longest ${slowest?.path ?? ''} ${(slowest?.ms ?? 0).toFixed(1)} ms`,
    ]
    lines.push(figures.join('   '))
  }
  return lines
}
