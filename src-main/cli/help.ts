// The help text, and the nearest valid usage for what was not understood.

import type { Verb } from '#cli/verb.ts'

/** Every verb by its topic, or all of one topic with what they take. `start` is in it although it is not a verb of this table. */
export function helpText(verbs: readonly Verb[], topic?: string): string {
  const all = topic === undefined ? topics(verbs) : verbs.filter(isOf(topic)).map(wholeLine)
  return [
    'Usage: farebox <verb> [--json] [--data-dir DIR]',
    '       farebox --version',
    '',
    ...all,
    '',
    ...(topic === undefined
      ? ["'farebox help TOPIC' says what its verbs take, 'farebox VERB --help' what one does."]
      : []),
    '--json prints one JSON value. Exit codes: 0 done, 1 failed or refused, 2 wrong usage.',
  ].join('\n')
}

function isOf(topic: string): (verb: Verb) => boolean {
  return ({ name }) => name === topic || name.startsWith(`${topic} `)
}

function wholeLine(verb: Verb): string {
  return `  ${usageLine(verb)}\n      ${verb.summary}`
}

const START = '  start        starts the gateway'

/** A line for each verb of one word, and one for each topic with the second words of its verbs. */
function topics(verbs: readonly Verb[]): string[] {
  const names = new Set(verbs.map(({ name }) => name.replace(/ .*/, '')))
  const lines = Array.from(names, (topic) => {
    const own = verbs.find(({ name }) => name === topic)
    const below = verbs
      .filter(({ name }) => name.startsWith(`${topic} `))
      .map(({ name }) => name.slice(topic.length + 1))
    const more = below.length === 0 ? '' : `${own === undefined ? '' : '; also: '}${below.join(', ')}`
    return `  ${topic.padEnd(12)} ${own?.summary ?? ''}${more}`
  })
  return [START, ...lines]
}

export function verbHelp(verb: Verb): string {
  return `Usage: ${usageLine(verb)} [--json] [--data-dir DIR]\n\n${verb.name} ${verb.summary}.`
}

export function usageLine({ name, usage }: Pick<Verb, 'name' | 'usage'>): string {
  return `farebox ${name} ${usage}`.trimEnd()
}

/** The usage of the nearest verb; the help, of the group that was typed if any, where none is near. */
export function nearestUsage(verbs: readonly Verb[], words: readonly string[]): string {
  const [nearest] = nearestVerbs(verbs, words)
  if (nearest !== undefined) return usageLine(nearest)
  const [group = ''] = words
  return verbs.some(({ name }) => name.startsWith(`${group} `)) ? `farebox help ${group}` : 'farebox help'
}

/**
 * Verbs whose names need few changes to be what was typed, nearest first, at most three; of the group that was typed, if any. Of a group
 * that was typed alone and wrongly it is the verb that lists.
 */
export function nearestVerbs(verbs: readonly Verb[], words: readonly string[]): readonly Verb[] {
  const inGroup = verbs.filter(({ name }) => name.startsWith(`${words[0] ?? ''} `))
  const isGroupMeant = inGroup.length === 0 && words.length === 1
  return (inGroup.length > 0 ? inGroup : verbs)
    .map((verb) => {
      const [topic = ''] = verb.name.split(' ')
      const name = isGroupMeant && verb === opener(verbs, topic) ? topic : verb.name
      const typed = words.slice(0, name.split(' ').length).join(' ')
      return { verb, distance: editDistance(name, typed), allowed: MAX_CHANGED * name.length }
    })
    .filter(({ distance, allowed }) => distance <= allowed)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ verb }) => verb)
}

/** The verb that shows what a topic has: its list, else its first. */
function opener(verbs: readonly Verb[], topic: string): Verb | undefined {
  return verbs.find(({ name }) => name === `${topic} list`) ?? verbs.find(isOf(topic))
}

const MAX_SUGGESTIONS = 3

/** Beyond this share of its letters a name is another one. */
const MAX_CHANGED = 0.4

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
