// Projects are held to what their calls may be charged, whichever key and member they are made with.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { newKey, startHouse, type House } from './house.ts'
import { expectError, get, post } from './support.ts'

/** What an ordinary answer of the model costs, by its price and the usage of the scripted provider. */
const CHARGE = 0.000039
const MESSAGES = [{ role: 'user', content: 'Hello' }]

let house: House
let key = ''
let project = ''
let projects = 0
let keys = 0

beforeAll(async () => {
  house = await startHouse()
})

beforeEach(async () => {
  house.upstream.forget()
  project = `project-${(projects += 1)}`
  key = await ownKey()
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

const { stringify } = JSON

/** A key that is set to the project, of a member of its own or of nobody. */
async function ownKey(owner?: string): Promise<string> {
  const body = { name: `own ${(keys += 1)}`, package: 'plenty', project, ...(owner !== undefined && { owner }) }
  return (await house.farebox.admin.call('createKey', { body })).key
}

function call(by = key, named = project, members: object = {}): Promise<Response> {
  const body = { model: 'chat-completions', messages: MESSAGES, max_tokens: 100, ...members }
  return post(house.farebox, body, { key: by, headers: { 'x-farebox-project': named } })
}

async function charged(by = key, named = project): Promise<void> {
  const response = await call(by, named)
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
}

const set = (body: object, id = project) => house.farebox.admin.call('setProject', { id, body })
const shown = async () => {
  const all = await house.farebox.admin.call('listProjects', {})
  return all.find(({ name }) => name === project)
}

describe('a project', () => {
  it('counts what its calls cost from the first one on, and what is set of it', async () => {
    await charged()
    const limits = { credits_per_day: 1, credits_per_month: 2 }
    expect(await set(limits)).toMatchObject({ name: project, ...limits, credits_today: CHARGE, held_credits: 0 })
    await charged()
    expect(await shown()).toMatchObject({ credits_today: 2 * CHARGE, credits_this_month: 2 * CHARGE })
    expect(await set({ credits_per_day: null })).toMatchObject({ credits_per_day: null, credits_per_month: 2 })
  })

  it.each(['credits_per_day', 'credits_per_month'])(
    'that has used up its %s refuses, whichever key asks',
    async (name) => {
      await charged()
      await set({ [name]: CHARGE })
      const other = await ownKey()
      for (const by of [key, other]) {
        const limit = { name, scope: 'project', reset_at: expect.any(String) }
        const message = await expectError(await call(by), 402, { limit })
        expect(message).toContain(`of the project '${project}' nothing is left`)
      }
      expect(house.upstream.requests).toHaveLength(1)
      await charged((await newKey(house)).key, `${project}-another`)
      await set({ [name]: null })
      await charged(other)
    },
  )

  it('is never overrun by calls that run side by side, whichever key they are made with', async () => {
    await set({ credits_per_day: 0.0005 })
    const own = [key, await ownKey(), await ownKey()]
    const responses = await Promise.all(Array.from({ length: 24 }, (_, at) => call(own[at % 3] ?? key)))
    await Promise.all(responses.map((response) => response.text()))
    const answered = responses.filter(({ status }) => status === 200).length
    expect(answered).toBeGreaterThan(0)
    const { credits_today: used = 0, held_credits: held } = (await shown()) ?? {}
    expect(Math.round(used * 1e6)).toBe(answered * Math.round(CHARGE * 1e6))
    expect([used <= 0.0005, held]).toEqual([true, 0])
  })

  it('holds a key that is set to it, whatever the client names', async () => {
    await set({ credits_per_day: 0 })
    await expectError(await call(key, 'elsewhere'), 402, { limit: expect.anything() })
    await charged((await newKey(house)).key, 'elsewhere')
  })

  it('with limits is used up by no key that only names it, whose calls are other', async () => {
    const { key: stranger } = await newKey(house)
    await charged(stranger)
    await set({ credits_per_day: 2 * CHARGE })
    const response = await call(stranger)
    await response.text()
    expect(await shown()).toMatchObject({ credits_today: CHARGE, held_credits: 0 })
    const id = response.headers.get('x-request-id')
    const receipt = await get(house.farebox, `/v1/receipts/${id}`, stranger)
    expect(await receipt.json()).toMatchObject({ project: 'other' })
    await set({ credits_per_day: 0 })
    await charged(stranger)
    await expectError(await call(), 402, { limit: expect.anything() })
  })

  it('goes with the limits of a member, of which either refuses', async () => {
    const { admin } = house.farebox
    const member = { name: `${project} member`, packages: 'all' as const, limits: { credits_per_day: 1 } }
    const added = await admin.call('addMember', { body: member })
    const own = await ownKey(added.id)
    await set({ credits_per_day: 1 })
    await charged(own)
    await admin.call('editMember', { id: added.id, body: { limits: { credits_per_day: 0 } } })
    const ofMember = await call(own)
    expect([ofMember.status, await ofMember.text()]).toEqual([402, expect.stringContaining('member')])
    await charged()
    expect(await shown()).toMatchObject({ credits_today: 2 * CHARGE, held_credits: 0 })
  })

  it('is removed with its limits, and refuses names that calls cannot have', async () => {
    await set({ credits_per_day: 0 })
    await house.farebox.admin.call('removeProject', { id: project.toUpperCase() })
    expect(await shown()).toBeUndefined()
    await charged()
    await expect(house.farebox.admin.call('removeProject', { id: project })).rejects.toThrow()
    for (const id of ['two words', ',', 'x'.repeat(65)]) await expect(set({ credits_per_day: 1 }, id)).rejects.toThrow()
    await expect(set({ credits_per_day: 0.0000001 })).rejects.toThrow()
  })

  it('says what one key has, without what a project used', async () => {
    await set({ credits_per_day: 1 })
    expect(stringify(await (await get(house.farebox, '/v1/balance', key)).json())).not.toContain(project)
  })
})
