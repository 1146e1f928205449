// farebox model card: the price card beside the models at hand, shown before anything of it is applied.

import { CommandFailure } from '#cli/errors.ts'
import { allOrList, countUpTo, text, toggle } from '#cli/flags.ts'
import { printable, table, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { requestBody, requestQuery } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { CardComparison, CardRow } from '#contract/price-card.ts'
import type { PaidClass } from '#contract/price-classes.ts'

export const card = verb({
  name: 'model card',
  usage: '[--card VERSION] [--provider P] [--apply ID,…|all] [--confirm-jumps]',
  summary: 'compares the prices of the models with the price card, and applies its prices',
  flags: { card: countUpTo(1_000_000), provider: text, apply: allOrList, confirm_jumps: toggle },
  async run(client, { flags }) {
    const { card: version, provider, apply, confirm_jumps } = flags
    const query = requestQuery('priceCard', { provider, card: version })
    const comparison = await client.call('priceCard', { query })
    const shown = comparisonText(comparison)
    if (apply === undefined) return view(comparison, shown)
    const ids = apply === 'all' ? comparison.rows.filter(isSurelyDifferent).map(({ id }) => id) : apply
    checkShown(ids, comparison.rows)
    if (ids.length === 0) return view({ ...comparison, applied: [] }, `${shown}\nNothing is to be changed.`)
    const body = requestBody('applyPriceCard', {
      version: comparison.version,
      ids,
      confirm_jumps,
      card: version === undefined ? undefined : Number(version),
    })
    const { applied } = await client.call('applyPriceCard', { body })
    const names = applied.map(({ id }) => printable(id)).join(', ')
    const done = applied.length === 0 ? 'Nothing is to be changed.' : `New prices for: ${names}.`
    return view({ ...comparison, applied }, `${shown}\n${done}`)
  },
})

export const cardVersions = listVerb({
  name: 'model card list',
  summary: 'lists the versions of the price card that were fetched, and the one that came with Farebox',
  action: 'listPriceCards',
  columns: {
    VERSION: ({ version }) => version ?? 'delivered',
    DATE: ({ date }) => date,
    PRICES: ({ entries }) => entries,
  },
  whenEmpty: 'There is no price card.',
})

export const fetchCard = plainVerb({
  name: 'model card fetch',
  summary: 'fetches the signed price card from the feed, and keeps it as one more version; no price changes by it',
  action: 'fetchPriceCard',
  says: ({ version, date, entries, is_new: isNew }) =>
    `Version ${version} of ${date} has ${entries} prices${isNew ? '' : ', and was there already'}. ` +
    `See what it would change: farebox model card --card ${version}`,
})

/** Only what was shown may be applied, also where --provider hides the rest. */
function checkShown(ids: readonly string[], rows: readonly CardRow[]): void {
  const hidden = ids.filter((id) => !rows.some((row) => row.id === id))
  if (hidden.length === 0) return
  const names = hidden.map(printable).join(', ')
  throw new CommandFailure('not_on_card', `The comparison has no price for: ${names}.`)
}

/** What somebody else asks for a model of that name is applied by its name alone. */
function isSurelyDifferent({ change, asked_by: askedBy }: CardRow): boolean {
  return change !== 'same' && askedBy === null
}

function comparisonText({ date, rows, not_on_card }: CardComparison): string {
  const cells = rows.map((row) => [
    row.id,
    row.provider,
    row.jump ? `${row.change}, a JUMP` : row.change,
    arrow(row, 'input'),
    arrow(row, 'output'),
    arrow(row, 'cache_read'),
    arrow(row, 'cache_write'),
    notesOf(row),
    `${row.source} (${row.date})`,
  ])
  const headers = ['ID', 'PROVIDER', 'CHANGE', 'IN', 'OUT', 'CACHE READ', 'CACHE WRITE', 'NOTES', 'SOURCE']
  const shown = table(headers, cells, 'The price card has no prices for the models at hand.')
  const others = not_on_card.length === 0 ? '' : `\nNot on the card: ${not_on_card.map(printable).join(', ')}.`
  return `${shown}${others}\nCard of ${date}, in credits per million tokens, where a credit is a US dollar.`
}

function arrow({ old, new: next }: CardRow, name: PaidClass): string {
  if (old === null) return String(next[name])
  return old[name] === next[name] ? String(next[name]) : `${old[name]} -> ${next[name]}`
}

function notesOf({ priced_up_to, context_window, note, asked_by: askedBy }: CardRow): string | null {
  const isTooLong = priced_up_to !== null && priced_up_to < context_window
  const limit = isTooLong ? [`Prompts over ${priced_up_to} tokens cost more than this.`] : []
  const other = askedBy === null ? [] : [`What ${askedBy} asks for a model of this name: name it to apply it.`]
  return [...other, ...limit, ...(note === null ? [] : [note])].join(' ') || null
}
