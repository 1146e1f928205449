// farebox bills …

import { resolve } from 'node:path'
import { UsageError } from '#cli/errors.ts'
import { countUpTo, number, text, toggle, type Flag, type FlagTable } from '#cli/flags.ts'
import { printable, table, tableOf, time, view, type Cell, type Columns } from '#cli/output.ts'
import { ownProjectHow, ownProjectText } from '#cli/own-project.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { SECRET_FLAGS, SECRET_USAGE, secretOf } from '#cli/provider-secrets.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { Cause } from '#contract/bill-causes.ts'
import type { AccountBalanceView, BillCheck, BillDay, BillDays, BillSettled } from '#contract/bills.ts'
import { PAID_CLASSES } from '#contract/price-classes.ts'

/** Differences that are printed; `--json` has all that are listed. */
const MAX_SHOWN = 40

const names: Flag<string[]> = { type: 'string', read: ([only = '']) => only.split(',').map((name) => name.trim()) }

const REPORT_FLAGS = { provider: text, account_keys: names, project: text, days: number } satisfies FlagTable
const REPORT_USAGE =
  'PROVIDER [--days N] [--project ID] [--account-keys ID,...] | FILE --provider NAME [--account-keys ID,...]'

const check = verb({
  name: 'bills check',
  usage: `${REPORT_USAGE} [--keep]`,
  summary: "compares a provider's usage and cost reports with the books; exit code 1 for unexplained differences",
  operand: 'PROVIDER',
  flags: { ...REPORT_FLAGS, keep: toggle },
  async run(client, { name, flags }) {
    const answer = await client.call('checkBill', { body: requestBody('checkBill', reportAt(name, flags)) })
    return { ...view(answer, reportText(answer)), exitCode: answer.unexplained === 0 ? 0 : 1 }
  },
})

const importFile = verb({
  name: 'bills import',
  usage: 'FILE --provider NAME [--account-keys ID,...] [--dry-run]',
  summary: 'compares a report in a file and keeps its numbers, so that its days are in the list of bills',
  operand: 'FILE',
  flags: { provider: text, account_keys: names, dry_run: toggle },
  async run(client, { name, flags: { dry_run: isDryRun = false, ...flags } }) {
    if (flags.provider === undefined) throw new UsageError('Say whose report it is with --provider NAME.')
    const body = { ...flags, file: resolve(name), ...(!isDryRun && { keep: true }) }
    const answer = await client.call('checkBill', { body: requestBody('checkBill', body) })
    const says = isDryRun ? [previewText(answer), reportText(answer), 'Nothing was kept.'] : [reportText(answer)]
    return { ...view(answer, says.join('\n\n')), exitCode: answer.unexplained === 0 ? 0 : 1 }
  },
})

const list = verb({
  name: 'bills list',
  usage: '[--days N]',
  summary:
    'says of each day that a report is kept of how it agrees with the books; exit code 1 for unexplained differences',
  flags: { days: countUpTo(99) },
  async run(client, { flags }) {
    const query = flags.days === undefined ? {} : { days: flags.days }
    const answer = await client.call('listBills', { query })
    return { ...view(answer, daysText(answer)), exitCode: answer.unexplained === 0 ? 0 : 1 }
  },
})

const forget = plainVerb({
  name: 'bills forget',
  summary: 'forgets the kept reports of a provider, and what was said of its account; the books stay as they are',
  operand: 'PROVIDER',
  action: 'forgetBills',
  says: () => 'What was kept of its reports is forgotten.',
})

const settle = verb({
  name: 'bills settle',
  usage: `${REPORT_USAGE} [--dry-run]`,
  summary: 'corrects what calls were charged by an estimate to what the report shows, each of them once',
  operand: 'PROVIDER',
  flags: { ...REPORT_FLAGS, dry_run: toggle },
  async run(client, { name, flags }) {
    const answer = await client.call('settleBill', { body: requestBody('settleBill', reportAt(name, flags)) })
    const isRefused = answer.corrections.some(({ state }) => state === 'refused')
    return { ...view(answer, settledText(answer)), exitCode: isRefused ? 1 : 0 }
  },
})

const secrets = listVerb({
  name: 'bills secret list',
  summary: "lists the providers whose reports can be asked for, and which have their administrator's secret",
  action: 'listBillSecrets',
  columns: {
    PROVIDER: ({ provider }) => provider,
    ORIGIN: ({ origin }) => origin,
    SECRET: ({ has_secret: hasSecret }) => (hasSecret ? 'stored' : 'none'),
  },
  whenEmpty: 'No provider has reports that Farebox can ask for.',
})

const addSecret = verb({
  name: 'bills secret add',
  usage: `PROVIDER ${SECRET_USAGE} [--project ID]`,
  summary: "keeps the secret of a provider's administrator, which reads its reports and does nothing else",
  operand: 'PROVIDER',
  flags: { ...SECRET_FLAGS, project: text },
  async run(client, { name, flags, sources }) {
    const { project, ...places } = flags
    const secret = await secretOf(places, sources)
    if (secret === undefined) throw new UsageError('Say where the secret is.')
    const body = requestBody('setBillSecret', { secret, try: true, project })
    const kept = await client.call('setBillSecret', { id: name, body })
    const says = `The administrator's secret of provider ${printable(kept.provider)} is kept, for ${kept.origin}.`
    const problem = kept.tried?.problem ?? null
    const own = kept.tried?.project
    const tried = problem === null ? 'The provider takes it.' : `It was tried: ${printable(problem)}`
    const next = problem !== null ? [] : own === undefined ? ownProjectHow(kept) : ownProjectText(own, kept, project)
    const isWell = problem === null && (own?.problem ?? null) === null
    return { ...view(kept, [says, tried, ...next].join('\n')), exitCode: isWell ? 0 : 1 }
  },
})

const removeSecret = plainVerb({
  name: 'bills secret remove',
  summary: "forgets the secret of a provider's administrator",
  operand: 'PROVIDER',
  action: 'removeBillSecret',
  says: ({ provider }) => `The administrator's secret of provider ${printable(provider)} is forgotten.`,
})

const BALANCES: Columns<AccountBalanceView> = {
  PROVIDER: ({ provider }) => provider,
  SECRET: ({ secret }) => secret,
  LEFT: ({ balances }) => balances.map(({ amount, currency }) => `${amount} ${currency}`).join(', '),
  'LASTS ABOUT': ({ balances }) =>
    balances.flatMap(({ days_left: days }) => (days === null ? [] : lasting(days))).join(', '),
  SAID: ({ said_at: at }) => time(at),
  PROBLEM: ({ problem }) => problem,
}

function lasting(days: number): string {
  return days < 1 ? 'less than a day' : days < 2 ? '1 day' : `${Math.floor(days)} days`
}

const balances = verb({
  name: 'bills balances',
  usage: '[--ask [--provider NAME]]',
  summary: 'lists what providers said is left on their accounts, and how long that lasts; --ask asks them',
  flags: { ask: toggle, provider: text },
  async run(client, { flags: { ask, provider } }) {
    if (ask !== true && provider !== undefined) throw new UsageError('Say --ask as well: nobody is asked without it.')
    const answer =
      ask === true
        ? await client.call('askAccountBalances', { body: requestBody('askAccountBalances', { provider }) })
        : await client.call('listAccountBalances', {})
    return view(
      answer,
      tableOf(
        BALANCES,
        answer,
        'No provider says what is left on its account: DeepSeek, Moonshot AI and OpenRouter do.',
      ),
    )
  },
})

export const BILL_VERBS = [balances, check, importFile, list, settle, forget, secrets, addSecret, removeSecret]

/** A file, where a provider is named beside it, which the gateway reads: its working folder is another one. Else a provider. */
function reportAt<Flags extends { readonly provider?: string }>(name: string, flags: Flags) {
  if (flags.provider !== undefined) return { ...flags, file: resolve(name) }
  if (/[/\\]|\.(csv|tsv|json|txt)$/i.test(name)) throw new UsageError('Say whose report it is with --provider NAME.')
  return { ...flags, provider: name }
}

const STATES = { agrees: 'agrees', explained: 'explained', open: 'not all reported yet', unexplained: 'UNEXPLAINED' }

const DAYS: Columns<BillDay> = {
  DAY: ({ day }) => day,
  PROVIDER: ({ provider }) => provider,
  STATE: ({ state }) => STATES[state],
  FROM: ({ source }) => source,
  'OURS USD': ({ money }) => money?.ours ?? null,
  'THEIRS USD': ({ money }) => money?.theirs ?? null,
  'OUR TOKENS': ({ tokens }) => (tokens === null ? null : sumOf(tokens.ours)),
  'THEIR TOKENS': ({ tokens }) => (tokens === null ? null : sumOf(tokens.theirs)),
  CAUSE: ({ causes }) => causes.map((cause) => WORDS[cause]).join(', '),
}

function sumOf(counts: NonNullable<BillDay['tokens']>['ours']): number {
  return PAID_CLASSES.reduce((sum, name) => sum + counts[name], 0)
}

function daysText({ days, agreed_until: until, unexplained, unexplained_amount: amount }: BillDays): string {
  const rows = tableOf(DAYS, days, 'No report is kept of these days: farebox bills check PROVIDER --keep')
  if (days.length === 0) return rows
  const says =
    unexplained > 0
      ? `${unexplained} differences are unexplained: ${amount} USD.`
      : until === null
        ? 'Nothing is unexplained.'
        : `Bills agree until ${time(until)}: nothing is unexplained.`
  return `${rows}\n\n${says}`
}

const SETTLED: Columns<BillSettled['corrections'][number]> = {
  CALL: ({ call }) => call,
  KEY: ({ key }) => key,
  CREDITS: ({ credits }) => credits,
  STATE: ({ state }) => ({ open: 'not made yet', made: 'made', before: 'made before', refused: 'refused' })[state],
  REASON: ({ message, reason }) => message ?? reason,
}

function settledText({ dry_run: isDryRun, corrections }: BillSettled): string {
  const rows = tableOf(SETTLED, corrections, 'There is nothing to correct.')
  return isDryRun && corrections.length > 0 ? `${rows}\n\nNothing was changed.` : rows
}

const WORDS: Readonly<Record<Cause, string>> = {
  not_through_farebox: 'not through Farebox',
  after_disconnect: 'after a disconnect',
  repeated_attempt: 'failed or repeated attempt',
  estimated: 'estimated by us',
  hour_edge: 'counted in the next hour',
  not_reported_yet: 'not reported yet',
  price_differs: 'price differs',
  tool_fees: 'fees for tools',
  rounding: 'rounding',
  other_currency: 'another currency',
  unexplained: 'UNEXPLAINED',
}

function reportText(answer: BillCheck): string {
  const { provider, from, to, columns, tokens, money, unexplained } = answer
  const parts = [
    `${printable(provider)}, ${time(from)} to ${time(to)}`,
    columns === null ? undefined : columnsText(columns),
    tokens.compared + tokens.differing === 0 ? undefined : tokensText(tokens),
    money.compared + money.differing === 0 ? undefined : moneyText(money),
    othersText(answer),
    priceText(answer),
    unexplained === 0 ? 'Nothing is unexplained.' : `${unexplained} differences are unexplained.`,
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

/** Whether the project or key that Farebox should have for itself is its own. */
function othersText({ tokens, money }: BillCheck): string | undefined {
  const foreign = [...tokens.differences, ...money.differences].filter(({ causes }) =>
    causes.includes('not_through_farebox'),
  )
  if (foreign.length === 0) return undefined
  return `Somebody else is in this report (${foreign.length} differences): name Farebox's own keys with --account-keys, or its own project with --project.`
}

function priceText({ provider, money }: BillCheck): string | undefined {
  if (!money.differences.some(({ causes }) => causes.includes('price_differs'))) return undefined
  const card = `farebox model card --provider ${printable(provider)}`
  return `Where a price differs: '${card}' and 'farebox model price' correct it from now on. What was charged stays.`
}

type FileColumns = NonNullable<BillCheck['columns']>

function columnsText({ format, read, lines, other_lines: otherLines }: FileColumns): string {
  const taken = read.flatMap(({ column, meaning }) => (meaning === null ? [] : [`${column} as ${meaning}`]))
  const rest = otherLines === 0 ? '' : ` ${otherLines} of its ${lines} lines are about no model and are left out.`
  return `Read as: ${format} (${taken.map(printable).join(', ')}).${rest}`
}

const SEPARATOR_WORDS: Readonly<Record<FileColumns['separator'], string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
}

const FILE_COLUMNS: Columns<FileColumns['read'][number]> = {
  COLUMN: ({ column }) => column,
  'READ AS': ({ meaning }) => meaning ?? 'not read',
  'IN THE FIRST LINE': ({ example }) => example,
}

/** Column by column, with what the first line says in each. */
function previewText({ columns }: BillCheck): string {
  if (columns === null) return 'Read as: saved pages, whose fields have fixed names.'
  const { separator, decimal_mark: mark, read } = columns
  const how = `Fields are apart by ${SEPARATOR_WORDS[separator]}, decimals by a ${mark === '.' ? 'point' : 'comma'}.`
  return `${how}\n${tableOf(FILE_COLUMNS, read, '')}`
}

function tokensText({ compared, differing, differences }: BillCheck['tokens']): string {
  const head = `Tokens: ${compared} times and models compared, ${differing} differences.`
  if (differing === 0) return head
  const rows = differences
    .slice(0, MAX_SHOWN)
    .map((row): Cell[] => [
      time(row.from),
      row.model,
      ...PAID_CLASSES.map((name) => row.theirs[name] - row.ours[name]),
      ...endOf(row),
    ])
  const headers = ['TIME', 'MODEL', 'IN', 'CACHED', 'WRITTEN', 'OUT', 'CAUSE', 'CALL']
  return [`${head} Theirs less ours:`, table(headers, rows, ''), ...restText(differing)].join('\n')
}

function moneyText({ compared, differing, differences }: BillCheck['money']): string {
  const head = `Money: ${compared} days and models compared, ${differing} differences.`
  if (differing === 0) return head
  const rows = differences
    .slice(0, MAX_SHOWN)
    .map((row): Cell[] => [
      time(row.from),
      row.model,
      row.ours,
      `${row.theirs} ${row.currency}`,
      row.of_tokens,
      ...endOf(row),
    ])
  const headers = ['TIME', 'MODEL', 'OURS', 'THEIRS', 'OF TOKENS', 'CAUSE', 'CALL']
  return [head, table(headers, rows, ''), ...restText(differing)].join('\n')
}

type Explained = Pick<BillCheck['tokens']['differences'][number], 'causes' | 'calls' | 'call_count'>

function endOf({ causes, calls, call_count: count }: Explained): Cell[] {
  const [first = null] = calls
  return [causes.map((cause) => WORDS[cause]).join(', '), count > 1 ? `${first} and ${count - 1} more` : first]
}

function restText(differing: number): string[] {
  return differing <= MAX_SHOWN ? [] : [`${differing - MAX_SHOWN} more are not shown.`]
}
