// What Gemini asks of the shared helpers: signatures without a text between other blocks, and names of functions.

import { describe, expect, it } from 'vitest'
import { BlockSequencer } from '#dialect/blocks.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { ToolNames } from '#dialect/tools.ts'
import { short } from './gemini-streams.ts'
import { tool } from './conversations.ts'

describe('a block that is nothing but sealed', () => {
  const sealed = { origin: 'gemini', value: 'sig' } as const
  const piece = { key: 'k', id: 'c', name: 'f', arguments: '{"a":' }

  function blocksOf(act: (blocks: BlockSequencer) => readonly AnswerPart[]): string[] {
    const blocks = new BlockSequencer(0, () => 'new')
    const parts = [...act(blocks), ...blocks.end({ isCut: false })]
    return foldParts(parts).choices[0]?.blocks.map(short) ?? []
  }

  it('comes behind a call that is complete, which is closed first', () => {
    const blocks = blocksOf((one) => [...one.tool({ ...piece, arguments: '{}' }), ...one.sealedReasoning(sealed)])
    expect(blocks).toEqual(['c f({})', 'reasoning: #sig'])
  })

  it('waits for a call that is not complete, between the texts that wait with it', () => {
    const blocks = blocksOf((one) => [
      ...one.tool(piece),
      ...one.plain('reasoning', 'A'),
      ...one.sealedReasoning(sealed),
      ...one.plain('reasoning', 'B'),
      ...one.tool({ ...piece, arguments: '1}' }),
    ])
    expect(blocks).toEqual(['c f({"a":1})', 'reasoning: A', 'reasoning: #sig', 'reasoning: B'])
  })
})

describe('names of functions', () => {
  it.each(['21st_magic', '-x', 'a b', '模', 'x'.repeat(65)])(
    'begin with a letter or an underscore for %s, and come back',
    (name) => {
      const names = new ToolNames([tool(name)])
      const wire = names.wire({ name })
      expect(wire).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
      expect(names.known(wire).name).toBe(name)
    },
  )
})
