// farebox ledger …

import type { AdminClient } from '#cli/client.ts'
import { csvPages } from '#cli/csv-pages.ts'
import { countUpTo, text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import { facts, more, printable, tableOf, time, view, type Columns } from '#cli/output.ts'
import { requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import { LEDGER_COLUMNS } from '#contract/csv.ts'
import type { LedgerList } from '#contract/reports.ts'

const MAX_LIMIT = 9_999

type Entry = LedgerList['entries'][number]

const COLUMNS: Columns<Entry> = {
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

/** How many entries one request of an export asks for. */
const PAGE_SIZE = 500

const LIST_FLAGS = {
  since: text,
  until: text,
  key: text,
  kind: text,
  limit: countUpTo(MAX_LIMIT),
  before: text,
} satisfies FlagTable

const list = verb({
  name: 'ledger list',
  usage: [
    '[--since DATE] [--until DATE] [--key NAME] [--kind hold|settle|release|grant|lapse|adjustment]',
    '[--limit N] [--before CURSOR] [--csv]',
  ].join(' '),
  summary: 'lists the entries of the ledger, latest first',
  flags: { ...LIST_FLAGS, csv: toggle },
  async run(client, { flags: { csv, ...filter } }) {
    const query = requestQuery('listLedger', filter)
    if (csv === true) return { type: 'chunks', chunks: csvChunks(client, filter) }
    const answer = await client.call('listLedger', { query })
    return view(answer, more(tableOf(COLUMNS, answer.entries, 'There are no entries yet.'), answer.next))
  },
})

function csvChunks(client: AdminClient, filter: FlagValues<typeof LIST_FLAGS>): AsyncGenerator<string> {
  return csvPages<Entry>(
    {
      columns: LEDGER_COLUMNS,
      cellOf: (entry, column) => entry[column],
      pageSize: PAGE_SIZE,
      async read(place) {
        const query = requestQuery('listLedger', { ...filter, ...place })
        const { entries: rows, next } = await client.call('listLedger', { query })
        return { rows, next }
      },
    },
    filter,
  )
}

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
