// Refused calls as lists show them, and the text that says where the next page begins.

import { iso } from '#catalog/dates.ts'
import type { RefusedList, RefusedView } from '#contract/refused.ts'
import { REFUSALS, type RefusalCode } from '#core/refusal.ts'
import { ADVICE } from '#core/refused-call.ts'
import type { StoredRefused } from '#store/refused-rows.ts'

export function refusedView(row: StoredRefused): RefusedView {
  return {
    id: row.id,
    last_id: row.last_id,
    at: iso(row.at_ms),
    last_at: iso(row.last_at_ms),
    count: row.count,
    key: row.key_name,
    endpoint: row.endpoint,
    model: row.model_id,
    code: row.code,
    status: row.status,
    message: row.message,
    // A newer Farebox may have written others.
    advice: isCode(row.code) ? ADVICE[row.code] : '',
    limit: row.limit_name,
    limit_scope: row.limit_scope,
  }
}

export function refusedPage(rows: readonly StoredRefused[], limit: number): RefusedList {
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { refused: rows.map(refusedView), next: last === undefined ? null : `${last.last_at_ms}-${last.id}` }
}

function isCode(code: string): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code)
}
