// Counts and durations as text.

import { numberFormat } from '#renderer/data/formats.ts'

const STEPS = [
  { size: 1e9, suffix: 'B' },
  { size: 1e6, suffix: 'M' },
  { size: 1e3, suffix: 'k' },
] as const

/** A whole number with the separators of `locale`: `1,284`. */
export function countText(count: number, locale: string): string {
  return numberFormat(locale, { maximumFractionDigits: 0 }).format(count)
}

/** A count in few characters: `310`, `1.2k`, `48k`, `3.1M`. Rounded to two digits below ten, else to a whole number. */
export function compactText(count: number, locale: string): string {
  // 999,950 would round to `1000k`, so the step is chosen after rounding in the step below.
  const step = STEPS.find(({ size }) => roundedTo(count, size / 1000) >= size)
  if (step === undefined) return countText(count, locale)
  const scaled = count / step.size
  const format = numberFormat(locale, { maximumFractionDigits: Math.abs(scaled) < 9.95 ? 1 : 0 })
  return `${format.format(scaled)}${step.suffix}`
}

/** A part of one in per cent: 0.634 -> `63 %`; below ten per cent with one decimal. */
export function percentText(part: number, locale: string): string {
  const percent = part * 100
  const digits = Math.abs(percent) > 0 && Math.abs(percent) < 10 ? 1 : 0
  return `${numberFormat(locale, { maximumFractionDigits: digits }).format(percent)} %`
}

/** The size of a file: `640 B`, `1.4 MB`, with the steps of a thousand that disks are sold by. */
export function bytesText(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const scaled = bytes / 1000 ** power
  const format = { style: 'unit', unit: units[power] ?? 'byte', unitDisplay: 'short' } as const
  return new Intl.NumberFormat(locale, { ...format, maximumFractionDigits: power > 0 && scaled < 10 ? 1 : 0 }).format(
    scaled,
  )
}

/** How long something took: `412 ms`, `2.4 s`, `3 min 20 s`. */
export function durationText(durationMs: number, locale: string): string {
  if (durationMs < 1000) return `${countText(durationMs, locale)} ms`
  if (durationMs < 59_950) {
    const seconds = numberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
    return `${seconds.format(durationMs / 1000)} s`
  }
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function roundedTo(count: number, step: number): number {
  return Math.round(Math.abs(count) / step) * step
}
