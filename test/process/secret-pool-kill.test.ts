// `kill -9` while the secrets of a provider change: each change is there whole or not at all, what was told stays, each secret that is
// listed can be called with and says what it said, and every answer is charged once.

import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { readRecords, watchedBy, type Kill } from '../support/disk-recorder.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

/** How many of the changes that the work makes to files it dies at. */
const POINTS = isLong ? 400 : 4
const HOWS = ['before', 'half', 'after'] as const
const PROVIDER = 'upstream'
const FIRST = 'sk-upstream-secret'
/** What an ordinary answer costs, in micro-credits. */
const CHARGE_MICRO = 39

/** The texts of the secrets by their labels. */
type Pool = ReadonlyMap<string, string>
type Step = { readonly after: Pool; make(program: FareboxProcess): Promise<unknown> }

let upstream: Upstream
let folder: string

beforeEach(async () => {
  upstream = await startUpstream()
  folder = await temporaryFolder()
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

const add =
  (label: string, secret: string) =>
  ({ admin }: FareboxProcess) =>
    admin.call('addProviderSecret', { id: PROVIDER, body: { label, secret } })
const replace =
  (label: string, secret: string) =>
  ({ admin }: FareboxProcess) =>
    admin.call('editProviderSecret', { id: PROVIDER, body: { label, secret } })
const remove =
  (label: string) =>
  ({ admin }: FareboxProcess) =>
    admin.call('removeProviderSecret', { id: PROVIDER, query: { label } })

/** What is done to the pool, with what there is after each step. The first one of a pool takes the place of the provider's own. */
const STEPS: readonly Step[] = [
  { make: add('b', 'sk-b1'), after: pool({ first: FIRST, b: 'sk-b1' }) },
  { make: add('c', 'sk-c1'), after: pool({ first: FIRST, b: 'sk-b1', c: 'sk-c1' }) },
  { make: replace('b', 'sk-b2'), after: pool({ first: FIRST, b: 'sk-b2', c: 'sk-c1' }) },
  { make: replace('first', 'sk-a2'), after: pool({ first: 'sk-a2', b: 'sk-b2', c: 'sk-c1' }) },
  { make: remove('first'), after: pool({ b: 'sk-b2', c: 'sk-c1' }) },
  { make: remove('c'), after: pool({ b: 'sk-b2' }) },
  { make: add('d', 'sk-d1'), after: pool({ b: 'sk-b2', d: 'sk-d1' }) },
]
const BEFORE = pool({ first: FIRST })

function pool(texts: Readonly<Record<string, string>>): Pool {
  return new Map(Object.entries(texts))
}

type Told = { steps: number; answers: number }

/** Each step, with a call after it, until the process is gone. */
async function work(program: FareboxProcess, key: string): Promise<Told> {
  const told = { steps: 0, answers: 0 }
  try {
    for (const step of STEPS) {
      await step.make(program)
      told.steps += 1
      await answerOf(program, key, `work ${told.steps}`)
      told.answers += 1
    }
    await program.stop()
  } catch (error) {
    if ((await program.exited).signal !== 'SIGKILL') throw error
  }
  return told
}

/** One call of a conversation of its own, and the secret that it was made with. */
async function answerOf({ url }: FareboxProcess, key: string, user: string): Promise<string> {
  const response = await postChat({ url, key }, { user, messages: [{ role: 'user', content: 'Hello' }] })
  await response.text()
  expect(response.status).toBe(200)
  return (upstream.requests.at(-1)?.headers.authorization ?? '').replace('Bearer ', '')
}

async function listed({ admin }: FareboxProcess): Promise<string[]> {
  return (await admin.call('listProviderSecrets', { id: PROVIDER })).map(({ label }) => label)
}

/** The texts that calls of many conversations are made with: with these many none is left out. */
async function shown(program: FareboxProcess, key: string, answers: Told): Promise<Set<string>> {
  const texts = new Set<string>()
  for (let index = 0; index < 40; index++) {
    texts.add(await answerOf(program, key, `conversation ${index}`))
    answers.answers += 1
  }
  return texts
}

async function usedMicro({ url }: FareboxProcess, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  return Math.round(((await response.json()) as { used_credits: number }).used_credits * 1e6)
}

/** Starts a gateway that is to die; undefined where it has died already. */
async function startDying(dataDir: string, env: Readonly<Record<string, string>>): Promise<FareboxProcess | undefined> {
  try {
    return await startProcess({ dataDir, env })
  } catch (error) {
    expect(String(error)).toContain('it ended (SIGKILL) before it printed')
    return undefined
  }
}

/** What there must be: what was told, or what was being done when it died. */
function possible({ steps }: Told): Pool[] {
  const at = (index: number) => (index === 0 ? BEFORE : STEPS[index - 1]?.after)
  return [at(steps), at(steps + 1)].filter((one) => one !== undefined)
}

async function round(pristine: string, key: string, kill: Kill): Promise<void> {
  const root = join(folder, 'round')
  mkdirSync(root)
  cpSync(pristine, root, { recursive: true })
  const dataDir = join(root, 'data')
  const dying = await startDying(dataDir, watchedBy({ folder: root, kill }))
  const told = dying === undefined ? { steps: 0, answers: 0 } : await work(dying, key)
  const back = await startProcess({ dataDir })
  const labels = await listed(back)
  const found = possible(told).find((one) => [...one.keys()].sort().join() === labels.toSorted().join())
  expect(found, `${labels.join()} after ${told.steps} steps`).toBeDefined()
  const texts = await shown(back, key, told)
  const wanted = possible(told).map((one) => [...one.values()].sort().join())
  expect(wanted).toContain([...texts].sort().join())
  const used = await usedMicro(back, key)
  // The call that was being made when it died may have been charged and not told.
  expect([0, 1].map((more) => (told.answers + more) * CHARGE_MICRO)).toContain(used)
  await back.stop()
  rmSync(root, { recursive: true })
}

describe('a change of the secrets of a provider', () => {
  it(
    `leaves a pool of secrets whole, killed at ${POINTS} changes`,
    { timeout: isLong ? 7_200_000 : 1_200_000 },
    async () => {
      const pristine = join(folder, 'pristine')
      const first = await startProcess({ dataDir: join(pristine, 'data') })
      await setUpUpstream(first, upstream.url)
      const { key } = await first.admin.call('createKey', { body: { name: 'me', package: 'plenty' } })
      await first.stop()
      const whole = join(folder, 'whole')
      cpSync(pristine, whole, { recursive: true })
      const log = join(folder, 'whole.log')
      const undisturbed = await startProcess({ dataDir: join(whole, 'data'), env: watchedBy({ folder: whole, log }) })
      const startChanges = readRecords(log).length
      expect(await work(undisturbed, key)).toEqual({ steps: STEPS.length, answers: STEPS.length })
      const changes = readRecords(log).filter(({ type }) => !['sync-range', 'make-folder'].includes(type)).length
      expect(changes).toBeGreaterThan(startChanges)
      for (let point = 0; point < POINTS; point++) {
        const at = startChanges + Math.floor(((point + 0.5) / POINTS) * (changes - startChanges))
        const how = HOWS[point % HOWS.length] ?? 'before'
        await round(pristine, key, { at, how })
      }
    },
  )
})
