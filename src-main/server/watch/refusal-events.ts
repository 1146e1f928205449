// Events about requests that a provider refused in words that are known. Only those words are told: what else a provider says may
// quote the request.

import type { Log } from '#core/log.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { AttemptNote } from '#pipeline/settle.ts'

/** Tells of calls whose usage records are on disk. */
export function tellRefusals(records: readonly UsageRecord[], log: Log): void {
  for (const { id, attempts } of records) {
    if (attempts === undefined || !attempts.includes('"words":')) continue
    // Written by this program, in the shape that its type has.
    for (const note of JSON.parse(attempts) as readonly AttemptNote[]) tellRefusal(id, note, log)
  }
}

function tellRefusal(requestId: string, { provider, model, status, words }: AttemptNote, log: Log): void {
  if (words === undefined) return
  const fields = { request_id: requestId, provider, upstream_model: model, status, words }
  log(`The provider '${provider}' refused a request: ${words}`, { event: 'request_refused', fields })
}
