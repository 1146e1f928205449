// Reports are the same on every gateway, whatever was told twice, not answered, or lost by PostgreSQL.

import { afterEach, describe, expect, it } from 'vitest'
import { ANY_PARTS } from '#store/usage-filter.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { randomFrom } from '../support/random.ts'
import { Board, Folder, type Call } from './told-hours.ts'
import { isLong } from '../support/cases.ts'

const HISTORIES = isLong ? 60 : 1
const HOUR = 3_600_000
const BEGIN = Date.parse('2027-03-27T12:00:00Z')
const RANGE = { from: '2027-03-27T12:00:00Z', to: '2027-04-02T00:00:00Z' }
const QUESTIONS = [
  { ...RANGE, rollup: 'hour', group: 'none' },
  { ...RANGE, rollup: 'day', group: 'model' },
  { ...RANGE, rollup: 'day', group: 'key', top: 1 },
  { ...RANGE, rollup: 'hour', group: 'project', parts: { ...ANY_PARTS, keyIds: ['key 1'] } },
  {
    ...RANGE,
    rollup: 'day',
    group: 'none',
    hasPoints: false,
    parts: { ...ANY_PARTS, project: 'red', modelId: 'model 0' },
  },
] as const

const open: Folder[] = []
afterEach(async () => {
  for (const folder of open.splice(0)) await folder.close()
})

async function folder(name: string, board: Board): Promise<Folder> {
  const made = await Folder.make(name, board)
  open.push(made)
  return made
}

/** Until nothing is left to tell or to take. */
async function settle(folders: readonly Folder[]): Promise<void> {
  for (let round = 0; round < 4; round += 1) for (const each of folders) await each.exchange()
}

function expectSame(folders: readonly Folder[], whole: Folder): void {
  for (const question of QUESTIONS) {
    const wanted = whole.report(question)
    for (const each of folders) expect(each.report(question)).toEqual(wanted)
  }
  for (const each of folders) expect(rollupProblems(each.db)).toEqual([])
}

function someCalls(random: () => number): Call[] {
  const below = (count: number) => Math.floor(random() * count)
  return Array.from({ length: 1 + below(4) }, () => ({
    atMs: BEGIN + below(100 * HOUR),
    key: below(3),
    model: below(2),
    charge: below(1_000_000),
    project: ['', 'red', 'blue'][below(3)] ?? '',
  }))
}

describe('gateways that tell each other what calls add up to', { timeout: isLong ? 600_000 : 90_000 }, () => {
  it('have the same reports as one gateway with all calls, in every history', async () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const random = randomFrom(seed)
      const board = new Board()
      const names = ['a', 'b', 'c']
      const folders = []
      for (const name of names) folders.push(await folder(name, board))
      const whole = await folder('whole', new Board())
      for (let step = 0; step < 40; step += 1) {
        const one = folders[Math.floor(random() * folders.length)] as Folder
        const what = random()
        if (what < 0.5) {
          const calls = someCalls(random)
          one.record(calls)
          whole.record(calls)
        } else if (what < 0.8) {
          await one.exchange()
        } else if (what < 0.9) {
          board.losesAnswer = true
          await one.exchange().catch(() => undefined)
          board.losesAnswer = false
          await one.join()
        } else {
          // A standby takes over that lacks what one of them told last.
          const before = new Map(board.told)
          await one.exchange()
          for (const name of names) {
            const told = before.get(name)
            if (told === undefined) board.told.delete(name)
            else board.told.set(name, told)
          }
          for (const each of folders) await each.join()
        }
      }
      for (const each of folders) await each.join()
      await settle(folders)
      expectSame(folders, whole)
      // One that joins later, with an empty folder.
      const newcomer = await folder('d', board)
      await newcomer.join()
      await settle([newcomer])
      expectSame([newcomer], whole)
    }
  })

  it('have the days of their time zone when it becomes another one', async () => {
    const random = randomFrom(99)
    const board = new Board()
    const [one, other] = [await folder('one', board), await folder('other', board)]
    const whole = await folder('whole', new Board())
    for (const each of [one, other]) {
      await each.join()
      for (let batch = 0; batch < 20; batch += 1) {
        const calls = someCalls(random)
        each.record(calls)
        whole.record(calls)
      }
    }
    await settle([one, other])
    expectSame([one, other], whole)
    for (const each of [one, other, whole]) each.moveTo('America/New_York')
    await settle([one, other])
    expectSame([one, other], whole)
  })

  it('take over a history in pages, and tell nobody of hours that did not change', async () => {
    const board = new Board()
    const [one, other] = [await folder('one', board), await folder('other', board)]
    const calls = Array.from({ length: 450 }, (_, index) => ({
      atMs: BEGIN + index * HOUR,
      key: 0,
      model: 0,
      charge: 1,
      project: '',
    }))
    one.record(calls)
    for (const each of [one, other]) await each.join()
    // It has told nothing before, and then three pages.
    await one.exchange()
    expect(board.seqOf('one')).toBe(4)
    await one.exchange()
    expect(board.seqOf('one')).toBe(4)
    await settle([other])
    const question = { from: '2027-03-27', to: '2027-05-01', rollup: 'day', group: 'none' } as const
    expect(other.report(question).totals.requests).toBe(450)
    expect(other.report(question)).toEqual(one.report(question))
  })
})
