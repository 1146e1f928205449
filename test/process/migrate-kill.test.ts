// `kill -9` of `farebox migrate-to` right after it has sent one of its questions to PostgreSQL: the same command goes on from there, and nothing counts
// twice or is lost.

import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { pay, type Key } from '../fleet/gateways.ts'
import { furnish, leftIn, type Installation } from '../fleet/installation.ts'
import { expectSoundFleet } from '../fleet/support.ts'
import { exported } from '../recompute/exported.ts'
import { recompute } from '../recompute/recompute.ts'
import { breakableLine } from '../support/breakable-line.ts'
import { startFarebox } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { endProcesses, farebox, launch } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

/** What is in the questions at which it dies. */
const THERE = isLong ? ['join_fleet', 'farebox.claim', 'put-package', 'fleet_view', 'leave_fleet'] : ['put-package']
const BACK = isLong ? ['join_fleet', 'farebox.ship', 'hand_back', 'left_over', 'leave_fleet'] : ['left_over']

/** For a machine that has much else to do. */
const LIMIT_MS = isLong ? 600_000 : 240_000

let postgres: Postgres
let upstream: Upstream
let house: Installation

beforeAll(async () => {
  postgres = await startPostgres()
  upstream = await startUpstream()
  house = await furnish(upstream, 4)
}, LIMIT_MS)
afterEach(endProcesses)
afterAll(async () => {
  await postgres.close()
  await upstream.close()
  await rm(house.dataDir, { recursive: true, force: true })
})

/** Runs a command until it has said something, and kills it then. */
async function dieAt(text: string, argsFor: (url: string) => readonly string[]): Promise<void> {
  const line = await breakableLine(postgres.url)
  try {
    const isSaid = line.muteAt(text)
    const env = { FAREBOX_DATABASE_URL: line.url }
    const program = await launch(argsFor(line.url), { dataDir: house.dataDir, env })
    const ended = program.exited.then(({ code }) => `it ended with ${code}: ${program.stderr()}`)
    expect(await Promise.race([isSaid.then(() => 'said'), ended])).toBe('said')
    program.kill('SIGKILL')
    await program.exited
  } finally {
    await line.close()
  }
}

async function finish(...args: readonly string[]): Promise<void> {
  const env = { FAREBOX_DATABASE_URL: postgres.url }
  const { code, stdout, stderr } = await farebox([...args, '--json'], { dataDir: house.dataDir, env })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, problems: [] })
}

it(
  'goes on where it was killed, there and back',
  async () => {
    for (const text of THERE) await dieAt(text, (url) => ['migrate-to', url])
    await finish('migrate-to', postgres.url)
    const moved = leftIn(house.dataDir)
    // Another gateway charges something, which is to be taken off once.
    const other = await startFarebox({ env: { FAREBOX_DATABASE_URL: postgres.url } })
    const names = ['spent in part', 'large a', 'large c']
    for (const name of names) expect(await pay(other, house.keys.get(name) as Key)).toBe(200)
    await other.close()
    for (const text of BACK) await dieAt(text, () => ['migrate-to', 'sqlite'])
    await finish('migrate-to', 'sqlite')
    // Killed after its last commit and before its answer it would be repeated.
    await finish('migrate-to', 'sqlite')
    await expectSoundFleet(postgres)
    const shared = await postgres.query('SELECT key_id AS key, cycle, free - owed AS left FROM farebox.account')
    const back = leftIn(house.dataDir)
    for (const row of back) {
      const account = shared.find(({ key, cycle }) => key === row.key && cycle === row.cycle)
      if (account !== undefined) expect(account).toEqual(row)
    }
    const changed = back.filter((row) =>
      moved.some(({ key, cycle, left }) => key === row.key && cycle === row.cycle && left !== row.left),
    )
    expect(changed.map(({ key }) => key).toSorted()).toEqual(
      names.map((name) => house.keys.get(name)?.id ?? '').toSorted(),
    )
    expect(recompute(exported(house.dataDir)).code).toBe(0)
  },
  LIMIT_MS,
)
