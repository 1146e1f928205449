// `npm run bench -- --only reports`: what the dashboard reads, over HTTP, on a year of a million calls; and what it does to the
// calls of the same gateway when somebody pages through all of it meanwhile.
import { request } from 'undici'
import type { Child } from './child.ts'
import type { Installation } from './farebox.ts'
import { createClient } from './load.ts'
import type { Options, Work } from './options.ts'
import { WHOLE_EXCHANGE } from './payload.ts'
import { percentile } from './statistics.ts'
import { metWord } from './table.ts'
import { withYear } from './year.ts'

const LIMIT_MS = 200
/** Calls, one after the other, in one slice with or without somebody who reads. */
const SLICE = 250

/** Each asks for what a page of the dashboard shows; the last ones for what is nowhere, or rare. */
const QUESTIONS: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/api/overview'],
  ['7 days by hour and model', '/api/usage-report?from=7d&rollup=hour&group=model'],
  ['8 days by hour and key', '/api/usage-report?from=8d&rollup=hour&group=key'],
  ['30 days by day and key', '/api/usage-report?from=30d&group=key'],
  ['a year by day', '/api/usage-report?from=365d&rollup=day'],
  ['a year by model', '/api/usage-report?from=365d&rollup=day&group=model'],
  ['a year by key', '/api/usage-report?from=365d&rollup=day&group=key'],
  ['a year by owner', '/api/usage-report?from=365d&rollup=day&group=owner'],
  ['a year, keys of a provider', '/api/usage-report?from=365d&rollup=day&group=key&provider=provider+1'],
  ['a year, models of an owner', '/api/usage-report?from=365d&rollup=day&group=model&owner=owner+3'],
  ['a year by tool', '/api/usage-report?from=365d&rollup=day&group=tool'],
  ['a year by project', '/api/usage-report?from=365d&rollup=day&group=project'],
  ['a year by tag', '/api/usage-report?from=365d&rollup=day&group=tag'],
  ['a year, models of a project', '/api/usage-report?from=365d&rollup=day&group=model&project=project-3'],
  ['calls', '/api/usage'],
  ['calls of a key', '/api/usage?key=year+7'],
  ['calls of a key to a model', '/api/usage?key=year+7&model=year-4'],
  ['failed calls of a key', '/api/usage?key=year+7&status=failed'],
  ['calls that cost too much', '/api/usage?min_credits=5'],
  ['calls of nobody', '/api/usage?model=nothing'],
  ['calls of a project', '/api/usage?project=project-3'],
  ['calls of a session', '/api/usage?session=session-50000'],
  ['sums of a session', '/api/usage-report?session=session-50000&from=400d&rollup=day&points=none'],
  ['ledger', '/api/ledger'],
  ['ledger, far back', '/api/ledger?before=400000'],
  ['ledger of a key', '/api/ledger?key=year+7'],
  ['ledger, adjustments', '/api/ledger?kind=adjustment'],
]

/** Fills the installation's folder, measures, and returns lines for the terminal. */
export async function reportFigures(farebox: Installation, { work }: Options): Promise<string> {
  const { yearCalls: calls, reportRounds: rounds } = work
  return withYear(farebox, { calls, sessions: calls }, async ({ child, headers, filledMs }) => {
    const lines = [`${calls} calls in a year; their roll-ups were filled in ${(filledMs / 1000).toFixed(1)} s`]
    for (const [name, path] of QUESTIONS) {
      const times = await timesOf(child.url + path, headers, rounds)
      const [p50, p95] = [percentile(times, 50), percentile(times, 95)]
      const figures = [
        name.padEnd(32),
        `p50 ${p50.toFixed(1)} ms`,
        `p95 ${p95.toFixed(1)} ms`,
        metWord(p95 <= LIMIT_MS),
      ]
      lines.push(figures.join('   '))
    }
    return `${[...lines, await pagingLine(child, { farebox, headers, work })].join('\n')}\n`
  })
}

export async function timesOf(url: string, headers: Record<string, string>, rounds: number): Promise<number[]> {
  await ask(url, headers)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await ask(url, headers))
  return times
}

/** How long an answer took to its last byte, in milliseconds. */
export async function ask(url: string, headers: Record<string, string>): Promise<number> {
  const startedMs = performance.now()
  const answer = await request(url, { headers })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`)
  return performance.now() - startedMs
}

type Paging = { readonly farebox: Installation; readonly headers: Record<string, string>; readonly work: Work }

/** Slices of calls in turn, with and without somebody who reads one report after the other. */
async function pagingLine(child: Child, { farebox, headers, work }: Paging): Promise<string> {
  const client = createClient({ name: 'Farebox', url: child.url, key: farebox.key }, 1)
  const [alone, beside, receipts]: [number[], number[], number[]] = [[], [], []]
  try {
    for (let slice = 0; slice < 2 * Math.max(4, work.reportRounds / 2); slice += 1) {
      const isReading = slice % 2 === 1
      const reader = isReading ? startReading(child.url, headers) : undefined
      for (let call = 0; call < SLICE; call += 1) {
        const { totalMs } = await client.call(WHOLE_EXCHANGE)
        ;(isReading ? beside : alone).push(totalMs)
      }
      if (isReading) receipts.push(await ask(`${child.url}/api/usage/${await lastCall(child.url, headers)}`, headers))
      await reader?.stop()
    }
  } finally {
    await client.close()
  }
  const ratio = (percent: number) => (percentile(beside, percent) / percentile(alone, percent)).toFixed(2)
  const p99 = `p99 ${percentile(alone, 99).toFixed(2)} ms alone, ${percentile(beside, 99).toFixed(2)} ms beside a reader`
  const receipt = `a receipt beside it ${percentile(receipts, 50).toFixed(1)} ms`
  return `calls: p50 x ${ratio(50)}, p99 x ${ratio(99)} (${p99}); ${receipt}`
}

async function lastCall(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await request(`${url}/api/usage?limit=1`, { headers })
  const { usage } = (await answer.body.json()) as { usage: readonly { id: string }[] }
  return usage[0]?.id ?? ''
}

function startReading(url: string, headers: Record<string, string>): { stop(): Promise<void> } {
  let isOver = false
  const read = async () => {
    for (let turn = 0; !isOver; turn += 1) await ask(url + (QUESTIONS[turn % QUESTIONS.length]?.[1] ?? ''), headers)
  }
  const reading = read()
  return {
    async stop() {
      isOver = true
      await reading
    },
  }
}
