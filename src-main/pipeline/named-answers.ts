// The kept answers that a large conversation names, as plain data: they are put into it where it is read.

import type { AskedNames, KeptAnswer, KeptAnswers, KeptItem } from '#dialect/dialect.ts'

type NamedAnswer = Omit<KeptAnswer, 'items'> & { readonly items: readonly KeptItem[] }

/** By the ids under which they are asked for. */
export type NamedAnswers = {
  readonly answers: ReadonlyMap<string, NamedAnswer>
  readonly items: ReadonlyMap<string, NamedAnswer>
}

/** undefined where nothing of what is named is kept. */
export function answersNamed({ itemIds, previousId }: AskedNames, kept: KeptAnswers): NamedAnswers | undefined {
  const answers = new Map<string, NamedAnswer>()
  const items = new Map<string, NamedAnswer>()
  const made = new Map<KeptAnswer, NamedAnswer>()
  const plain = (answer: KeptAnswer): NamedAnswer => {
    const known = made.get(answer) ?? { ...answer, items: answer.items() }
    made.set(answer, known)
    return known
  }
  for (const id of itemIds) {
    const answer = kept.withItem(id)
    if (answer !== undefined) items.set(id, plain(answer))
  }
  let next = previousId
  while (next !== undefined && !answers.has(next)) {
    const answer = kept.answer(next)
    if (answer !== undefined) answers.set(next, plain(answer))
    next = answer?.previousId
  }
  return answers.size + items.size === 0 ? undefined : { answers, items }
}

/** The same as they are asked for. */
export function keptIn({ answers, items }: NamedAnswers): KeptAnswers {
  return { answer: (id) => asKept(answers.get(id)), withItem: (id) => asKept(items.get(id)) }
}

function asKept(answer: NamedAnswer | undefined): KeptAnswer | undefined {
  return answer && { ...answer, items: () => answer.items }
}
