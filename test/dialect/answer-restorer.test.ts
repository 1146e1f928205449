import { expect, test } from 'vitest'
import type { AnswerPart } from '#dialect/part.ts'
import { AnswerRestorer, ToolNames } from '#dialect/tools.ts'

const SEALED = { origin: 'responses', value: 'blob' } as const
const OPEN = { type: 'open', choice: 0, block: { type: 'reasoning' } } as const
const THOUGHT = { type: 'delta', choice: 0, text: 'secret' } as const
const CLOSE = { type: 'close', choice: 0 } as const

function restored(parts: readonly AnswerPart[], options: { showsReasoning: boolean; keepsSeals?: boolean }) {
  const restorer = new AnswerRestorer(new ToolNames([]), options)
  return parts.flatMap((part) => restorer.restore(part))
}

test.each([false, undefined])('reasoning that is not shown leaves nothing behind: %s', (keepsSeals) => {
  const options = keepsSeals === undefined ? { showsReasoning: false } : { showsReasoning: false, keepsSeals }
  expect(restored([OPEN, THOUGHT, { ...CLOSE, sealed: SEALED }], options)).toEqual([])
})

test('a seal that the client gives back stays, without the text that it does not want', () => {
  const parts = restored([OPEN, THOUGHT, { ...CLOSE, sealed: SEALED }], { showsReasoning: false, keepsSeals: true })
  expect(parts).toEqual([OPEN, { ...CLOSE, sealed: SEALED }])
})

test('reasoning without a seal opens no block for a client that only keeps seals', () => {
  expect(restored([OPEN, THOUGHT, CLOSE], { showsReasoning: false, keepsSeals: true })).toEqual([])
})

test('reasoning that is shown goes through as it is', () => {
  const parts = [OPEN, THOUGHT, { ...CLOSE, sealed: SEALED }]
  expect(restored(parts, { showsReasoning: true })).toEqual(parts)
})
