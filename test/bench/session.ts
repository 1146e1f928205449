// One measuring session: start the contenders, note how fast and how large they are, let them contest, check the books.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import { contest, contestant, type Contestant } from './contest.ts'
import type { Options } from './options.ts'
import { residentMiB } from './process-figures.ts'
import type { Format } from './payload.ts'
import type { Measured } from './report.ts'

export type Contender = {
  readonly name: string
  readonly key: string
  readonly format: Format
  start(purpose: 'timing' | 'contest'): Promise<Child>
  /** Called when all answers are in; throws when they were not charged exactly that. */
  checkCharges(url: string, spentMicro: number): Promise<void>
}

/** Long enough for the work right after a start to be over. */
const IDLE_AFTER_MS = 2000

/** The measurements of each contender, in their order. No process is left when this returns or throws. */
export async function session(contenders: readonly Contender[], options: Options): Promise<Measured[]> {
  const readyMs: number[][] = []
  for (const contender of contenders) readyMs.push(await startTimes(contender, options.work.starts))
  const running: Contestant[] = []
  try {
    for (const contender of contenders) running.push(await enter(contender, options.work.callers))
    const measured = await measure(contenders, running, { readyMs, options })
    await Promise.all(running.map(leave))
    return measured
  } catch (error) {
    // A process that crashed is the likely reason for a failed call; what it said last belongs to the message.
    const ends = await Promise.allSettled(running.map(leave))
    const reasons = [error, ...ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))]
    throw new Error(reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; '), {
      cause: error,
    })
  }
}

type Plan = { readonly readyMs: readonly (readonly number[])[]; readonly options: Options }

async function measure(contenders: readonly Contender[], running: readonly Contestant[], plan: Plan) {
  await sleep(IDLE_AFTER_MS)
  const idle = running.map(({ child }) => residentMiB(child.pids))
  const results = await contest(running, plan.options.work, kinds(plan.options))
  const loaded = running.map(({ child }) => residentMiB(child.pids))
  for (const [index, one] of running.entries()) {
    await contenders[index]?.checkCharges(one.child.url, one.spentMicro)
  }
  return results.map((result, index): Measured => {
    const memory = { idleMiB: idle[index], loadedMiB: loaded[index] }
    return { results: result, memory, readyMs: plan.readyMs[index] ?? [] }
  })
}

async function enter(contender: Contender, callers: number): Promise<Contestant> {
  const { name, key, format } = contender
  return contestant(name, await contender.start('contest'), { key, format, callers })
}

async function leave({ client, child }: Contestant): Promise<void> {
  await client.close()
  await child.stop()
}

async function startTimes(contender: Contender, starts: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < starts; index += 1) {
    const child = await contender.start('timing')
    times.push(child.readyMs)
    await child.stop()
  }
  return times
}

function kinds({ only, profile }: Options): string[] {
  if (only !== undefined) return [only]
  return profile ? ['calls', 'events'] : ['calls', 'events', 'latency']
}
