// Thresholds against a model: random histories of spending, top-ups, corrections, changes of the package and of prices, days that begin
// and restarts. After every step the alerts are exactly those that the rule says, each once.

import { afterEach, describe, expect, it } from 'vitest'
import { isReached, DEFAULT_THRESHOLDS } from '#core/alerts.ts'
import { microCredits } from '#core/money.ts'
import { chat, manualClock, startPair, type ManualClock, type Pair } from '../gateway/support.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { randomFrom } from '../support/random.ts'
import { isLong } from '../support/cases.ts'

const HISTORIES = isLong ? 100 : 4
const STEPS = 40
const DAY_MS = 24 * 3_600_000
const PATIENCE = { timeout: 20_000, interval: 20 }

let pair: Pair | undefined
let again: Farebox | undefined

afterEach(async () => {
  await (again ?? pair?.farebox)?.close()
  await pair?.upstream.close()
  again = pair = undefined
})

type Told = { cycle: string; readonly thresholds: Set<number> }

/** What the rule says: a threshold once in a cycle, and again where a change by hand took the account below it. */
class Model {
  readonly expected: string[] = []
  #told: Told = { cycle: '', thresholds: new Set() }

  async look(farebox: Farebox, isChange: boolean): Promise<void> {
    const { balance } = await farebox.admin.call('showKey', { id: 'spender' })
    const { cycle_started_at: cycle, used_credits: used, total_credits: total } = balance
    const amounts = { usedMicro: micro(used), totalMicro: micro(total) }
    if (this.#told.cycle !== cycle) this.#told = { cycle, thresholds: new Set() }
    const { thresholds } = this.#told
    if (isChange) for (const one of thresholds) if (!isReached(amounts, one)) thresholds.delete(one)
    for (const one of DEFAULT_THRESHOLDS) {
      if (thresholds.has(one) || !isReached(amounts, one)) continue
      thresholds.add(one)
      this.expected.push(`${cycle} ${one}`)
    }
  }
}

function micro(credits: number | null) {
  return microCredits(Math.round((credits ?? 0) * 1e6))
}

async function alertsOf(farebox: Farebox): Promise<string[]> {
  const alerts = await farebox.admin.call('listAlerts', {})
  return alerts.map(({ cycle_started_at: cycle, threshold }) => `${cycle} ${threshold}`).toSorted()
}

async function spend({ farebox, upstream }: Pick<Pair, 'farebox' | 'upstream'>, key: string, tokens: number) {
  upstream.once({ type: 'answer', usage: { prompt_tokens: tokens - 2, completion_tokens: 1 } })
  await (await chat(farebox, key, { max_tokens: 1 })).text()
}

type Scene = {
  farebox: Farebox
  readonly upstream: Pair['upstream']
  readonly clock: ManualClock
  readonly key: string
}

/** One step; says whether it was a change by hand. */
async function step(scene: Scene, random: () => number): Promise<boolean> {
  const { farebox, upstream, clock, key } = scene
  const { admin } = farebox
  const pick = random()
  const credits = Math.ceil(random() * 400) / 1e6
  if (pick < 0.6) await spend({ farebox, upstream }, key, 3 + Math.floor(random() * 400))
  else if (pick < 0.7) await admin.call('topUpKey', { id: 'spender', body: { credits } })
  else if (pick < 0.75)
    await admin.call('adjustKey', { id: 'spender', body: { credits: -credits, reason: 'test' } }).catch(() => undefined)
  else if (pick < 0.8)
    await admin.call('editPackage', { id: 'day', body: { credits: Math.round(600 + credits * 1e6) / 1e6 } })
  else if (pick < 0.85)
    await admin.call('priceModel', { id: 'chat', body: { input: 1 + Math.floor(random() * 3), output: 2 } })
  else if (pick < 0.92) clock.advance(DAY_MS)
  else {
    await farebox.stop()
    scene.farebox = again = await startFarebox({ clock, dataDir: farebox.dataDir })
  }
  return pick >= 0.6 && pick < 0.8
}

describe('the thresholds of a key', () => {
  it.each(Array.from({ length: HISTORIES }, (_, index) => index + 1))(
    'are told each once, as the rule says (history %i)',
    { timeout: 120_000 },
    async (seed) => {
      const random = randomFrom(seed)
      const clock = manualClock('2027-03-01T12:00:00Z')
      pair = await startPair({ clock, packages: [{ name: 'day', type: 'daily', credits: 0.001, timezone: 'UTC' }] })
      const { key } = await pair.farebox.admin.call('createKey', { body: { name: 'spender', package: 'day' } })
      const scene: Scene = { farebox: pair.farebox, upstream: pair.upstream, clock, key }
      const model = new Model()
      for (let count = 0; count < STEPS; count += 1) {
        const isChange = await step(scene, random)
        await model.look(scene.farebox, isChange)
        await expect.poll(() => alertsOf(scene.farebox), PATIENCE).toEqual(model.expected.toSorted())
      }
      expect(model.expected.length).toBeGreaterThan(4)
    },
  )

  it('are those that were set for the key, else for its package, else for all', async () => {
    pair = await startPair({ packages: [{ name: 'small', type: 'topup', credits: 0.001 }] })
    const { farebox, upstream } = pair
    const { admin } = farebox
    const key = (await admin.call('createKey', { body: { name: 'a', package: 'small' } })).key
    const other = (await admin.call('createKey', { body: { name: 'b', package: 'small' } })).key
    await admin.call('setThresholds', { body: { scope: 'key', thresholds: [] } })
    await admin.call('setThresholds', { body: { scope: 'package', name: 'small', thresholds: [30, 10] } })
    await admin.call('setThresholds', { body: { scope: 'key', name: 'b', thresholds: [40] } })
    await spend({ farebox, upstream }, key, 350)
    await spend({ farebox, upstream }, other, 450)
    const list = async () =>
      (await admin.call('listAlerts', {})).map(({ name, threshold }) => `${name} ${threshold}`).toSorted()
    await expect.poll(list, PATIENCE).toEqual(['a 10', 'a 30', 'b 40'])
    // A rule that is taken back leaves the one before it.
    await admin.call('setThresholds', { body: { scope: 'key', name: 'b', thresholds: null } })
    await expect.poll(list, PATIENCE).toEqual(['a 10', 'a 30', 'b 10', 'b 30', 'b 40'])
  })
})

describe('the day of a member and of a provider', () => {
  it('is told of as well, once each, also after a restart', async () => {
    const clock = manualClock('2027-03-01T12:00:00Z')
    pair = await startPair({ clock })
    const { farebox, upstream } = pair
    const { admin } = farebox
    await admin.call('addMember', { body: { name: 'ada', limits: { credits_per_day: 0.001 } } })
    await admin.call('editProvider', { id: 'upstream', body: { limits: { credits_per_day: 0.002 } } })
    const { key } = await admin.call('createKey', { body: { name: 'k', package: 'plenty', owner: 'ada' } })
    await spend({ farebox, upstream }, key, 810)
    const list = async (of: Farebox) =>
      (await of.admin.call('listAlerts', {}))
        .map(({ scope, name, threshold }) => `${scope} ${name} ${threshold}`)
        .toSorted()
    await expect.poll(() => list(farebox), PATIENCE).toEqual(['member ada 50', 'member ada 80'])
    await spend({ farebox, upstream }, key, 190)
    const all = ['member ada 100', 'member ada 50', 'member ada 80', 'member ada 95', 'provider upstream 50']
    await expect.poll(() => list(farebox), PATIENCE).toEqual(all)
    await farebox.stop()
    again = await startFarebox({ clock, dataDir: farebox.dataDir })
    expect(await list(again)).toEqual(all)
    const { attention } = await again.admin.call('overview', {})
    expect(attention).toContainEqual(
      expect.objectContaining({ kind: 'budget_member_all', subject: 'ada', page: 'members' }),
    )
    // What is half used needs nobody.
    expect(attention.filter(({ subject }) => subject === 'upstream')).toEqual([])
  })

  it('are those of a project as well, for its day and its month by the thresholds of the project', async () => {
    pair = await startPair({ clock: manualClock('2027-03-01T12:00:00Z') })
    const { farebox, upstream } = pair
    const { admin } = farebox
    await admin.call('setProject', { id: 'web', body: { credits_per_day: 0.001, credits_per_month: 0.002 } })
    await admin.call('setThresholds', { body: { scope: 'project', thresholds: [30] } })
    await admin.call('setThresholds', { body: { scope: 'key', thresholds: [] } })
    const { key } = await admin.call('createKey', { body: { name: 'k', package: 'plenty', project: 'web' } })
    await spend({ farebox, upstream }, key, 650)
    const list = async () =>
      (await admin.call('listAlerts', {}))
        .map(({ scope, name, threshold }) => `${scope} ${name} ${threshold}`)
        .toSorted()
    await expect.poll(list, PATIENCE).toEqual(['project web 30', 'project_month web 30'])
  })
})

describe('the day of a tool', () => {
  it('is told of by what the setting means for it, each threshold once, after a restart and on the next day too', async () => {
    const clock = manualClock('2027-03-01T12:00:00Z')
    pair = await startPair({ clock })
    const { farebox, upstream } = pair
    const { key } = await farebox.admin.call('createKey', { body: { name: 'k', package: 'plenty' } })
    const spendAs = async (of: Farebox, tokens: number, agent = 'opencode/1.2') => {
      upstream.once({ type: 'answer', usage: { prompt_tokens: tokens - 2, completion_tokens: 1 } })
      const answer = await chat(of, key, { max_tokens: 1 }, { headers: { 'user-agent': agent } })
      expect(answer.status).toBe(200)
      await answer.text()
    }
    const list = async ({ admin }: Pick<Farebox, 'admin'>) =>
      (await admin.call('listAlerts', {}))
        .map(({ scope, name, threshold }) => `${scope} ${name} ${threshold}`)
        .toSorted()
    const means = (value: string | null) =>
      farebox.admin.call('setSetting', { id: 'tool_credits_per_day', body: { value } })
    await spendAs(farebox, 810)
    await spendAs(farebox, 900, 'goose/1')
    // What was charged before somebody said what is meant for a day counts as well.
    await means('OpenCode=0.001, goose=1')
    await expect.poll(() => list(farebox), PATIENCE).toEqual(['tool opencode 50', 'tool opencode 80'])
    await farebox.admin.call('setThresholds', { body: { scope: 'tool', name: 'goose', thresholds: [] } })
    await means('opencode=0.001,goose=0.001')
    await farebox.stop()
    again = await startFarebox({ clock, dataDir: farebox.dataDir })
    await spendAs(again, 190)
    const day = [100, 50, 80, 95].map((threshold) => `tool opencode ${threshold}`)
    const { admin } = again
    await expect.poll(() => list({ admin }), PATIENCE).toEqual(day)
    const { attention } = await admin.call('overview', {})
    expect(attention).toContainEqual(
      expect.objectContaining({ kind: 'budget_tool_all', subject: 'opencode', page: 'usage' }),
    )
    clock.advance(DAY_MS)
    await spendAs(again, 510)
    await expect.poll(() => list({ admin }), PATIENCE).toEqual([...day, 'tool opencode 50'].toSorted())
  })
})
