// What one session of a tool has cost so far, for the key that made its calls: enough for a line of status.

import type { SessionUsage } from '#contract/gateway-shapes.ts'
import { MAX_SESSION } from '#core/attribution.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { sessionName } from '#pipeline/attributions.ts'
import { totalsView } from '#reports/totals-view.ts'
import type { SessionOfKey } from '#store/session-sums.ts'
import type { Sums } from '#store/usage-measures.ts'

export type SessionUsageDeps = {
  readonly readSession: (session: SessionOfKey) => Promise<Sums>
  readonly hashKey: (text: string) => string
}

/** Sums over the calls of the key in a session. One that nobody has heard of has none: what other keys do is not told. */
export async function sessionUsage(
  keyId: string,
  asked: unknown,
  { readSession, hashKey }: SessionUsageDeps,
): Promise<SessionUsage | Refusal> {
  // A parameter that is given twice arrives as an array.
  if (typeof asked !== 'string' || asked === '' || asked.length > MAX_SESSION) {
    return refuse('invalid_request', 'Say which session: /v1/usage?session=ID.', { param: 'session' })
  }
  const session = sessionName(asked, hashKey)
  return { object: 'usage', session, ...totalsView(await readSession({ keyId, session })) }
}
