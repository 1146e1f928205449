import { describe, expect, it } from 'vitest'
import { ConversePartReader } from '#dialect/bedrock-converse/read-stream.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'

type Event = readonly [name: string, payload: JsonObject]

function read(events: readonly Event[]) {
  const reader = new ConversePartReader(() => 'made')
  const parts: AnswerPart[] = [['messageStart', { role: 'assistant' }] as const, ...events, ...END].flatMap(
    ([name, payload]) => reader.read(JSON.stringify(payload), name),
  )
  return foldParts(parts).choices[0]?.blocks.map(({ block, text }) => [block.type, text])
}

const END: readonly Event[] = [
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 4, outputTokens: 2 } }],
]
const delta = (contentBlockIndex: number, piece: JsonObject): Event => [
  'contentBlockDelta',
  { contentBlockIndex, delta: piece },
]

describe('a block of a stream of Converse', () => {
  it.each<[string, JsonObject]>([
    ['says nothing', { contentBlockIndex: 0, start: {} }],
    ['has no start', { contentBlockIndex: 0 }],
    ['is of a kind that nobody knows', { contentBlockIndex: 0, start: { image: { format: 'png' } } }],
  ])('is what its pieces are where its begin %s', (_, begin) => {
    const text = [delta(0, { text: 'Hi' }), delta(0, { text: ' there' })]
    expect(read([['contentBlockStart', begin], ...text])).toEqual([['text', 'Hi there']])
    const thought = delta(0, { reasoningContent: { text: 'Hmm' } })
    expect(read([['contentBlockStart', begin], thought, delta(1, { text: 'Hi' })])).toEqual([
      ['reasoning', 'Hmm'],
      ['text', 'Hi'],
    ])
  })
})
