// A receipt as people read it: the call, its lines, and their sum.

import { facts, printable, table, time } from '#cli/output.ts'
import type { ReceiptView } from '#contract/receipt.ts'

export function receiptText(receipt: ReceiptView): string {
  const { tokens, price } = receipt
  const call = facts({
    call: receipt.id,
    time: time(receipt.created_at),
    key: receipt.key,
    model: receipt.model,
    provider: receipt.provider,
    endpoint: receipt.endpoint,
    outcome: `${receipt.outcome} (${receipt.status})`,
    attempts: attemptsText(receipt.attempts),
    'first byte ms': receipt.first_byte_ms,
    'duration ms': receipt.duration_ms,
    'price version': price?.version ?? null,
  })
  const rows = receipt.lines.map((line) =>
    line.type === 'rounding'
      ? ['rounding', null, null, null, line.amount]
      : [line.type, line.tokens, tokens[line.type].source, line.price, line.amount],
  )
  const lines = table(['LINE', 'TOKENS', 'SOURCE', 'PER MILLION', 'CREDITS'], rows, 'This request cost nothing.')
  const sum = facts({ charge: receipt.charge_credits, held: receipt.held_credits, overrun: receipt.overrun })
  return `${call}\n\n${lines}\n\n${sum}`
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
