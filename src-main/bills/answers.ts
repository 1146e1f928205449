// Bills that come with the answers themselves: why what an answer says that it costs is not what its call was charged.

import { uncertainty, type DoubtfulRecord } from '#bills/ours.ts'
import type { Cause } from '#contract/bill-causes.ts'

/** Tokens are those of the same answer, so that where all of them were told and nothing else was used, the price is what differs. */
export function answerCause(
  call: Pick<DoubtfulRecord, 'usageSource' | 'estimatedClasses' | 'outcome' | 'hasUnits'>,
): Cause {
  const { doubt } = uncertainty(call) ?? {}
  if (doubt !== undefined) return doubt
  return call.hasUnits ? 'tool_fees' : 'price_differs'
}
