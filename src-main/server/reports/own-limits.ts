// What a viewer is held to beside the limits of single keys: those that an administrator set for all keys of a member together.

import { iso } from '#catalog/dates.ts'
import { memberLimitsView } from '#catalog/members.ts'
import type { OverviewView } from '#contract/reports.ts'
import { nextCycleStart } from '#core/cycle.ts'
import type { Member, Viewer } from '#core/member.ts'
import { microToCredits } from '#core/money.ts'
import type { MemberUse, ReportDeps } from '#server/reports/report-deps.ts'

type OwnLimits = NonNullable<OverviewView['own_limits']>

/**
 * Undefined where nothing is limited. It goes by who somebody is and not by what they may do, because an administrator's keys are held to
 * limits as well. The holder of a key is told the limits, which refusals of its calls say anyway, and not what is used of them:
 * that is what other keys do.
 */
export function ownLimits({ context, memberUse }: OwnLimitsDeps, viewer: Viewer): OwnLimits | undefined {
  const { catalog } = context
  switch (viewer.type) {
    case 'owner':
      return undefined
    case 'member':
      return limitsOf(context, viewer.member, () => useView(memberUse(viewer.member.id)))
    case 'holder': {
      const memberId = catalog.key(viewer.keyId)?.memberId
      const member = memberId === undefined ? undefined : catalog.member(memberId)
      return member === undefined ? undefined : limitsOf(context, member, () => null)
    }
  }
}

type OwnLimitsDeps = Pick<ReportDeps, 'context' | 'memberUse'>

function limitsOf(
  { nowMs, timeZone }: OwnLimitsDeps['context'],
  { limits }: Member,
  use: () => OwnLimits['use'],
): OwnLimits | undefined {
  if (Object.values(limits).every((limit) => limit === undefined)) return undefined
  const endsAtMs = limits.dailyMicro === undefined ? undefined : nextCycleStart('daily', timeZone, nowMs())
  return {
    limits: memberLimitsView(limits),
    use: use(),
    next_reset_at: endsAtMs === undefined ? null : iso(endsAtMs),
  }
}

function useView({ running, chargedTodayMicro, heldMicro }: MemberUse): OwnLimits['use'] {
  return {
    running_calls: running,
    credits_today: microToCredits(chargedTodayMicro),
    held_credits: microToCredits(heldMicro),
  }
}
