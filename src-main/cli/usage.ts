// farebox usage: the usage records, as a table, as the API gives them, or as CSV; and sums of them by whom they were made.

import type { AdminClient } from '#cli/client.ts'
import { csvPages } from '#cli/csv-pages.ts'
import { UsageError } from '#cli/errors.ts'
import { countUpTo, flagName, text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import { more, tableOf, time, view, type Columns } from '#cli/output.ts'
import { receiptText } from '#cli/receipt.ts'
import { requestQuery } from '#cli/request.ts'
import { usageBy } from '#cli/usage-by.ts'
import { verb } from '#cli/verb.ts'
import type { CsvField } from '#contract/csv.ts'
import type { UsageList, UsageView } from '#contract/schemas.ts'

const MAX_LIMIT = 99_999

const FILTER_FLAGS = {
  since: text,
  until: text,
  key: text,
  model: text,
  provider: text,
  package: text,
  owner: text,
  member: text,
  tool: text,
  project: text,
  tag: text,
  session: text,
  status: text,
  min_credits: text,
  before: text,
  limit: countUpTo(MAX_LIMIT),
} satisfies FlagTable

/** How many records one request of an export asks for; the gateway may give fewer. */
const PAGE_SIZE = 1_000

const usage = verb({
  name: 'usage',
  usage: [
    '[--since DATE] [--until DATE] [--key NAME] [--model ID] [--provider NAME] [--package NAME] [--owner NAME] [--member NAME]',
    '[--tool NAME] [--project NAME] [--tag NAME] [--session ID]',
    '[--status ok|failed|cut|out_of_credits|client_gone] [--min-credits N] [--limit N] [--before CURSOR] [--csv]',
    '| --by member|owner|key|model|provider|package|tool|project|tag|session [--since DATE] [--until DATE] [filters] [--csv] | --receipt ID',
  ].join(' '),
  summary: 'lists the calls that were made, latest first, or sums them up by member',
  flags: { ...FILTER_FLAGS, by: text, csv: toggle, receipt: text },
  async run(client, { flags: { by, csv, receipt: id, ...filter } }) {
    if (id !== undefined) {
      const isAlone =
        csv === undefined && by === undefined && Object.values(filter).every((value) => value === undefined)
      if (!isAlone) throw new UsageError('--receipt names one call, so it takes no other flag.')
      const receipt = await client.call('receipt', { id })
      return view(receipt, receiptText(receipt))
    }
    if (by !== undefined) return usageBy(client, by, { asked: rangeOf(filter), isCsv: csv === true })
    const query = requestQuery('usage', filter)
    if (csv === true) return { type: 'chunks', chunks: csvChunks(client, filter) }
    const list = await client.call('usage', { query })
    return view(list, page(list))
  },
})

export const USAGE_VERBS = [usage]

type Filter = FlagValues<typeof FILTER_FLAGS>

/** Sums are of all calls in a time, so that what picks single calls has no meaning there. */
function rangeOf({ since, until, session, status, min_credits, before, limit, ...parts }: Filter) {
  const single = Object.entries({ session, status, min_credits, before, limit }).find(
    ([, value]) => value !== undefined,
  )
  if (single !== undefined)
    throw new UsageError(`${flagName(single[0])} picks single calls, and --by adds all of them up.`)
  return { ...parts, from: since, to: until }
}

const COLUMNS = [
  'id',
  'created_at',
  'key',
  'endpoint',
  'model',
  'provider',
  'upstream_model',
  'stream',
  'outcome',
  'status',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'usage_source',
  'price_version',
  'charge_credits',
  'held_credits',
  'overrun',
  'first_byte_ms',
  'duration_ms',
  'secret',
  'tool',
  'project',
  'tags',
  'session',
] as const satisfies readonly (keyof UsageView)[]

/** An export of any length, as lines. */
function csvChunks(client: AdminClient, filter: Filter): AsyncGenerator<string> {
  return csvPages<UsageView>(
    {
      columns: COLUMNS,
      cellOf: (record, column) => cellOf(record[column]),
      pageSize: PAGE_SIZE,
      async read(place) {
        const { usage: rows, next } = await client.call('usage', {
          query: requestQuery('usage', { ...filter, ...place }),
        })
        return { rows, next }
      },
    },
    filter,
  )
}

/** No tag has a space in it. */
function cellOf(value: UsageView[keyof UsageView]): CsvField {
  return Array.isArray(value) ? value.join(' ') : value
}

const SHOWN: Columns<UsageView> = {
  TIME: (record) => time(record.created_at),
  KEY: (record) => record.key,
  MODEL: (record) => record.model,
  ENDPOINT: (record) => record.endpoint,
  OUTCOME: (record) => record.outcome,
  STATUS: (record) => record.status,
  IN: (record) => record.input_tokens,
  CACHED: (record) => record.cache_read_tokens,
  WRITTEN: (record) => record.cache_write_tokens,
  OUT: (record) => record.output_tokens,
  CREDITS: (record) => record.charge_credits,
  MS: (record) => record.duration_ms,
}

function page({ usage: records, next }: UsageList): string {
  return more(tableOf(SHOWN, records, 'There is no usage yet.'), next)
}
