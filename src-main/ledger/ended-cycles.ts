// The cycles of a key that have ended, as far as they are remembered. A clock that was wrong can come back to any of them: that cycle is then
// resumed with what it had left, and is never granted again.

import type { PackageType } from '#core/entities.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'

export type EndedCycle = {
  /** Names the cycle within its key. */
  readonly cycleStartedAtMs: number
  readonly nextResetAtMs: number
  readonly packageType: PackageType
  /** What its package granted when it ended. */
  readonly creditsMicro: MicroCredits
  grantedMicro: MicroCredits
  usedMicro: MicroCredits
  heldMicro: MicroCredits
  grownMicro: MicroCredits
  /** The part of `usedMicro` that an earlier cycle paid, because the clock was wrong when it was charged. */
  readonly paidMicro: MicroCredits
  readonly resumes: number
}

export type EndedCycles = {
  readonly cycles: readonly EndedCycle[]
  /** Cycles that began at this instant or before it, or at `forgottenFromMs` or after it, may have ended and been forgotten. */
  readonly forgottenToMs: number
  readonly forgottenFromMs: number
  /** How many cycles got another name, because one of theirs may have been forgotten. */
  readonly renamed: number
}

export const NO_ENDED_CYCLES: EndedCycles = {
  cycles: [],
  forgottenToMs: Number.NEGATIVE_INFINITY,
  forgottenFromMs: Number.POSITIVE_INFINITY,
  renamed: 0,
}

/** Enough for every clock but one that is wrong in many ways in a row. */
const MAX_ENDED = 6

/** The latest cycle of a kind that lies in a period, or that the instant lies in. */
export function findEnded(
  { cycles }: EndedCycles,
  packageType: PackageType,
  { startMs, endMs, nowMs }: { readonly startMs: number; readonly endMs: number; readonly nowMs: number },
): EndedCycle | undefined {
  let found: EndedCycle | undefined
  for (const cycle of cycles) {
    const { cycleStartedAtMs: startedMs, nextResetAtMs } = cycle
    const isThen = (startedMs >= startMs && startedMs < endMs) || (startedMs <= nowMs && nowMs < nextResetAtMs)
    if (cycle.packageType !== packageType || !isThen) continue
    if (found === undefined || startedMs > found.cycleStartedAtMs) found = cycle
  }
  return found
}

/** Whether a cycle that began then has ended, or may have and been forgotten. */
export function mayHaveEnded({ cycles, forgottenToMs, forgottenFromMs }: EndedCycles, startedMs: number): boolean {
  if (startedMs <= forgottenToMs || startedMs >= forgottenFromMs) return true
  return cycles.some(({ cycleStartedAtMs }) => cycleStartedAtMs === startedMs)
}

/** Whether a cycle is known that began before, so that one that began then would be known too. */
export function isKnownBefore({ cycles, forgottenToMs }: EndedCycles, startedMs: number): boolean {
  return startedMs > forgottenToMs && cycles.some(({ cycleStartedAtMs }) => cycleStartedAtMs < startedMs)
}

/** With another cycle. Where they are too many, the one that is farthest from `presentMs` is forgotten. */
export function withEnded(ended: EndedCycles, cycle: EndedCycle, presentMs: number): EndedCycles {
  const cycles = [...ended.cycles, cycle]
  if (cycles.length <= MAX_ENDED) return { ...ended, cycles }
  const distance = ({ cycleStartedAtMs }: EndedCycle) => Math.abs(cycleStartedAtMs - presentMs)
  const far = cycles.reduce((one, other) => (distance(other) > distance(one) ? other : one))
  const { cycleStartedAtMs: farMs } = far
  return {
    ...ended,
    cycles: cycles.filter((one) => one !== far),
    ...(farMs <= presentMs
      ? { forgottenToMs: Math.max(ended.forgottenToMs, farMs) }
      : { forgottenFromMs: Math.min(ended.forgottenFromMs, farMs) }),
  }
}

export function withoutEnded(ended: EndedCycles, cycle: EndedCycle): EndedCycles {
  return { ...ended, cycles: ended.cycles.filter((one) => one !== cycle) }
}

type Cells = readonly [
  cycleStartedAtMs: number,
  nextResetAtMs: number | null,
  packageType: PackageType,
  creditsMicro: number,
  grantedMicro: number,
  usedMicro: number,
  paidMicro: number,
  resumes: number,
]

type Stored = readonly [
  paidMicro: number,
  resumes: number,
  toMs: number | null,
  fromMs: number | null,
  renamed: number,
  ...Cells[],
]

type OfPresent = Pick<EndedCycle, 'paidMicro' | 'resumes'>

/** As it is kept beside the balance, with what that lacks of the present cycle. What is held is not: no hold outlives the process. */
export function endedCyclesText(ended: EndedCycles, { paidMicro, resumes }: OfPresent): string {
  const { cycles, forgottenToMs, forgottenFromMs, renamed } = ended
  const rows = cycles.map((cycle): Cells => [
    cycle.cycleStartedAtMs,
    finite(cycle.nextResetAtMs),
    cycle.packageType,
    cycle.creditsMicro,
    cycle.grantedMicro,
    cycle.usedMicro,
    cycle.paidMicro,
    cycle.resumes,
  ])
  const stored: Stored = [paidMicro, resumes, finite(forgottenToMs), finite(forgottenFromMs), renamed, ...rows]
  return JSON.stringify(stored)
}

export function endedCyclesOf(text: string): OfPresent & { readonly ended: EndedCycles } {
  const [paid, resumes, toMs, fromMs, renamed, ...rows] = JSON.parse(text) as Stored
  const cycles = rows.map(([cycleStartedAtMs, resetMs, packageType, credits, granted, used, paidBefore, times]) => ({
    cycleStartedAtMs,
    nextResetAtMs: resetMs ?? Number.POSITIVE_INFINITY,
    packageType,
    creditsMicro: microCredits(credits),
    grantedMicro: microCredits(granted),
    usedMicro: microCredits(used),
    heldMicro: microCredits(0),
    grownMicro: microCredits(0),
    paidMicro: microCredits(paidBefore),
    resumes: times,
  }))
  const ended = {
    cycles,
    forgottenToMs: toMs ?? Number.NEGATIVE_INFINITY,
    forgottenFromMs: fromMs ?? Number.POSITIVE_INFINITY,
    renamed,
  }
  return { paidMicro: microCredits(paid), resumes, ended }
}

function finite(instantMs: number): number | null {
  return Number.isFinite(instantMs) ? instantMs : null
}
