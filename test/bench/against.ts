// `npm run bench -- --against FOLDER`: whether this Farebox costs more than that of another checkout, such as of the release before. Both
// take part in the same rounds, because no two runs on one machine can be compared to a few in a hundred.
import { fareboxContender, profileText } from './contenders.ts'
import { install, type Installation } from './farebox.ts'
import type { Options } from './options.ts'
import { quotients, verdict, type Measured, type Verdict } from './report.ts'
import { session } from './session.ts'
import { spreadOf, type Spread } from './statistics.ts'
import { verdictLine } from './table.ts'

/** What counts as no worse. */
const LIMIT = 1.03
/** Processes of one program differ by more than that (by 4 in a hundred in the first event of a stream), so each side is begun some times. */
const SITTINGS = 4

type Against = Options & { readonly against: string }

type Side = 'before' | 'now' | 'translatedBefore' | 'translatedNow'
type Sitting = Readonly<Record<Side, Measured>>

/** Returns lines for the terminal: what each figure is, as a multiple of the other's. */
export async function againstFigures(upstreamUrl: string, options: Against): Promise<string> {
  const sittings: Sitting[] = []
  let profiles = ''
  for (let count = 0; count < (options.profile ? 1 : SITTINGS); count += 1) {
    const sitting = await sit(upstreamUrl, { ...options, isNowFirst: count % 2 === 1 })
    sittings.push(sitting.measured)
    profiles += sitting.profiles
  }
  const lines = compare(sittings)
  return `${options.json ? JSON.stringify(lines) : lines.map(verdictLine).join('\n')}\n${profiles}`
}

/** All contenders once, begun anew; who is begun first has another start of everything. */
async function sit(
  upstreamUrl: string,
  options: Against & { readonly isNowFirst: boolean },
): Promise<{ measured: Sitting; profiles: string }> {
  const installed: Installation[] = []
  try {
    const sides = options.isNowFirst ? [undefined, options.against] : [options.against, undefined]
    for (const root of [...sides, ...sides]) installed.push(await install(upstreamUrl, root))
    const formats = ['chat', 'chat', 'messages', 'messages'] as const
    const contenders = installed.map((one, place) => fareboxContender(one, formats[place] ?? 'chat', options))
    const [one, other, translatedOne, translatedOther] = await session(contenders, partOf(options))
    if (one === undefined || other === undefined || translatedOne === undefined || translatedOther === undefined) {
      throw new Error('nothing was measured')
    }
    const measured = options.isNowFirst
      ? { before: other, now: one, translatedBefore: translatedOther, translatedNow: translatedOne }
      : { before: one, now: other, translatedBefore: translatedOne, translatedNow: translatedOther }
    return { measured, profiles: options.profile ? profileText(installed) : '' }
  } finally {
    for (const one of installed) one.remove()
  }
}

/** What one sitting does of the work. */
function partOf(options: Options): Options {
  const part = (whole: number) => Math.ceil(whole / SITTINGS)
  const { rounds, singleCalls, singleStreams, starts } = options.work
  const work = {
    ...options.work,
    rounds: part(rounds),
    singleCalls: part(singleCalls),
    singleStreams: part(singleStreams),
    starts: part(starts),
  }
  return { ...options, work }
}

function compare(sittings: readonly Sitting[]): Verdict[] {
  const by = (name: string, measured: Spread | undefined) => verdict({ name, unit: 'x before', limit: LIMIT, measured })
  const cpu = (kind: 'calls' | 'events', before: Side, now: Side) =>
    spreadOf(sittings.flatMap((sitting) => quotients(sitting[before].results[kind], sitting[now].results[kind])))
  const each = (figure: (one: Measured) => number | undefined) =>
    spreadOf(
      sittings.flatMap(({ before, now }) => {
        const [of, than] = [figure(now), figure(before)]
        return of === undefined || than === undefined ? [] : [of / than]
      }),
    )
  return [
    by('CPU per call, not streamed', cpu('calls', 'before', 'now')),
    by('CPU per streamed event', cpu('events', 'before', 'now')),
    by('CPU per translated event', cpu('events', 'translatedBefore', 'translatedNow')),
    by(
      'Call, one at a time',
      each(({ results }) => medianOf(results.singleCalls.map(({ totalMs }) => totalMs))),
    ),
    by(
      'Stream, one at a time',
      each(({ results }) => medianOf(results.singleStreams.map(({ firstByteMs }) => firstByteMs))),
    ),
    by(
      'Idle memory',
      each(({ memory }) => memory.idleMiB),
    ),
    by(
      'Memory after load',
      each(({ memory }) => memory.loadedMiB),
    ),
    by(
      'Start to ready',
      each(({ readyMs }) => medianOf(readyMs)),
    ),
  ]
}

const medianOf = (values: readonly number[]) => spreadOf(values)?.median
