// Thresholds as they are typed: percents with commas between them.

const PERCENT = /^(100|[1-9][0-9]?)$/
const MAX_THRESHOLDS = 10

/** The percents of a text, in order and each once; none for an empty text; undefined where it says something else. */
export function thresholdsOf(text: string): number[] | undefined {
  const parts = text
    .split(/[,;]/)
    .map((part) => part.replace('%', '').trim())
    .filter((part) => part !== '')
  if (!parts.every((part) => PERCENT.test(part))) return undefined
  const percents = [...new Set(parts.map(Number))].toSorted((one, other) => one - other)
  return percents.length <= MAX_THRESHOLDS ? percents : undefined
}

export function thresholdsText(percents: readonly number[]): string {
  return percents.join(', ')
}
