// Settings that one flag gives together.

/** `stream_usage=false,max_stops=2,routes=completions+rerank` as an object, `none` as an empty one; what the names and values may be is for the admin API's schema to say. */
export function settingsOf(list: string | undefined): Record<string, unknown> | undefined {
  if (list === undefined) return undefined
  if (list === 'none') return {}
  const entries = list.split(',').map((entry): [string, unknown] => {
    const [name = '', value = ''] = entry.split('=', 2)
    if (name.trim() === 'routes') return ['routes', value === 'none' ? [] : value.split('+')]
    if (value === 'true' || value === 'false') return [name.trim(), value === 'true']
    return [name.trim(), /^\d+(\.\d+)?$/.test(value) ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}
