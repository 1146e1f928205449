// Reports that are handed in while the process is killed: each of them is there whole or not at all, and in the end the books of bills are
// those of a process that nobody killed, whatever came twice, in pieces and out of order.

import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { billOf, pagesOf } from '../bills/fake-bill.ts'
import { DAY, makeMonth, MONTH } from '../bills/traffic.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { isLong } from '../support/cases.ts'

const KILLS = isLong ? 100 : 4
const random = randomFrom(11)
let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(endProcesses)

/** A page of a week each, of usage and of costs, and all of the usage once more: every line of it comes twice. */
async function writeReports(): Promise<readonly string[]> {
  const bill = billOf(makeMonth({ seed: 5, share: 0.2, models: 8 }), 'openai')
  const [usage, costs] = [pagesOf(bill.usage, 'openai', 168), pagesOf(bill.costs, 'openai', 7)]
  const pieces = [...usage.map((page) => [page]), ...costs.map((page) => [page]), usage]
  await mkdir(join(folder, 'reports'))
  return Promise.all(
    pieces.map(async (pages, index) => {
      const file = join(folder, 'reports', `${index}.json`)
      await writeFile(file, JSON.stringify(pages))
      const made = new Date(MONTH + 40 * DAY)
      await utimes(file, made, made)
      return file
    }),
  )
}

async function start(name: string, isNew: boolean): Promise<FareboxProcess> {
  const program = await startProcess({ dataDir: join(folder, name) })
  if (isNew) await setUpUpstream(program, 'http://127.0.0.1:9', [{ name: 'plenty', type: 'topup', credits: 1 }])
  return program
}

const keep = ({ admin }: FareboxProcess, file: string) =>
  admin.call('checkBill', { body: { provider: 'upstream', file, keep: true } })

/** What is kept of each day, whenever it was compared. */
async function kept({ admin }: FareboxProcess): Promise<readonly unknown[]> {
  const answers = []
  for (let day = 0; day < 30; day++) {
    const keptDay = new Date(MONTH + day * DAY).toISOString().slice(0, 10)
    const asked = admin.call('checkBill', { body: { provider: 'upstream', kept_day: keptDay } })
    answers.push(await asked.catch((error: unknown) => String(error)))
  }
  return answers
}

it(
  `leave the same books after ${KILLS} kills as after none`,
  async () => {
    const files = await writeReports()
    const quiet = await start('quiet', true)
    for (const file of files) await keep(quiet, file)
    const expected = await kept(quiet)
    await quiet.stop()

    let program = await start('killed', true)
    for (let round = 0; round < KILLS; round++) {
      const file = files[Math.floor(random() * files.length)] ?? ''
      // The kill comes before, within or after it.
      const asked = keep(program, file).catch(() => undefined)
      await sleep(random() * 150)
      program.kill('SIGKILL')
      await program.exited
      await asked
      program = await start('killed', false)
      const days = await kept(program)
      for (const [day, answer] of days.entries()) expect(partsOf(answer, expected[day])).toBe('whole')
      expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true })
    }
    for (const file of files.toReversed()) await keep(program, file)
    expect(await kept(program)).toEqual(expected)
  },
  KILLS * 20_000 + 60_000,
)

type Kept = { readonly tokens: { readonly compared: number }; readonly money: { readonly compared: number } }

/** A report of a day is either all of it or none, so that each comparison has as many rows as the whole one or none. */
function partsOf(answer: unknown, whole: unknown): string {
  if (typeof answer === 'string') return answer.includes('No report of that time is kept') ? 'whole' : answer
  const [some, all] = [answer as Kept, whole as Kept]
  const isWhole = (['tokens', 'money'] as const).every((kind) => [0, all[kind].compared].includes(some[kind].compared))
  return isWhole ? 'whole' : 'in parts'
}
