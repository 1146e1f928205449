// Gateways that share their books count by themselves what is limited by the minute, the day or the month, and each holds to a part of it. The parts of
// all of them together are the whole.

/** Of how many gateways this is which one, beginning with 0. */
export type LimitPart = { readonly of: number; readonly rank: number }

/** By how long what a gateway let through counts: whoever did within that time has a part. */
export type LimitParts = {
  /** Of calls that run. */
  readonly calls: LimitPart
  readonly minute: LimitPart
  readonly day: LimitPart
  readonly month: LimitPart
}

/** What this gateway holds to of limits: all of them where it shares them with no other. */
export type PartOf = <Limits extends object>(limits: Limits) => Limits

/** That of a gateway that shares nothing. */
export const wholeLimits: PartOf = (limits) => limits

const SPANS = {
  requestsPerMinute: 'minute',
  tokensPerMinute: 'minute',
  concurrentRequests: 'calls',
  dailyMicro: 'day',
  monthlyMicro: 'month',
} as const satisfies Record<string, keyof LimitParts>

/** At least 1, where anything is allowed: a gateway that lets nobody in would refuse calls that come to it by chance. */
export function partOfLimit(limit: number, { of, rank }: LimitPart): number {
  if (limit <= 0) return limit
  return Math.max(1, Math.floor(limit / of) + (rank < limit % of ? 1 : 0))
}

/** Every limit that has a time by this gateway's part of it; `parts` is undefined for a gateway by itself. */
export function partOfLimits<Limits extends object>(limits: Limits, parts: LimitParts | undefined): Limits {
  if (parts === undefined) return limits
  const own = { ...limits } as Record<string, unknown>
  for (const [name, span] of Object.entries(SPANS)) {
    const limit = own[name]
    if (typeof limit === 'number') own[name] = partOfLimit(limit, parts[span])
  }
  // Only numbers have become others.
  return own as Limits
}
