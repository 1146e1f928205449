// `npm run bench -- --against FOLDER`: whether this Farebox costs more than that of another checkout, such as of the release before. Both
// take part in the same rounds, because no two runs on one machine can be compared to a few in a hundred.
import { fareboxContender, profileText } from './contenders.ts'
import { install, type Installation } from './farebox.ts'
import type { Options } from './options.ts'
import { ratios, verdict, type Measured, type Verdict } from './report.ts'
import { session } from './session.ts'
import { spread } from './statistics.ts'
import { verdictLine } from './table.ts'

/** What counts as no worse. */
const LIMIT = 1.03

type Against = Options & { readonly against: string }

/** Returns lines for the terminal: what each figure is, as a multiple of the other's. */
export async function againstFigures(upstreamUrl: string, options: Against): Promise<string> {
  const installed: Installation[] = []
  try {
    for (const root of [options.against, undefined, options.against, undefined]) {
      installed.push(await install(upstreamUrl, root))
    }
    const formats = ['chat', 'chat', 'messages', 'messages'] as const
    const contenders = installed.map((one, place) => fareboxContender(one, formats[place] ?? 'chat', options))
    const [before, now, translatedBefore, translatedNow] = await session(contenders, options)
    if (before === undefined || now === undefined) throw new Error('nothing was measured')
    const lines = compare(before, now)
    if (translatedBefore !== undefined && translatedNow !== undefined) {
      const events = ratios(translatedBefore.results.events, translatedNow.results.events)
      lines.push(verdict({ name: 'CPU per translated event', unit: 'x before', measured: events, limit: LIMIT }))
    }
    const profiles = options.profile ? profileText(installed) : ''
    return `${options.json ? JSON.stringify(lines) : lines.map(verdictLine).join('\n')}\n${profiles}`
  } finally {
    for (const one of installed) one.remove()
  }
}

function compare(before: Measured, now: Measured): Verdict[] {
  const each = { unit: 'x before', limit: LIMIT }
  const memory = (pick: (one: Measured) => number | undefined) => quotient([pick(before)], [pick(now)])
  return [
    verdict({ ...each, name: 'CPU per call, not streamed', measured: ratios(before.results.calls, now.results.calls) }),
    verdict({ ...each, name: 'CPU per streamed event', measured: ratios(before.results.events, now.results.events) }),
    verdict({
      ...each,
      name: 'Call, one at a time',
      measured: quotient(times(before, 'singleCalls'), times(now, 'singleCalls')),
    }),
    verdict({
      ...each,
      name: 'Stream, one at a time',
      measured: quotient(times(before, 'singleStreams'), times(now, 'singleStreams')),
    }),
    verdict({ ...each, name: 'Idle memory', measured: memory(({ memory: { idleMiB } }) => idleMiB) }),
    verdict({ ...each, name: 'Memory after load', measured: memory(({ memory: { loadedMiB } }) => loadedMiB) }),
    verdict({ ...each, name: 'Start to ready', measured: quotient(before.readyMs, now.readyMs) }),
  ]
}

/** Of medians: these are not measured in rounds that follow each other. */
function quotient(before: readonly (number | undefined)[], now: readonly (number | undefined)[]) {
  const [of, by] = [now, before].map((values) => values.filter((value) => value !== undefined))
  if (of === undefined || by === undefined || of.length === 0 || by.length === 0) return undefined
  return spread([spread(of).median / spread(by).median])
}

function times({ results }: Measured, kind: 'singleCalls' | 'singleStreams'): number[] {
  return results[kind].map(({ totalMs, firstByteMs }) => (kind === 'singleCalls' ? totalMs : firstByteMs))
}
