// farebox why ID and farebox refused: why a request ended as it did, and what was refused before it was a call.

import { countUpTo, text } from '#cli/flags.ts'
import { facts, more, printable, tableOf, time, view, type Columns } from '#cli/output.ts'
import { receiptText } from '#cli/receipt.ts'
import { requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { RefusedView, WhyView } from '#contract/refused.ts'

const why = verb({
  name: 'why',
  usage: 'ID',
  summary: 'says why a request ended as it did, and what to do about it',
  operand: 'ID',
  flags: {},
  async run(client, { name: id }) {
    const answer = await client.call('why', { id })
    return view(answer, whyText(answer))
  },
})

function whyText({ says, advice, refused, receipt, is_certain: isCertain }: WhyView): string {
  const parts = [printable(says), advice === null ? '' : printable(advice)]
  if (!isCertain) parts.push('This is told by its time alone: the request was one of many that were refused then.')
  if (refused !== null) parts.push(refusedText(refused))
  if (receipt !== null) parts.push(receiptText(receipt))
  return parts.filter((part) => part !== '').join('\n\n')
}

function refusedText(refused: RefusedView): string {
  return facts({
    refused: refused.count === 1 ? 'once' : `${refused.count} times`,
    first: time(refused.at),
    last: time(refused.last_at),
    key: refused.key,
    model: refused.model,
    endpoint: refused.endpoint,
    reason: `${refused.code} (${refused.status})`,
    limit: refused.limit === null ? null : `${refused.limit} of the ${refused.limit_scope ?? 'key'}`,
  })
}

const FLAGS = {
  since: text,
  until: text,
  key: text,
  model: text,
  owner: text,
  member: text,
  code: text,
  before: text,
  limit: countUpTo(99_999),
}

const COLUMNS: Columns<RefusedView> = {
  LAST: (one) => time(one.last_at),
  TIMES: (one) => one.count,
  KEY: (one) => one.key,
  MODEL: (one) => one.model,
  REASON: (one) => `${one.code} (${one.status})`,
  ID: (one) => one.last_id,
  TOLD: (one) => one.message,
}

const refused = verb({
  name: 'refused',
  usage:
    '[--since DATE] [--until DATE] [--key NAME] [--model ID] [--owner NAME] [--member NAME] [--code CODE] [--limit N] [--before CURSOR]',
  summary: 'lists the calls that were refused before they were admitted, latest first',
  flags: FLAGS,
  async run(client, { flags }) {
    const list = await client.call('listRefused', { query: requestQuery('listRefused', flags) })
    return view(list, more(tableOf(COLUMNS, list.refused, 'Nothing was refused.'), list.next))
  },
})

export const WHY_VERBS = [why, refused]
