// A receipt as people read it: the call, its lines, and their sum.

import { facts, printable, table, time } from '#cli/output.ts'
import { PART_OF, type PaidClass, type PartClass } from '#contract/price-classes.ts'
import type { ReceiptView } from '#contract/receipt.ts'

export function receiptText(receipt: ReceiptView): string {
  const call = facts({
    call: receipt.id,
    time: time(receipt.created_at),
    key: receipt.key,
    model: receipt.model,
    provider: receipt.provider,
    endpoint: receipt.endpoint,
    ...madeFor(receipt),
    outcome: `${receipt.outcome} (${receipt.status})`,
    attempts: attemptsText(receipt.attempts),
    'first byte ms': receipt.first_byte_ms,
    'duration ms': receipt.duration_ms,
    'price version': receipt.price?.version ?? null,
    ...(receipt.tier === undefined ? {} : { 'service tier': receipt.tier }),
    ...(receipt.unnamed === undefined ? {} : { 'without a price': receipt.unnamed.map(unnamedText).join(', ') }),
  })
  const rows = receipt.lines.map((line) => rowOf(line, receipt))
  const lines = table(['LINE', 'TOKENS', 'SOURCE', 'PER MILLION', 'CREDITS'], rows, 'This request cost nothing.')
  const { settled } = receipt
  const sum = facts({
    charge: receipt.charge_credits,
    ...(settled === undefined ? {} : { 'after the bill': settled.charge_credits, 'by the bill': settled.reason }),
    ...(receipt.billed_usd === undefined ? {} : { 'billed, by the answer': `${receipt.billed_usd} USD` }),
    held: receipt.held_credits,
    overrun: receipt.overrun,
  })
  return `${call}\n\n${lines}\n\n${sum}`
}

/** What somebody said of it. */
function madeFor({ tool, project, tags, session }: ReceiptView) {
  return {
    ...(tool === null ? {} : { tool }),
    ...(project === null ? {} : { project }),
    ...(tags.length === 0 ? {} : { tags: tags.join(', ') }),
    ...(session === null ? {} : { session }),
  }
}

type Line = ReceiptView['lines'][number]

/** What is no token says in its name that its price is for one. */
function rowOf(line: Line, { tokens }: ReceiptView): (string | number | null)[] {
  switch (line.type) {
    case 'rounding':
    case 'minimum':
      return [line.type, null, null, null, line.amount]
    case 'unit':
      return [`${printable(line.unit)} × ${line.count} at ${line.price}`, null, null, null, line.amount]
    default: {
      const whole = line.type in PART_OF ? PART_OF[line.type as PartClass] : (line.type as PaidClass)
      return [line.type, line.tokens, tokens[whole].source, line.price, line.amount]
    }
  }
}

/** Such as `cache_write_1h (charged as cache_write)`. */
function unnamedText({ name, charged_as }: NonNullable<ReceiptView['unnamed']>[number]): string {
  return `${printable(name)} (${charged_as === null ? 'charged nothing' : `charged as ${printable(charged_as)}`})`
}

function attemptsText(attempts: ReceiptView['attempts']): string {
  if (attempts === 'unknown') return 'unknown'
  return attempts.map(attemptText).join(', ')
}

/** Such as `failed (503) at openai/gpt-5.5`, or `refused (500) at local/llama: image input is not supported`. */
function attemptText({
  outcome,
  status,
  provider,
  model,
  words,
}: Exclude<ReceiptView['attempts'], 'unknown'>[number]): string {
  const how = status === null ? outcome : `${outcome} (${status})`
  const said = words === undefined ? '' : `: ${printable(words)}`
  return (provider === undefined || model === undefined ? how : `${how} at ${printable(`${provider}/${model}`)}`) + said
}
