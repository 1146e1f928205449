// Three gateways as processes of their own on one PostgreSQL, with calls on keys of small and large balances, while gateways are killed and
// stopped, and PostgreSQL falls over. Whatever happens, no balance is spent past, and no answer that a client has is uncharged.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countedBound } from '../gateway/input-bound.ts'
import { HELLO } from '../gateway/support.ts'
import { chatModel } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { CAN_SHARE, expectSoundFleet } from './support.ts'

const ROUNDS = process.env.FAREBOX_LONG_TESTS === '1' ? 200 : 4
const SEED = Number(process.env.FAREBOX_SEED ?? 23)
const OUTPUT_CAP = 100
/** For a machine that has much else to do. */
const WAIT = { timeout: 20_000 }
const BODY = JSON.stringify({ model: 'chat', messages: HELLO, max_tokens: OUTPUT_CAP })
const INPUT = await countedBound(BODY)
/** What a call holds and is charged, in micro-credits. */
const HOLD = INPUT + 2 * OUTPUT_CAP

let postgres: Postgres
let upstream: Upstream

type Gateway = { readonly dataDir: string; process: FareboxProcess }
type Used = { readonly id: string; readonly key: string; readonly calls: number; answered: number }

const random = randomFrom(SEED)
const below = (bound: number) => Math.floor(random() * bound)

async function begin(dataDir: string): Promise<FareboxProcess> {
  return startProcess({
    dataDir,
    env: { FAREBOX_DATABASE_URL: postgres.url, FAREBOX_HOLD_WAIT_MS: '500', FAREBOX_SHUTDOWN_GRACE_MS: '500' },
  })
}

async function call({ process }: Gateway, used: Used): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${used.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${process.url}/v1/chat/completions`, { method: 'POST', headers, body: BODY }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    // Its gateway is gone.
    () => undefined,
  )
  if (answer?.status === 200 && answer.text.trimEnd().endsWith('}')) used.answered += 1
  return answer?.status
}

/** One misfortune while calls run; everything is well again when it resolves. */
async function misfortune(gateways: readonly Gateway[]): Promise<void> {
  const gateway = gateways[below(gateways.length)] as Gateway
  switch (below(4)) {
    case 0: {
      gateway.process.kill('SIGKILL')
      await gateway.process.exited
      gateway.process = await begin(gateway.dataDir)
      return
    }
    case 1: {
      const { process } = gateway
      process.kill('SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, below(300)))
      process.kill('SIGCONT')
      return
    }
    case 2:
      await postgres.stop()
      return postgres.start()
    default:
      await gateway.process.stop()
      gateway.process = await begin(gateway.dataDir)
  }
}

describe.runIf(CAN_SHARE)('three gateways', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    upstream = await startUpstream()
  })
  afterAll(async () => {
    await endProcesses()
    await upstream.close()
    await postgres.close()
  })

  it(
    `keeps every balance through ${ROUNDS} rounds (seed ${SEED})`,
    { timeout: ROUNDS * 30_000 + 120_000 },
    async () => {
      upstream.script(() => ({
        type: 'answer',
        usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT_CAP, total_tokens: INPUT + OUTPUT_CAP },
        headersAfterMs: below(30),
      }))
      const folder = await temporaryFolder()
      const gateways: Gateway[] = []
      for (const name of ['a', 'b', 'c']) {
        const dataDir = join(folder, name, 'data')
        gateways.push({ dataDir, process: await begin(dataDir) })
        if (name === 'a') await setUp(gateways[0] as Gateway)
      }
      const keys = await makeKeys(gateways[0] as Gateway)
      const last = keys.at(-1) as Used
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const gateway of gateways) await expect.poll(() => call(gateway, last), WAIT).toBe(200)
        const calls = Array.from({ length: 20 }, () =>
          call(gateways[below(3)] as Gateway, keys[below(keys.length)] as Used),
        )
        await misfortune(gateways)
        await Promise.all(calls)
        await expectSoundFleet(postgres)
      }
      await endAll(gateways)
      await expectSameBooks(gateways, keys)
      // An end right after PostgreSQL began anew, when nobody has joined again.
      for (const gateway of gateways) gateway.process = await begin(gateway.dataDir)
      for (const gateway of gateways) await expect.poll(() => call(gateway, last), WAIT).toBe(200)
      await postgres.stop()
      await postgres.start()
      await endAll(gateways)
      await expectSameBooks(gateways, keys)
      expect(keys.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(ROUNDS)
    },
  )
})

async function endAll(gateways: readonly Gateway[]): Promise<void> {
  await Promise.all(gateways.map(({ process }) => process.stop()))
}

/** After an end that was meant: nothing is leased, and what is used is what the gateways' own books have. */
async function expectSameBooks(gateways: readonly Gateway[], keys: readonly Used[]): Promise<void> {
  await expectSoundFleet(postgres)
  const own = gateways.map(({ dataDir }) => chargedIn(dataDir))
  for (const { id, calls, answered } of keys) {
    const [account] = await postgres.query(`SELECT used, owed, leased FROM farebox.account WHERE key_id = '${id}'`)
    const used = own.reduce((sum, charged) => sum + (charged.get(id) ?? 0), 0)
    expect(account).toEqual({ used, owed: 0, leased: 0 })
    expect(used).toBeLessThanOrEqual(calls * HOLD)
    expect(used).toBeGreaterThanOrEqual(answered * HOLD)
  }
}

async function setUp({ process: { admin } }: Gateway): Promise<void> {
  const providers = [{ name: 'upstream', dialect: 'chat-completions' as const, base_url: upstream.url }]
  await admin.call('apply', { body: { document: { providers, models: [chatModel('chat')] } } })
}

/** Some that a few calls use up, and some that none do. */
async function makeKeys({ process: { admin } }: Gateway): Promise<Used[]> {
  const made: Used[] = []
  for (const calls of [1, 3, 8, 20, 10_000, 10_000]) {
    const name = `key ${made.length}`
    await admin.call('addPackage', { body: { name, type: 'topup', credits: (calls * HOLD) / 1e6 } })
    const { id, key } = await admin.call('createKey', { body: { name, package: name } })
    made.push({ id, key, calls, answered: 0 })
  }
  return made
}

/** What a gateway's own books say that each key was charged. */
function chargedIn(dataDir: string): Map<string, number> {
  const db = new Database(join(dataDir, 'farebox.db'), { readonly: true })
  const sql = 'SELECT key_id, sum(charge_micro) FROM ledger_entry WHERE charge_micro > 0 GROUP BY key_id'
  const rows = db.prepare<[], readonly [string, number]>(sql).raw().all()
  db.close()
  return new Map(rows)
}
