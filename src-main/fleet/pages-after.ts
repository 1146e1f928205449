// Reads from PostgreSQL what changed since a gateway looked last, page by page.

import type { Seat } from '#fleet/seat.ts'

type Page<Row> = {
  readonly rows: readonly Row[]
  /** The number of the last change that is known with this page. */
  readonly seen: number
}

/** To be used in the turn of the seat. Each row ends with the number of its change. `size`: so many in one message. Rejects with FleetUnreachable. */
export async function* pagesAfter<Row extends readonly [...unknown[], number]>(
  seat: Seat,
  question: 'notes_after' | 'secrets_after',
  { seen, size }: { readonly seen: number; readonly size: number },
): AsyncGenerator<Page<Row>> {
  for (let after = seen; ;) {
    const answer = await seat.say(question, [after, size])
    // What these two answer.
    const rows = answer.rows as readonly Row[]
    const last = rows.at(-1)?.at(-1) as number | undefined
    const isLast = rows.length < size || last === undefined || last === after
    yield { rows, seen: isLast ? Number(answer.seq) : last }
    if (isLast) return
    after = last
  }
}
