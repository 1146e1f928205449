// The names of a table's columns, from the text that made it: a row of SQLite has values and no names.

/** What begins a rule for the whole table, and no column. */
const RULES = /^(constraint|primary|unique|check|foreign)\b/i
const NAME = /^(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([^\s(]+))/
/** Texts, quoted names and comments have commas and brackets of their own. A quote in a text is doubled, which makes two texts of it. */
const TOKENS = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[^]*?(?:\*\/|$)|[^]/g

/** In their order. */
export function columnsOf(sql: string): string[] {
  return partsOf(sql).flatMap((part) => {
    if (part === '' || RULES.test(part)) return []
    const [, double, back, square, plain] = NAME.exec(part) ?? []
    const name = double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? square ?? plain
    return name === undefined ? [] : [name]
  })
}

/** What stands between the commas of the outermost brackets. */
function partsOf(sql: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (const [token] of sql.matchAll(TOKENS)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue
    if (token === ')' && --depth === 0) break
    if (token === ',' && depth === 1) {
      parts.push(part.trim())
      part = ''
    } else if (depth > 0) part += token
    if (token === '(') depth += 1
  }
  return [...parts, part.trim()]
}
