// Formatters are dear to make and a list that scrolls needs many, so that each is made once.

const numberFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(numberFormats, [locale, options], () => new Intl.NumberFormat(locale, options))
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(dateFormats, [locale, options], () => new Intl.DateTimeFormat(locale, options))
}

function kept<Format>(formats: Map<string, Format>, parts: readonly unknown[], make: () => Format): Format {
  const name = JSON.stringify(parts)
  const known = formats.get(name)
  if (known !== undefined) return known
  const made = make()
  formats.set(name, made)
  return made
}
