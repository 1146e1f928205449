// Three gateways that share days and months exactly, whichever of them calls come to.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { post } from '../gateway/support.ts'
import { BODY, DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { expectSoundBudgets, expectSoundCommits, watchCommits } from './support.ts'

const EXACT = { FAREBOX_SHARED_LIMITS: 'exact' }
const DAY = { credits_per_day: (10 * HOLD) / 1e6 }
const RICH = 10_000 * HOLD

let gateways: Gateways

describe('three gateways that share days and months exactly', () => {
  let members = 0
  beforeAll(async () => {
    gateways = await Gateways.begin(3, { env: EXACT })
    await watchCommits(gateways.postgres)
  })
  afterEach(async () => {
    await gateways.expectSound()
    await expectSoundBudgets(gateways.postgres)
  })
  afterAll(async () => {
    await expectSoundCommits(gateways.postgres)
    await gateways.close()
  })

  const nth = (index: number) => gateways.all[index % 3] as Gateway
  const admin = () => nth(0).admin
  const budget = async (id: string) => {
    const sql = `SELECT * FROM farebox.budget WHERE id LIKE '% ${id}' ORDER BY started DESC`
    return (await gateways.postgres.query(sql))[0]
  }
  const charged = async (id: string) => {
    const found = await budget(id)
    return Number(found?.used) + Number(found?.owed)
  }

  /** A member with a day, and a key of it with a balance of its own. */
  async function newMember(limits = DAY, balance = RICH): Promise<{ member: string; key: Key }> {
    members += 1
    const name = `member ${members}`
    const { id: member } = await admin().call('addMember', { body: { name, packages: 'all', limits } })
    await admin().call('addPackage', { body: { name, type: 'topup', credits: balance / 1e6 } })
    const key = await admin().call('createKey', { body: { name, package: name, owner: name } })
    await everywhere()
    return { member, key }
  }
  /** Resolves when all know what was changed before. */
  const everywhere = () => gateways.newKey(HOLD)

  async function statuses(calls: readonly Gateway[], { key }: Key): Promise<number[]> {
    const answers = await Promise.all(calls.map((gateway) => post(gateway, BODY, { key })))
    await Promise.all(answers.map((answer) => answer.text()))
    return answers.map(({ status }) => status)
  }
  const paid = (all: readonly number[]) => all.filter((status) => status === 200).length
  const spread = (count: number) => Array.from({ length: count }, (_, index) => nth(index))

  it("answer no more of 300 calls at once than a member's day carries", async () => {
    gateways.upstream.script(DEAREST)
    const { member, key } = await newMember()
    const all = await statuses(spread(300), key)
    expect(paid(all)).toBe(10)
    expect(new Set(all)).toEqual(new Set([200, 402]))
    await expect.poll(() => budget(member), WAIT).toMatchObject({ used: 10 * HOLD, leased: 0, free: 0, owed: 0 })
  })

  it('let all of it be used by calls to one of them, and show it on all', async () => {
    gateways.upstream.script(DEAREST)
    const { member, key } = await newMember()
    expect(
      paid(
        await statuses(
          Array.from({ length: 14 }, () => nth(1)),
          key,
        ),
      ),
    ).toBe(10)
    const refused = await post(nth(2), BODY, key)
    expect(refused.status).toBe(402)
    expect(await refused.text()).toContain("for all keys of this key's member nothing is left")
    const usedOn = async (gateway: Gateway) => {
      const shown = await gateway.admin.call('listMembers', {})
      return shown.find(({ id }) => id === member)?.credits_today
    }
    await expect.poll(() => usedOn(nth(2)), WAIT).toBe((10 * HOLD) / 1e6)
  })

  it('hold to another limit from when it is set, also with leases out', async () => {
    gateways.upstream.script(DEAREST)
    const { member, key } = await newMember()
    expect(paid(await statuses(spread(3), key))).toBe(3)
    await admin().call('editMember', { id: member, body: { limits: { credits_per_day: (5 * HOLD) / 1e6 } } })
    await everywhere()
    expect(paid(await statuses(spread(9), key))).toBe(2)
    await admin().call('editMember', { id: member, body: { limits: { credits_per_day: (9 * HOLD) / 1e6 } } })
    await everywhere()
    expect(paid(await statuses(spread(9), key))).toBe(4)
    await admin().call('editMember', { id: member, body: { limits: {} } })
    await everywhere()
    expect(paid(await statuses(spread(4), key))).toBe(4)
    // What was used without a limit counts.
    await expect.poll(() => charged(member), WAIT).toBe(13 * HOLD)
    await admin().call('editMember', { id: member, body: { limits: { credits_per_day: (15 * HOLD) / 1e6 } } })
    await everywhere()
    expect(paid(await statuses(spread(6), key))).toBe(2)
  })

  it('hold to the day and the month of a project, and refuse by what is used up first', async () => {
    gateways.upstream.script(DEAREST)
    const limits = { credits_per_day: (6 * HOLD) / 1e6, credits_per_month: (4 * HOLD) / 1e6 }
    await admin().call('setProject', { id: 'apollo', body: limits })
    const { key } = await newMember(DAY, 100 * HOLD)
    await admin().call('editKey', { id: key.id, body: { project: 'apollo' } })
    await everywhere()
    expect(paid(await statuses(spread(12), key))).toBe(4)
    const refused = await post(nth(0), BODY, key)
    expect(await refused.text()).toContain("credits a month of the project 'apollo' nothing is left")
    await admin().call('setProject', { id: 'apollo', body: { credits_per_month: (40 * HOLD) / 1e6 } })
    await everywhere()
    expect(paid(await statuses(spread(12), key))).toBe(2)
    expect(await (await post(nth(1), BODY, key)).text()).toContain(
      "credits a day of the project 'apollo' nothing is left",
    )
    await admin().call('setProject', { id: 'apollo', body: { credits_per_day: null } })
    await everywhere()
    // What is left of the member's ten.
    expect(paid(await statuses(spread(12), key))).toBe(4)
    const small = await newMember(DAY, 3 * HOLD)
    expect(paid(await statuses(spread(9), small.key))).toBe(3)
    await expect.poll(() => gateways.accountOf(small.key.id), WAIT).toMatchObject({ used: 3 * HOLD, free: 0, owed: 0 })
    // What a call took of its member's day for nothing is given back.
    await expect.poll(() => budget(small.member), WAIT).toMatchObject({ used: 3 * HOLD, leased: 0, free: 7 * HOLD })
  })

  it('give a call no lease while PostgreSQL is gone, and go on when it is back', async () => {
    gateways.upstream.script(DEAREST)
    const { member, key } = await newMember()
    expect(await statuses([nth(0)], key)).toEqual([200])
    await gateways.postgres.stop()
    expect(await statuses([nth(1)], key)).toEqual([503])
    await gateways.postgres.start()
    await expect.poll(() => pay(nth(1), key), WAIT).toBe(200)
    expect(paid(await statuses(spread(12), key))).toBe(8)
    await expect.poll(() => budget(member), WAIT).toMatchObject({ used: 10 * HOLD, leased: 0, owed: 0 })
  })

  it('hold to parts as well while one of them does', async () => {
    gateways.upstream.script(DEAREST)
    const { member, key } = await newMember({ credits_per_day: (8 * HOLD) / 1e6 })
    const other = await gateways.join()
    await everywhere()
    await gateways.expectHeard()
    const four = [0, 1, 2, 3].flatMap((index) => Array.from({ length: 5 }, () => gateways.all[index] as Gateway))
    const all = await statuses(four, key)
    expect([0, 5, 10, 15].map((from) => paid(all.slice(from, from + 5)))).toEqual([2, 2, 2, 2])
    // Once it does as they do, what it charged before counts, and nothing is divided any more.
    const { dataDir } = other
    await gateways.end(other)
    const again = await gateways.join({ dataDir, env: EXACT })
    await expect.poll(() => budget(member), WAIT).toMatchObject({ used: 8 * HOLD })
    await admin().call('editMember', { id: member, body: { limits: { credits_per_day: (12 * HOLD) / 1e6 } } })
    await everywhere()
    await gateways.expectHeard()
    expect(
      paid(
        await statuses(
          Array.from({ length: 6 }, () => again),
          key,
        ),
      ),
    ).toBe(4)
    await gateways.end(again)
  })
})
