// Looking at very many budgets: little by little, each once, and not again for as long as nobody asks.

import { expect, it } from 'vitest'
import { Alerts } from '#alert/alerts.ts'
import { microCredits } from '#core/money.ts'

const MANY = 5000
/** Every hundredth has used what it has. */
const USED_UP = 100

it('looks at all of them in several turns, at no more than a part in each', async () => {
  const turns: (() => void)[] = []
  const seen: string[][] = []
  const raised: string[] = []
  const ids = Array.from({ length: MANY }, (_, index) => `key ${index}`)
  let names = 0
  const alerts = new Alerts({
    sources: [
      {
        scope: 'key',
        subjectOf: ({ keyId }) => keyId,
        subjects: () => ids,
        standing(id) {
          seen.at(-1)?.push(id)
          const usedMicro = microCredits(Number(id.slice(4)) % USED_UP === 0 ? 10 : 0)
          return { cycleStartedAtMs: 1, nextResetAtMs: undefined, usedMicro, totalMicro: microCredits(10), name: id }
        },
      },
    ],
    nowMs: () => 1,
    newId: () => `alert ${(names += 1)}`,
    after(_ms, callback) {
      turns.push(callback)
      return () => void turns.splice(turns.indexOf(callback), 1)
    },
    flush: () => Promise.resolve(),
    raise(found) {
      raised.push(...found.map(({ alert }) => `${alert.subjectId} ${alert.threshold}`))
      return Promise.resolve(found.map(({ alert }) => alert.id))
    },
    deliveriesOf: () => [],
    loaded: { standing: [], latest: [], rules: [] },
  })
  alerts.begin()
  // Asked for again before it began.
  alerts.lookAtAll()
  while (turns.length > 0) {
    seen.push([])
    turns.shift()?.()
    // What it waits for has resolved before the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(new Set(seen.flat())).toEqual(new Set(ids))
  for (const part of seen) expect(new Set(part).size).toBeLessThanOrEqual(MANY / 2)
  const used = ids.filter((_, index) => index % USED_UP === 0)
  expect(new Set(raised)).toEqual(new Set(used.flatMap((id) => [`${id} 50`, `${id} 80`, `${id} 95`, `${id} 100`])))
  expect(raised).toHaveLength(new Set(raised).size)
  await alerts.close()
})
