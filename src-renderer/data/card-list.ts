// What there is to review in a comparison with the price card.

import type { CardComparison, CardRow } from '#contract/price-card.ts'

/** The rows that would change something. */
export function cardChanges(card: CardComparison): readonly CardRow[] {
  return card.rows.filter(({ change }) => change !== 'same')
}

/** What is chosen to begin with: everything but what jumps and what another provider asks, which somebody has to look at. */
export function preselected(rows: readonly CardRow[]): readonly string[] {
  return rows.filter(({ jump, asked_by: askedBy }) => !jump && askedBy === null).map(({ id }) => id)
}

/** Those of the chosen that change more than a hundredfold. */
export function jumpingIds(rows: readonly CardRow[], chosen: readonly string[]): readonly string[] {
  return rows.filter(({ id, jump }) => jump && chosen.includes(id)).map(({ id }) => id)
}

/** The host of a page, to name it by. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
