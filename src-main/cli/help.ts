// The help text, and the nearest valid usage for what was not understood.

import type { Verb } from '#cli/verb.ts'

/** Everything there is, or one group of verbs. `start` is in it although it is not a verb of this table. */
export function helpText(verbs: readonly Verb[], group?: string): string {
  const shown = group === undefined ? verbs : verbs.filter(({ name }) => name === group || name.startsWith(`${group} `))
  const lines = shown.map((verb) => `  ${usageLine(verb)}\n      ${verb.summary}`)
  const start = '  farebox start\n      starts the gateway'
  const all = group === undefined ? [start, ...lines] : lines
  return [
    'Usage: farebox <verb> [--json] [--data-dir DIR]',
    '       farebox --version',
    '',
    ...all,
    '',
    '--json prints one JSON value. Exit codes: 0 done, 1 failed or refused, 2 wrong usage.',
  ].join('\n')
}

export function verbHelp(verb: Verb): string {
  return `Usage: ${usageLine(verb)} [--json] [--data-dir DIR]\n\n${verb.name} ${verb.summary}.`
}

export function usageLine({ name, usage }: Pick<Verb, 'name' | 'usage'>): string {
  return `farebox ${name} ${usage}`.trimEnd()
}

/** The usage of the verb whose name needs the fewest changes to be what was typed, in the group that was typed if any. */
export function nearestUsage(verbs: readonly Verb[], words: readonly string[]): string {
  const [group = '', word = ''] = words
  const inGroup = verbs.filter(({ name }) => name.startsWith(`${group} `))
  const distances = (inGroup.length > 0 ? inGroup : verbs).map((verb) => {
    const typed = verb.name.includes(' ') ? `${group} ${word}` : group
    return { verb, distance: editDistance(verb.name, typed) }
  })
  const [nearest] = distances.sort((a, b) => a.distance - b.distance)
  return nearest === undefined ? 'farebox help' : usageLine(nearest.verb)
}

/** Levenshtein's distance, on texts cut to a length that no verb reaches. */
function editDistance(left: string, right: string): number {
  const typed = right.slice(0, 40)
  let above = Array.from({ length: typed.length + 1 }, (_, index) => index)
  for (let row = 0; row < left.length; row++) {
    const current = [row + 1]
    for (let column = 1; column <= typed.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (typed[column - 1] === left[row] ? 0 : 1)
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
