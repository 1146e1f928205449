// Amounts of credits as text. All arithmetic is on integers (micro-credits as bigint), so that no digit is lost or invented
// between the ledger and the screen.

const MICRO_DIGITS = 6
const MICRO_PER_CREDIT = 1_000_000n

/**
 * Credits as the API writes them (a JSON number or decimal text with at most six decimals) to micro-credits. Undefined for
 * what is no such amount. A JSON number is read by its shortest text, which has the digits that were sent.
 */
export function microOf(credits: number | string): bigint | undefined {
  const text = typeof credits === 'number' ? plainText(credits) : credits.trim()
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = ''] = match
  const micro = BigInt(whole) * MICRO_PER_CREDIT + BigInt(fraction.padEnd(MICRO_DIGITS, '0'))
  return sign === '-' ? -micro : micro
}

/** Micro-credits to the decimal text that the API takes, without trailing zeros: `41.2`. */
export function creditsText(micro: bigint): string {
  const { sign, whole, fraction } = digitsOf(micro)
  const short = fraction.replace(/(?<!0)0+$/, '')
  return `${sign}${whole}${short === '' ? '' : `.${short}`}`
}

export type MoneyDetail = 'short' | 'exact' | 'full'

/**
 * An amount as people read it, with the separators of `locale`. `short` has two decimals, and below one credit two
 * significant digits, so that something small is never shown as nothing; `exact` has every digit, two decimals at least; `full`
 * has all six decimals, so that the points of a column stand below each other.
 */
export function moneyText(micro: bigint, locale: string, detail: MoneyDetail = 'short'): string {
  const decimals = detail === 'full' ? MICRO_DIGITS : detail === 'exact' ? exactDecimals(micro) : shortDecimals(micro)
  const { sign, whole, fraction } = digitsOf(roundTo(micro, decimals))
  const { group, point } = separatorsOf(locale)
  const grouped = (whole.match(/^\d{1,3}(?=(?:\d{3})*$)|\d{3}/g) ?? []).join(group)
  // The true minus sign is as wide as a digit where figures are tabular.
  return `${sign === '-' ? '−' : ''}${grouped}${point}${fraction.slice(0, decimals)}`
}

/** The share of `part` in `whole` in per cent, 0 to 100, for the width of a bar. */
export function shareOf(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0
  return Math.min(100, Number((part * 10_000n) / whole) / 100)
}

/** `1e-7` and `1e21` are not how amounts are written; such numbers are no amounts here. */
function plainText(credits: number): string {
  const text = String(credits)
  // Below a millionth JavaScript changes to exponents only at 1e-7, which is no whole micro-credit.
  return text.includes('e') ? '' : text
}

function digitsOf(micro: bigint): { readonly sign: '' | '-'; readonly whole: string; readonly fraction: string } {
  const absolute = micro < 0n ? -micro : micro
  return {
    sign: micro < 0n ? '-' : '',
    whole: String(absolute / MICRO_PER_CREDIT),
    fraction: String(absolute % MICRO_PER_CREDIT).padStart(MICRO_DIGITS, '0'),
  }
}

function exactDecimals(micro: bigint): number {
  return Math.max(2, digitsOf(micro).fraction.replace(/(?<!0)0+$/, '').length)
}

function shortDecimals(micro: bigint): number {
  const { whole, fraction } = digitsOf(micro)
  const leadingZeros = /^0*/.exec(fraction)?.[0].length ?? 0
  if (whole !== '0' || leadingZeros === MICRO_DIGITS) return 2
  return Math.min(MICRO_DIGITS, Math.max(2, leadingZeros + 2))
}

/** Half away from zero. */
function roundTo(micro: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(MICRO_DIGITS - decimals)
  const half = micro < 0n ? -(step / 2n) : step / 2n
  return ((micro + half) / step) * step
}

const separators = new Map<string, { readonly group: string; readonly point: string }>()

function separatorsOf(locale: string): { readonly group: string; readonly point: string } {
  const known = separators.get(locale)
  if (known !== undefined) return known
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(1234.5)
  const valueOf = (type: string) => parts.find((part) => part.type === type)?.value
  const found = { group: valueOf('group') ?? ',', point: valueOf('decimal') ?? '.' }
  separators.set(locale, found)
  return found
}
