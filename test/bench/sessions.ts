// `npm run bench -- --only sessions`: the same year of calls once in few sessions and once with a session for each call, which is the most that there can be.
// Reports must take as long, and the process as much memory.
import { install, type Installation } from './farebox.ts'
import type { Child } from './child.ts'
import type { Options } from './options.ts'
import { residentMiB } from './process-figures.ts'
import { timesOf } from './reports.ts'
import { percentile } from './statistics.ts'
import { metWord } from './table.ts'
import { withYear } from './year.ts'

const FEW = 1000
const MAX_SLOWER_MS = 20
const MAX_MORE_MIB = 30

const QUESTIONS: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/api/overview'],
  ['a year by tool', '/api/usage-report?from=365d&rollup=day&group=tool'],
  ['a year by project', '/api/usage-report?from=365d&rollup=day&group=project'],
  ['a year by tag', '/api/usage-report?from=365d&rollup=day&group=tag'],
  ['7 days by session', '/api/usage-report?from=7d&rollup=day&group=session&points=none'],
  ['calls of a tool', '/api/usage?tool=tool-3'],
]
/** Those of few sessions have a thousand calls each. */
const OF_ONE = [
  ['calls of a session', '/api/usage?session=session-500'],
  ['sums of a session', '/api/usage-report?session=session-500&from=400d&rollup=day&points=none'],
] as const

type Figures = { readonly ms: ReadonlyMap<string, number>; readonly mib: number; readonly startedMiB: number }

export async function sessionFigures(many: Installation, { work }: Options, upstream: Child): Promise<string> {
  const { yearCalls: calls } = work
  const few = await install(upstream.url)
  try {
    const ofFew = await figuresOf(few, { calls, sessions: FEW, rounds: work.reportRounds })
    const ofMany = await figuresOf(many, { calls, sessions: calls, rounds: work.reportRounds })
    const lines = [...QUESTIONS, ...OF_ONE].map(([name]) => {
      const [before, now] = [ofFew.ms.get(name) ?? NaN, ofMany.ms.get(name) ?? NaN]
      const figures = `p50 ${before.toFixed(1)} ms with ${FEW} sessions   ${now.toFixed(1)} ms with ${calls}`
      return [name.padEnd(32), figures, metWord(now - before <= MAX_SLOWER_MS)].join('   ')
    })
    const memory = [ofFew, ofMany].map(({ startedMiB, mib }) => `${startedMiB.toFixed(0)} to ${mib.toFixed(0)} MiB`)
    const isBounded = metWord(ofMany.mib - ofFew.mib <= MAX_MORE_MIB)
    return `${[...lines, `${'memory'.padEnd(32)}   ${memory.join('   ')}   ${isBounded}`].join('\n')}\n`
  } finally {
    few.remove()
  }
}

type Measured = { readonly calls: number; readonly sessions: number; readonly rounds: number }

function figuresOf(farebox: Installation, { calls, sessions, rounds }: Measured): Promise<Figures> {
  return withYear(farebox, { calls, sessions }, async ({ child, headers }) => {
    const startedMiB = residentMiB(child.pids) ?? NaN
    const ms = new Map<string, number>()
    for (const [name, path] of [...QUESTIONS, ...OF_ONE]) {
      ms.set(name, percentile(await timesOf(child.url + path, headers, rounds), 50))
    }
    return { ms, startedMiB, mib: residentMiB(child.pids) ?? NaN }
  })
}
