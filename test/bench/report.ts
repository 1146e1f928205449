// From measurements to the figures, the verdicts and the table.
import { cpus, totalmem } from 'node:os'
import type { Results, Round } from './contest.ts'
import type { RoutingRatios } from './routing.ts'
import { percentile, spread, spreadOf, type Spread } from './statistics.ts'

export type Memory = { readonly idleMiB: number | undefined; readonly loadedMiB: number | undefined }
export type Measured = { readonly results: Results; readonly memory: Memory; readonly readyMs: readonly number[] }

type Latency = { readonly p50: number; readonly p99: number }

export type Figures = {
  readonly cpuPerCallMicros: Spread | undefined
  readonly cpuPerEventMicros: Spread | undefined
  readonly readsPerEvent: number | undefined
  readonly callMs: Latency | undefined
  readonly firstEventMs: Latency | undefined
  readonly memory: Memory
  readonly readyMs: Spread
}

export type Verdict = {
  readonly name: string
  readonly unit: string
  readonly measured: Spread | undefined
  readonly limit: number
  readonly isMet: boolean | undefined
}

export type Report = {
  readonly machine: string
  readonly bare: Figures
  readonly farebox: Figures | undefined
  /** Clients of the messages format at a provider of chat completions; streams only. */
  readonly translated: Figures | undefined
  readonly verdicts: readonly Verdict[]
  readonly warnings: readonly string[]
}

const LIMITS = {
  callRatio: 2,
  eventRatio: 1.3,
  translatedRatio: 2,
  firstEventAddedMs: 1,
  growth: 1.5,
  routingRatio: 1.05,
  idleMiB: 120,
  readyMs: 1000,
}
/** Joined events are cheaper to forward: below this the two proxies did not do the same work. */
const MIN_READS_PER_EVENT = 0.97

export type Comparison = {
  readonly bare: Measured
  readonly farebox: Measured | undefined
  readonly translated: Measured | undefined
  /** How much more a message of a long conversation costs to map than one of a short one. */
  readonly growth: Spread | undefined
  readonly routing: RoutingRatios | undefined
}

export function buildReport(comparison: Comparison): Report {
  const { bare, farebox, translated } = comparison
  const machine = `${cpus().length} CPUs (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`
  const all = [bare, farebox, translated].flatMap((one) => (one === undefined ? [] : [figures(one)]))
  const warnings = all.flatMap(({ readsPerEvent }) =>
    readsPerEvent !== undefined && readsPerEvent < MIN_READS_PER_EVENT
      ? [`events were joined on the way (${readsPerEvent.toFixed(3)} reads per event): the event ratio is unsure`]
      : [],
  )
  return {
    machine: `Node ${process.version}, ${process.platform} ${process.arch}, ${machine}`,
    bare: figures(bare),
    farebox: farebox === undefined ? undefined : figures(farebox),
    translated: translated === undefined ? undefined : figures(translated),
    verdicts:
      farebox === undefined
        ? []
        : [...verdicts(bare, farebox), ...translationVerdicts(comparison), ...routingVerdicts(comparison.routing)],
    warnings,
  }
}

function figures({ results, memory, readyMs }: Measured): Figures {
  const reads = results.events.map((round) => round.readsPerUnit)
  const firstEvents = results.singleStreams.map((timing) => timing.firstByteMs)
  return {
    cpuPerCallMicros: cpuSpread(results.calls),
    cpuPerEventMicros: cpuSpread(results.events),
    readsPerEvent: reads.length === 0 ? undefined : percentile(reads, 50),
    callMs: latency(results.singleCalls.map((timing) => timing.totalMs)),
    firstEventMs: latency(firstEvents),
    memory,
    readyMs: spread(readyMs),
  }
}

function verdicts(bare: Measured, farebox: Measured): Verdict[] {
  const { idleMiB } = farebox.memory
  const idle = idleMiB === undefined ? undefined : { median: idleMiB, min: idleMiB, max: idleMiB }
  const calls = ratios(bare.results.calls, farebox.results.calls)
  const events = ratios(bare.results.events, farebox.results.events)
  return [
    verdict({ name: 'CPU per call, not streamed', unit: 'x bare', measured: calls, limit: LIMITS.callRatio }),
    verdict({ name: 'CPU per streamed event', unit: 'x bare', measured: events, limit: LIMITS.eventRatio }),
    verdict({ name: 'Idle memory', unit: 'MiB', measured: idle, limit: LIMITS.idleMiB }),
    verdict({ name: 'Start to ready', unit: 'ms', measured: spread(farebox.readyMs), limit: LIMITS.readyMs }),
  ]
}

function translationVerdicts({ bare, farebox, translated, growth }: Comparison): Verdict[] {
  if (translated === undefined || farebox === undefined) return []
  const [passed, mapped] = [figures(farebox).firstEventMs, figures(translated).firstEventMs]
  const addedMs = passed === undefined || mapped === undefined ? undefined : mapped.p50 - passed.p50
  const added = addedMs === undefined ? undefined : { median: addedMs, min: addedMs, max: addedMs }
  const ratio = ratios(bare.results.events, translated.results.events)
  return [
    verdict({ name: 'CPU per translated event', unit: 'x bare', measured: ratio, limit: LIMITS.translatedRatio }),
    verdict({ name: 'First event, translation adds', unit: 'ms', measured: added, limit: LIMITS.firstEventAddedMs }),
    verdict({ name: 'Mapping, 1,000 to 100 messages', unit: 'x each', measured: growth, limit: LIMITS.growth }),
  ]
}

export function routingVerdicts(ratios: RoutingRatios | undefined): Verdict[] {
  const limit = LIMITS.routingRatio
  return [
    verdict({ name: 'CPU per call, three targets', unit: 'x one', measured: ratios?.byWeight, limit }),
    verdict({ name: 'The same, by conversation', unit: 'x one', measured: ratios?.byConversation, limit }),
  ]
}

export function verdict(stated: Omit<Verdict, 'isMet'>): Verdict {
  return { ...stated, isMet: stated.measured === undefined ? undefined : stated.measured.median <= stated.limit }
}

export function ratios(bare: readonly Round[], farebox: readonly Round[]): Spread | undefined {
  return spreadOf(quotients(bare, farebox))
}

/** Of rounds that followed each other, so that a slow minute of the machine cancels out. */
export function quotients(yardsticks: readonly Round[], rounds: readonly Round[]): number[] {
  return rounds.flatMap(({ cpuMicros }, index) => {
    const yardstick = yardsticks[index]?.cpuMicros
    return cpuMicros === undefined || yardstick === undefined ? [] : [cpuMicros / yardstick]
  })
}

function cpuSpread(rounds: readonly Round[]): Spread | undefined {
  return spreadOf(rounds.flatMap(({ cpuMicros }) => (cpuMicros === undefined ? [] : [cpuMicros])))
}

function latency(timesMs: readonly number[]): Latency | undefined {
  if (timesMs.length === 0) return undefined
  return { p50: percentile(timesMs, 50), p99: percentile(timesMs, 99) }
}
