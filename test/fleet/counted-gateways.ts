// By how long what a gateway let through counts, said a second time: what PostgreSQL answers is held against it, and histories of many hours are made with it.

import type { LimitPart, LimitParts } from '#core/limit-parts.ts'

/** A row of the roster. Times in milliseconds. */
export type CountedGateway = {
  readonly id: string
  readonly seenAtMs: number
  /** When no call of it can run any more. */
  readonly freeAtMs: number
  readonly endedAtMs: number | undefined
  readonly isRetired: boolean
}

const SECOND = 1000
const HOUR = 3600 * SECOND

const COUNTS_UNTIL: Readonly<Record<keyof LimitParts, (gateway: CountedGateway) => number>> = {
  calls: ({ freeAtMs }) => freeAtMs,
  minute: ({ seenAtMs, endedAtMs }) => (endedAtMs === undefined ? seenAtMs + 125 * SECOND : endedAtMs + 61 * SECOND),
  day: ({ freeAtMs }) => freeAtMs + 25 * HOUR,
  month: ({ freeAtMs }) => freeAtMs + 32 * 24 * HOUR,
}

/** What is left to the others at once by one that was declared lost. */
const LEFT: Readonly<Record<keyof LimitParts, boolean>> = { calls: false, minute: false, day: true, month: true }

export function partsAmong(roster: readonly CountedGateway[], id: string, nowMs: number): LimitParts {
  const part = (span: keyof LimitParts): LimitPart => {
    const counted = roster.filter(
      (gateway) => gateway.id === id || (COUNTS_UNTIL[span](gateway) > nowMs && !(gateway.isRetired && LEFT[span])),
    )
    return { of: counted.length, rank: counted.filter((gateway) => gateway.id < id).length }
  }
  return { calls: part('calls'), minute: part('minute'), day: part('day'), month: part('month') }
}
