// farebox audit: what was done to the gateway, by whom.

import { countUpTo, text } from '#cli/flags.ts'
import { more, tableOf, time, view, type Columns } from '#cli/output.ts'
import { requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { AuditView } from '#contract/audit.ts'

const MAX_LIMIT = 9_999
/** What is asked for can be a whole farebox.yaml; `--json` has all of it. */
const DETAILS_LENGTH = 60

const COLUMNS: Columns<AuditView> = {
  TIME: (entry) => time(entry.at),
  ACTOR: (entry) => entry.actor,
  ACTION: (entry) => entry.action,
  SUBJECT: (entry) => entry.subject,
  OUTCOME: outcomeOf,
  DETAILS: detailsOf,
}

const audit = verb({
  name: 'audit',
  usage: '[--action A] [--actor NAME] [--limit N] [--before CURSOR]',
  summary: 'lists what administrators and members did, latest first',
  flags: { action: text, actor: text, limit: countUpTo(MAX_LIMIT), before: text },
  async run(client, { flags }) {
    const list = await client.call('listAudit', { query: requestQuery('listAudit', flags) })
    return view(list, more(tableOf(COLUMNS, list.entries, 'Nothing is recorded yet.'), list.next))
  },
})

export const AUDIT_VERBS = [audit]

function outcomeOf({ outcome, status, count }: AuditView): string {
  const said = status === null || status < 400 ? outcome : `${outcome} (${status})`
  return count > 1 ? `${said}, ${count} times` : said
}

/** Of what strangers did it says where they came from, and when last. */
function detailsOf({ details, source, count, last_at }: AuditView): string | null {
  const origin = source === null ? {} : { source, ...(count > 1 && { last: time(last_at) }) }
  const text = Object.entries({ ...origin, ...details })
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  if (text === '') return null
  return text.length > DETAILS_LENGTH ? `${text.slice(0, DETAILS_LENGTH - 1)}…` : text
}
