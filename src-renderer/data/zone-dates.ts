// Calendar dates in a zone. Deadlines are given as a date and kept as the first instant after it.

/** IANA name of the zone that this browser shows times in. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The calendar date of an instant in a zone, as `2027-12-31`. */
export function dateIn(zone: string, atMs: number): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(atMs)
  const valueOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${valueOf('year').padStart(4, '0')}-${valueOf('month')}-${valueOf('day')}`
}

/** The last date on which something that ends at an instant still holds. */
export function lastDateBefore(zone: string, endMs: number): string {
  return dateIn(zone, endMs - 1)
}

/** The zones that this browser knows, with UTC and whatever is set already. */
export function zonesWith(set: string): string[] {
  const known = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  if (set !== '') known.add(set)
  return [...known]
}
