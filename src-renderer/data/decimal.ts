// Decimal text with any number of places, as receipts have it: exact sums and text, without a fraction ever being a number.

import { numberFormat } from '#renderer/data/formats.ts'

/** `units` of a one with `places` zeros behind the point: 0.015 is 15 units of 3 places. */
export type Decimal = { readonly units: bigint; readonly places: number }

/** A bound against text that would only fill memory; a line of a receipt has twelve places. */
const MAX_CHARACTERS = 60

/** Undefined for what is no decimal text. */
export function decimalOf(text: string): Decimal | undefined {
  const match = text.length > MAX_CHARACTERS ? null : /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = ''] = match
  const units = BigInt(`${whole}${fraction}`)
  return { units: sign === '-' ? -units : units, places: fraction.length }
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  const places = amounts.reduce((most, amount) => Math.max(most, amount.places), 0)
  return { units: amounts.reduce((sum, amount) => sum + scaled(amount, places), 0n), places }
}

export function isSame(left: Decimal, right: Decimal): boolean {
  const places = Math.max(left.places, right.places)
  return scaled(left, places) === scaled(right, places)
}

/** The places that an amount needs, without zeros at its end. */
export function neededPlaces({ units, places }: Decimal): number {
  let needed = places
  for (let rest = units; needed > 0 && rest % 10n === 0n; rest /= 10n) needed -= 1
  return needed
}

/** With exactly `places` behind the point, so that a column of amounts is aligned; at least as many as the amount needs. */
export function decimalText(amount: Decimal, places: number, locale: string): string {
  const shown = Math.max(places, neededPlaces(amount))
  const units = scaled({ ...amount, units: amount.units < 0n ? -amount.units : amount.units }, shown)
  const digits = String(units).padStart(shown + 1, '0')
  const whole = digits.slice(0, digits.length - shown)
  const point =
    numberFormat(locale)
      .formatToParts(0.5)
      .find((part) => part.type === 'decimal')?.value ?? '.'
  const fraction = shown === 0 ? '' : `${point}${digits.slice(-shown)}`
  return `${amount.units < 0n ? '−' : ''}${numberFormat(locale).format(BigInt(whole))}${fraction}`
}

/** To another number of places; places that are taken away must be zeros. */
function scaled({ units, places }: Decimal, to: number): bigint {
  return to >= places ? units * 10n ** BigInt(to - places) : units / 10n ** BigInt(places - to)
}
