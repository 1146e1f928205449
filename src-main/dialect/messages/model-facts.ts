// What models of this dialect take, by their names: a table, because the dialect has no way to ask. New models of Anthropic's
// take less than old ones, so that a name nobody knows yet is treated as the newest; names of other makers' models have no
// such limits.

import type { Effort } from '#dialect/turn.ts'

export type ClaudeFacts = {
  /** `adaptive`: the model decides how long it thinks, steered by an effort; `budget`: it is given a number of tokens. */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** It thinks unless it is told not to. */
  readonly thinksByDefault: boolean
  /** It keeps its thinking to itself unless it is asked to sum it up. */
  readonly hidesThinking: boolean
  /** Refuses sampling, a begun answer and forced tools while it thinks, and thinking that it did not sign. */
  readonly strictThinking: boolean
  /** The efforts it takes in `output_config`. */
  readonly efforts: readonly Effort[]
  /** `one`: temperature or top_p, not both. */
  readonly sampling: 'all' | 'one' | 'none'
  /** Takes a last turn of the assistant, to be continued. */
  readonly prefill: boolean
  /** Takes a JSON schema in `output_config`. */
  readonly schema: boolean
}

const EFFORTS_4_5: readonly Effort[] = ['low', 'medium', 'high']
const EFFORTS_4_6: readonly Effort[] = ['low', 'medium', 'high', 'max']
const EFFORTS_NEW: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

const CLAUDE_3: ClaudeFacts = {
  thinking: 'none',
  thinksByDefault: false,
  hidesThinking: false,
  strictThinking: true,
  efforts: [],
  sampling: 'all',
  prefill: true,
  schema: false,
}
const CLAUDE_3_7: ClaudeFacts = { ...CLAUDE_3, thinking: 'budget' }
const CLAUDE_4_1: ClaudeFacts = { ...CLAUDE_3_7, sampling: 'one', schema: true }
const CLAUDE_4_6: ClaudeFacts = {
  thinking: 'adaptive',
  thinksByDefault: false,
  hidesThinking: false,
  strictThinking: true,
  efforts: EFFORTS_4_6,
  sampling: 'one',
  prefill: false,
  schema: true,
}
const CLAUDE_4_7: ClaudeFacts = { ...CLAUDE_4_6, efforts: EFFORTS_NEW, hidesThinking: true, sampling: 'none' }
const CLAUDE_NEWEST: ClaudeFacts = { ...CLAUDE_4_7, thinksByDefault: true }
const OTHER_MAKERS: ClaudeFacts = { ...CLAUDE_3_7, thinksByDefault: true, strictThinking: false }

/** The first pattern that fits counts. Dots and at signs of the name are dashes here. */
const TABLE: readonly (readonly [RegExp, ClaudeFacts])[] = [
  [/claude-(?:[12](?:-|$)|instant|3-(?:5-)?(?:opus|sonnet|haiku)|3-5)/, CLAUDE_3],
  [/claude-3-7/, CLAUDE_3_7],
  [/claude-(?:opus|sonnet)-4-1(?:-|$)/, CLAUDE_4_1],
  [/claude-opus-4-5(?:-|$)/, { ...CLAUDE_4_1, efforts: EFFORTS_4_5 }],
  [/claude-(?:sonnet|haiku)-4-5(?:-|$)/, CLAUDE_4_1],
  [/claude-(?:opus|sonnet|haiku)-4-6(?:-|$)/, CLAUDE_4_6],
  [/claude-opus-4-[78](?:-|$)/, CLAUDE_4_7],
  [/claude-(?:opus|sonnet)-4(?:-0|-\d{8})?(?:-v\d|$)/, CLAUDE_3_7],
  [/claude/, CLAUDE_NEWEST],
]

export function modelFacts(upstreamModel: string): ClaudeFacts {
  const name = upstreamModel.toLowerCase().replaceAll(/[.@]/g, '-')
  return TABLE.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER_MAKERS
}
