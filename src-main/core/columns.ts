// Many rows as a few texts, one JSON array for each column, as SQLite writes them. As objects a hundred thousand rows take several times as long to read, to go from thread
// to thread and to be taken over.

type Cell = string | number | null
type AnyRow = Readonly<Record<string, Cell>>

/** The texts of columns, by the members of their rows. */
export type Columns<Row> = { readonly [Member in keyof Row]: string }

/** What a query reads for such texts; `members` says what each of them is there. Their rows are in the order of the query's. */
export function columnTexts<Row>(members: { readonly [Member in keyof Row]: string }): string {
  return Object.entries<string>(members)
    .map(([member, expression]) => `json_group_array(${expression}) AS ${member}`)
    .join(', ')
}

/** Makes something of each row. The row is the same object each time, with other values: what is made must not keep it. */
export function mapRows<Row extends AnyRow, Made>(columns: Columns<Row>, make: (row: Row) => Made): Made[] {
  const members = Object.keys(columns)
  // They are what SQLite made of values of the columns' types.
  const cells = Object.values<string>(columns).map((text) => JSON.parse(text) as readonly Cell[])
  const row: Record<string, Cell> = {}
  const count = cells[0]?.length ?? 0
  const made: Made[] = []
  for (let at = 0; at < count; at += 1) {
    for (let index = 0; index < members.length; index += 1) row[members[index] as string] = cells[index]?.[at] ?? null
    made.push(make(row as Row))
  }
  return made
}
