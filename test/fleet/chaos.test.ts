// Three gateways as processes of their own on one PostgreSQL, with calls on fifty keys of small and large balances, while gateways are killed and
// stopped, PostgreSQL falls over, and lines between them are cut or lose what is said in one direction. Whatever happens, no balance is spent
// past, no answer that a client has is uncharged, and every commit leaves balances that add up.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countedBound } from '../gateway/input-bound.ts'
import { HELLO } from '../gateway/support.ts'
import { breakableLine, type Line, type LineState } from '../support/breakable-line.ts'
import { chatModel } from '../support/farebox.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { expectRecomputed, expectSoundCommits, expectSoundFleet, watchCommits } from './support.ts'
import { isLong } from '../support/cases.ts'

const ROUNDS = Number(process.env.FAREBOX_ROUNDS ?? (isLong ? 2000 : 50))
const SEED = Number(process.env.FAREBOX_SEED ?? 23)
/** After so many rounds everything is looked at. */
const LOOK_EVERY = 10
const OUTPUT_CAP = 100
const CALLERS = 6
/** What takes longer hangs: much else may be done here meanwhile. */
const WAIT = { timeout: 90_000, interval: 20 }
const BODY = JSON.stringify({ model: 'chat', messages: HELLO, max_tokens: OUTPUT_CAP })
const INPUT = await countedBound(BODY)
/** What a call holds and is charged, in micro-credits. */
const HOLD = INPUT + 2 * OUTPUT_CAP
/** How many calls each key can pay for. */
const BALANCES = [1, 3, 8, 20, 10_000]
const KEYS_OF_EACH = 10

/** One deck for ten rounds, in an order of its own each time; the ends of processes and of PostgreSQL take longest. */
const DECK = ['kill', 'fall-over', 'freeze', 'freeze', 'cut', 'cut', 'deaf', 'mute', 'mute', 'end'] as const
type Misfortune = (typeof DECK)[number]

let postgres: Postgres
let upstream: Upstream

type Gateway = {
  readonly dataDir: string
  readonly line: Line
  process: FareboxProcess
  /** Its next start, while it is on its way. */
  starting: Promise<void> | undefined
  /** The last answer of another status than 200. */
  said: string
}
type Used = { readonly id: string; readonly key: string; readonly calls: number; answered: number }

const random = randomFrom(SEED)
const below = (bound: number) => Math.floor(random() * bound)
const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item

async function begin(dataDir: string, { url }: Line): Promise<FareboxProcess> {
  return startProcess({
    dataDir,
    env: { FAREBOX_DATABASE_URL: url, FAREBOX_HOLD_WAIT_MS: '500', FAREBOX_SHUTDOWN_GRACE_MS: '500' },
  })
}

async function call(gateway: Gateway, used: Used): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${used.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.process.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: BODY,
  }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    // Its gateway is gone.
    () => undefined,
  )
  if (answer?.status !== 200) gateway.said = `${answer?.text} ${gateway.process.stderr().slice(-1000)}`
  if (answer?.status === 200 && answer.text.trimEnd().endsWith('}')) used.answered += 1
  return answer?.status
}

function shuffledDeck(): Misfortune[] {
  const places = DECK.map((card) => [random(), card] as const)
  return places.toSorted(([left], [right]) => left - right).map(([, card]) => card)
}

/** One misfortune while calls run. What ended is on its way back when it resolves, so that the next one strikes meanwhile. */
async function strike(card: Misfortune, gateway: Gateway): Promise<void> {
  await gateway.starting
  const { process } = gateway
  switch (card) {
    case 'kill':
      process.kill('SIGKILL')
      await process.exited
      beginAgain(gateway)
      return
    case 'freeze':
      process.kill('SIGSTOP')
      await pause(below(300))
      process.kill('SIGCONT')
      return
    case 'fall-over':
      await postgres.stop()
      await pause(below(100))
      return postgres.start()
    case 'end':
      await process.stop()
      beginAgain(gateway)
      return
    default:
      return breakLine(gateway, card)
  }
}

function beginAgain(gateway: Gateway): void {
  const starting = begin(gateway.dataDir, gateway.line).then((process) => {
    gateway.process = process
    gateway.starting = undefined
  })
  // Whoever waits for it hears of a failure.
  starting.catch(() => undefined)
  gateway.starting = starting
}

async function breakLine({ line }: Gateway, state: LineState): Promise<void> {
  line.set(state)
  await pause(below(300))
  line.set('whole')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe('three gateways', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    upstream = await startUpstream()
  })
  afterAll(async () => {
    await endProcesses()
    await upstream.close()
    await postgres.close()
  })

  it(`keep every balance through ${ROUNDS} rounds (seed ${SEED})`, { timeout: ROUNDS * 5000 + 180_000 }, async () => {
    upstream.script(() => ({
      type: 'answer',
      usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT_CAP, total_tokens: INPUT + OUTPUT_CAP },
      headersAfterMs: below(30),
    }))
    const gateways = await beginAll()
    const keys = await makeKeys(gateways[0] as Gateway)
    const last = keys.at(-1) as Used
    const serve = async () => {
      const servesAgain = async (gateway: Gateway) => {
        await gateway.starting
        // What it says is what is wrong with it.
        const said = async () => ((await call(gateway, last)) === 200 ? 'served' : gateway.said)
        await expect.poll(said, WAIT).toBe('served')
      }
      await Promise.all(gateways.map(servesAgain))
    }
    await serve()
    let deck: Misfortune[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      if (deck.length === 0) deck = shuffledDeck()
      await struck(deck.pop() as Misfortune, gateways, keys)
      if (round % LOOK_EVERY !== LOOK_EVERY - 1) continue
      // Without this look a gateway that never came back would not be seen.
      await serve()
      await expectSoundFleet(postgres)
      await expectSoundCommits(postgres)
    }
    await serve()
    await endAll(gateways)
    await expectSameBooks(gateways, keys)
    // An end right after PostgreSQL began anew, when nobody has joined again.
    for (const gateway of gateways) beginAgain(gateway)
    await serve()
    await postgres.stop()
    await postgres.start()
    await endAll(gateways)
    await expectSameBooks(gateways, keys)
    expect(keys.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(ROUNDS)
    for (const { line } of gateways) await line.close()
  })
})

/** Callers go on from the begin of a misfortune to its end, and somebody tops up a small balance meanwhile. */
async function struck(card: Misfortune, gateways: readonly Gateway[], keys: readonly Used[]): Promise<void> {
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async () => {
    do {
      const status = await call(oneOf(gateways), oneOf(keys))
      if (status === undefined) await pause(20)
    } while (!isOver)
  })
  const { id, calls } = oneOf(keys)
  const { admin } = oneOf(gateways).process
  const topUp = calls > 100 ? undefined : admin.call('topUpKey', { id, body: { credits: (2 * HOLD) / 1e6 } })
  // It may be refused, or nobody hears whether it was: the list of changes says it.
  const toppedUp = topUp?.catch(() => undefined)
  await strike(card, oneOf(gateways)).finally(() => (isOver = true))
  await Promise.all([...callers, toppedUp])
}

async function beginAll(): Promise<Gateway[]> {
  const folder = await temporaryFolder()
  const beginIn = async (name: string): Promise<Gateway> => {
    const dataDir = join(folder, name, 'data')
    const line = await breakableLine(postgres.url)
    return { dataDir, line, process: await begin(dataDir, line), starting: undefined, said: '' }
  }
  const first = await beginIn('a')
  await watchCommits(postgres)
  await setUp(first)
  return [first, ...(await Promise.all(['b', 'c'].map(beginIn)))]
}

async function endAll(gateways: readonly Gateway[]): Promise<void> {
  await Promise.all(gateways.map(({ process }) => process.stop()))
}

/** After an end that was meant: nothing is leased or owed, and what is used is what the gateways' own books have. */
async function expectSameBooks(gateways: readonly Gateway[], keys: readonly Used[]): Promise<void> {
  await expectSoundFleet(postgres)
  await expectSoundCommits(postgres)
  const folders = gateways.map(({ dataDir }) => dataDir)
  await expectRecomputed(postgres, folders)
  const own = folders.map((dataDir) => chargedIn(dataDir))
  const accounts = await postgres.query('SELECT key_id, granted, used, owed, leased FROM farebox.account')
  for (const { id, answered } of keys) {
    const account = accounts.find(({ key_id: keyId }) => keyId === id)
    const used = own.reduce((sum, charged) => sum + (charged.get(id) ?? 0), 0)
    expect(account).toMatchObject({ used, owed: 0, leased: 0 })
    expect(used).toBeLessThanOrEqual(Number(account?.granted))
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
  for (const calls of BALANCES) {
    await admin.call('addPackage', {
      body: { name: `for ${calls}`, type: 'topup', credits: (calls * HOLD) / 1e6 },
    })
    for (let index = 0; index < KEYS_OF_EACH; index += 1) {
      const body = { name: `key ${made.length}`, package: `for ${calls}` }
      const { id, key } = await admin.call('createKey', { body })
      made.push({ id, key, calls, answered: 0 })
    }
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
