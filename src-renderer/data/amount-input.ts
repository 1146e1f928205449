// Amounts of credits as people type them, in either language's way of writing a fraction.

import { creditsText, microOf } from '#renderer/data/money.ts'

export type AmountInput =
  | { readonly type: 'empty' }
  /** `ambiguous`: a separator that may mean thousands or a fraction. `digits`: no amount, or more than six decimals. */
  | { readonly type: 'wrong'; readonly reason: 'ambiguous' | 'digits' }
  | { readonly type: 'amount'; readonly micro: bigint }

/** The API takes no more than a billion credits. */
const MAX_MICRO = 1_000_000_000_000_000n

/**
 * Reads `12.5`, `12,5` and `-3`. `1,000` in English and `1.000` in German are refused: a guess would be wrong by a factor of a
 * thousand half of the time.
 */
export function readAmount(text: string, locale: string): AmountInput {
  const plain = text.trim().replace('−', '-')
  if (plain === '') return { type: 'empty' }
  const match = /^([+-]?)(\d*)(?:([.,])(\d*))?$/.exec(plain)
  const [, sign = '', whole = '', mark, fraction = ''] = match ?? []
  if (match === null || whole + fraction === '') return { type: 'wrong', reason: 'digits' }
  if (mark !== undefined && mark !== pointOf(locale) && /^\d{3}$/.test(fraction)) {
    return { type: 'wrong', reason: 'ambiguous' }
  }
  const micro = microOf(`${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}`)
  if (micro === undefined || micro > MAX_MICRO || micro < -MAX_MICRO) return { type: 'wrong', reason: 'digits' }
  return { type: 'amount', micro }
}

/** An amount as `readAmount` takes it, to begin a field with. */
export function amountText(micro: bigint, locale: string): string {
  return creditsText(micro).replace('.', pointOf(locale))
}

function pointOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5)
  return parts.find((part) => part.type === 'decimal')?.value ?? '.'
}
