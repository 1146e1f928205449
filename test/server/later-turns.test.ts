import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LaterTurns } from '#server/http/later-turns.ts'

it('begins a few in each turn, in the order in which they came', async () => {
  const turns = new LaterTurns()
  const begun: number[] = []
  for (let place = 0; place < 5; place++) turns.add(() => begun.push(place))
  const after = []
  for (let turn = 0; turn < 4; turn++) {
    after.push([...begun])
    await nextTurn()
  }
  expect(after).toEqual([[], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4]])
})

it('takes what is added while others are begun, after those that came before', async () => {
  const turns = new LaterTurns()
  const begun: string[] = []
  const add = (name: string, more: () => void = () => undefined) =>
    turns.add(() => {
      begun.push(name)
      more()
    })
  add('a', () => add('d', () => add('e')))
  add('b')
  add('c')
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  add('f')
  await nextTurn()
  expect(begun.at(-1)).toBe('f')
})
