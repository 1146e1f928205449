import { expect, it } from 'vitest'
import { DenseBodies } from '#server/bodies/dense-bodies.ts'

it('a body of few parts waits for nobody', async () => {
  const bodies = new DenseBodies()
  const order: string[] = []
  await bodies.turn(100_000)
  const second = bodies.turn(100_000).then(() => order.push('many'))
  await bodies.turn(9999).then(() => order.push('few'))
  await second
  expect(order).toEqual(['few', 'many'])
})

it('bodies of many parts take turns in the order in which they came, with time for everybody else between them', async () => {
  const bodies = new DenseBodies()
  const order: number[] = []
  const startedMs = performance.now()
  await Promise.all([0, 1, 2].map((index) => bodies.turn(100_000).then(() => order.push(index))))
  expect(order).toEqual([0, 1, 2])
  expect(performance.now() - startedMs).toBeGreaterThan(80)
})
