// Where a call of the admin API goes. Clients in Node and in the browser say it alike.

/**
 * The path of a call with its query; undefined for an id of dots alone, which URLs drop even when they are encoded, so that the call
 * would reach another action.
 */
export function addressOf(path: string, id: string | undefined, query: object = {}): string | undefined {
  if (path.includes('{id}') && (id === undefined || id === '')) throw new TypeError(`${path} needs an id`)
  if (id === '.' || id === '..') return undefined
  const place = path.replace('{id}', () => encodeURIComponent(id ?? ''))
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(known.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return search === '' ? place : `${place}?${search}`
}
