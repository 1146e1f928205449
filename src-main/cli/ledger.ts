// farebox ledger …

import { countUpTo, text } from '#cli/flags.ts'
import { facts, more, printable, tableOf, time, view, type Columns } from '#cli/output.ts'
import { requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { LedgerList } from '#contract/reports.ts'

const MAX_LIMIT = 9_999

const COLUMNS: Columns<LedgerList['entries'][number]> = {
  SEQ: (entry) => entry.seq,
  TIME: (entry) => time(entry.created_at),
  KEY: (entry) => entry.key,
  KIND: (entry) => entry.kind,
  AMOUNT: (entry) => entry.amount_credits,
  CHARGE: (entry) => entry.charge_credits,
  AVAILABLE: (entry) => entry.available_credits ?? 'unlimited',
  MODEL: (entry) => entry.model,
  REASON: (entry) => entry.reason,
  REQUEST: (entry) => entry.request_id,
}

const list = verb({
  name: 'ledger list',
  usage: '[--key NAME] [--kind hold|settle|release|grant|lapse|adjustment] [--limit N] [--before CURSOR]',
  summary: 'lists the entries of the ledger, latest first',
  flags: { key: text, kind: text, limit: countUpTo(MAX_LIMIT), before: text },
  async run(client, { flags }) {
    const answer = await client.call('listLedger', { query: requestQuery('listLedger', flags) })
    return view(answer, more(tableOf(COLUMNS, answer.entries, 'There are no entries yet.'), answer.next))
  },
})

const verify = verb({
  name: 'ledger verify',
  usage: '',
  summary: 'recomputes every balance from the entries; exit code 1 when one does not fit',
  flags: {},
  async run(client, { sources }) {
    const report = (await sources.verifyLedger()) ?? (await client.call('verifyLedger', {}))
    const counts = facts({
      ledger: report.ok ? 'ok' : 'does not add up',
      keys: report.keys,
      entries: report.entries,
      'open holds': report.open_holds,
      'usage records': report.usage_records,
    })
    const text = [counts, ...report.problems.map((problem) => `- ${printable(problem)}`)].join('\n')
    return { ...view(report, text), exitCode: report.ok ? 0 : 1 }
  },
})

/** Read straight from the data folder: it works on the books of a gateway that runs, that is stopped, or that refuses to start. */
const exportBooks = verb({
  name: 'ledger export',
  usage: '[FILE]',
  summary: 'writes packages, keys, prices, entries, usage and balances as JSON lines, to FILE or to standard output',
  operand: 'FILE',
  isOperandOptional: true,
  flags: {},
  async run(_client, { name: file, sources }) {
    const chunks = sources.exportLedger()
    if (file === '' || file === '-') return { type: 'chunks', chunks, isJson: true }
    await sources.writeFile(file, chunks)
    return view({ file }, `The ledger was written to ${printable(file)}.`)
  },
})

export const LEDGER_VERBS = [list, verify, exportBooks]
