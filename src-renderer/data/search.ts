// Reads the search parameters of an address, which anybody can write.

type Raw = Readonly<Record<string, unknown>>

const MAX_CHARACTERS = 200
/** Of a link with its address. */
const MAX_LINK_CHARACTERS = 3000

/** A short text, or nothing. */
export function textIn<Name extends string>(raw: Raw, name: Name): { readonly [Key in Name]?: string } {
  const value = raw[name]
  // The router reads `?key=7` as a number.
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '' || text.length > MAX_CHARACTERS) return {}
  return record(name, text)
}

/** What calls are counted to: a tool, a project or a tag. Capitals become small letters, as they are kept. */
export function labelIn<Name extends string>(raw: Raw, name: Name): { readonly [Key in Name]?: string } {
  const text = textIn(raw, name)[name]?.trim().toLowerCase()
  return text !== undefined && LABEL.test(text) ? record(name, text) : {}
}

const LABEL = /^[a-z0-9][a-z0-9._/:@+-]{0,63}$/

/** A whole link, which is longer than other texts. */
export function linkTextIn<Name extends string>(raw: Raw, name: Name): { readonly [Key in Name]?: string } {
  const text = raw[name]
  return typeof text === 'string' && text.length <= MAX_LINK_CHARACTERS ? record(name, text) : {}
}

/** One of `choices`, or nothing. */
export function choiceIn<Name extends string, Choice extends string>(
  raw: Raw,
  name: Name,
  choices: readonly Choice[],
): { readonly [Key in Name]?: Choice } {
  const found = choices.find((choice) => choice === raw[name])
  return found === undefined ? {} : record(name, found)
}

/** The same search with something else in the drawer, or nothing. */
export function withOpen<Search extends { readonly open?: string }>(
  search: Search,
  id: string | undefined,
): Omit<Search, 'open'> & { readonly open?: string } {
  const { open: _, ...rest } = search
  return id === undefined ? rest : { ...rest, open: id }
}

function record<Name extends string, Value>(name: Name, value: Value): { readonly [Key in Name]?: Value } {
  const result: { [Key in Name]?: Value } = {}
  result[name] = value
  return result
}
