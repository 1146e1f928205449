// Every call that is refused leaves a trace and a reason, for whoever may see it, and nothing of what was in it.

import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RefusedView } from '#contract/refused.ts'
import type { PackageCreate } from '#contract/schemas.ts'
import { expectSoundBooks } from './fault-support.ts'
import { chat, get, HELLO, post, startPair, type Pair } from './support.ts'

let pair: Pair

const PACKAGES: readonly PackageCreate[] = [
  { name: 'plenty', type: 'topup', credits: 1000 },
  { name: 'slow', type: 'topup', credits: 1000, limits: { requests_per_minute: 1 } },
  { name: 'poor', type: 'topup', credits: 0 },
  { name: 'narrow', type: 'topup', credits: 1000, models: ['embed'] },
]

beforeAll(async () => {
  pair = await startPair({
    packages: PACKAGES,
    env: { FAREBOX_RATE_LIMIT_WAIT: '0' },
  })
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** The refusals of one key, or of strangers; `by` is the name of the key. */
async function refusedOf(by: string | null): Promise<RefusedView[]> {
  const { refused } = await pair.farebox.admin.call('listRefused', { query: { limit: '1000' } })
  return refused.filter(({ key }) => key === by)
}

async function keyIn(name: string): Promise<{ readonly key: string; readonly name: string }> {
  const own = `${name}-${Math.random().toString(36).slice(2)}`
  const { key } = await pair.farebox.admin.call('createKey', { body: { name: own, package: name } })
  return { key, name: own }
}

const idOf = (response: Response) => response.headers.get('x-request-id') ?? ''

async function told(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } }
  return error.message
}

describe('a call that is refused', () => {
  it.each([
    ['for its rate', 'slow', {}, 429, 'rate_limited'],
    ['for credits', 'poor', {}, 402, 'credits_exhausted'],
    ['for a model that there is not', 'plenty', { model: 'nobody-has-it' }, 404, 'model_not_found'],
    ['for a model that its package lacks', 'narrow', {}, 404, 'model_not_found'],
    ['for a member', 'plenty', { max_tokens: 'many' }, 400, 'invalid_request'],
  ] as const)('%s stands with its reason, and its id leads there', async (_why, where, members, status, code) => {
    const { key, name } = await keyIn(where)
    if (where === 'slow') await (await chat(pair.farebox, key)).text()
    const response = await chat(pair.farebox, key, members)
    expect(response.status).toBe(status)
    const message = await told(response)
    const [row, ...others] = await refusedOf(name)
    expect(others).toEqual([])
    expect(row).toMatchObject({ id: idOf(response), count: 1, status, code, endpoint: 'chat' })
    expect(row?.advice).toMatch(/\S\.$/)
    const why = await pair.farebox.admin.call('why', { id: idOf(response) })
    expect(why).toMatchObject({ says: row?.message, is_certain: true, receipt: null, refused: { id: row?.id } })
    const receipt = await get(pair.farebox, `/v1/receipts/${idOf(response)}`, key)
    expect(receipt.status).toBe(404)
    expect(await told(receipt)).toContain(row?.message)
    // The client's own words are left out of what is kept, and nothing else.
    const kept =
      code === 'invalid_request'
        ? "The request is not valid at 'max_tokens'."
        : message.replace("'nobody-has-it'", "'…'")
    expect(row?.message).toBe(kept)
  })

  it('because its key is blocked, or unknown, is there too', async () => {
    const { key, name } = await keyIn('plenty')
    await pair.farebox.admin.call('suspendKey', { id: name })
    const blocked = await chat(pair.farebox, key)
    expect(blocked.status).toBe(403)
    const before = (await refusedOf(null)).reduce((sum, { count }) => sum + count, 0)
    const ids: string[] = []
    for (let index = 0; index < 3; index++) ids.push(idOf(await chat(pair.farebox, `key_${'x'.repeat(43)}`)))
    await post(pair.farebox, { model: 'chat', messages: HELLO })
    const strangers = await refusedOf(null)
    expect(await refusedOf(name)).toMatchObject([{ code: 'key_not_usable', status: 403, count: 1 }])
    expect(strangers.reduce((sum, { count }) => sum + count, 0)).toBe(before + 4)
    const why = await pair.farebox.admin.call('why', { id: ids[1] ?? '' })
    expect(why.refused).toMatchObject({ code: 'unauthenticated', key: null })
  })

  it('again and again is one row with how often', async () => {
    const { key, name } = await keyIn('poor')
    const ids: string[] = []
    for (let index = 0; index < 28; index++) ids.push(idOf(await chat(pair.farebox, key)))
    expect(await refusedOf(name)).toMatchObject([{ id: ids[0], last_id: ids[27], count: 28 }])
    expect(await pair.farebox.admin.call('why', { id: ids[13] ?? '' })).toMatchObject({ is_certain: true })
  })

  it('is counted in the report and in the figures, beside calls that failed', async () => {
    const { key, name } = await keyIn('poor')
    for (let index = 0; index < 5; index++) await (await chat(pair.farebox, key)).text()
    const report = await pair.farebox.admin.call('usageReport', { query: { key: name, from: '24h' } })
    expect(report).toMatchObject({ refused: 5, totals: { requests: 0, failed: 0 } })
    const filtered = await pair.farebox.admin.call('usageReport', {
      query: { key: name, package: 'poor', from: '24h' },
    })
    expect(filtered.refused).toBeNull()
  })

  it('is not for others to see', async () => {
    const [one, other] = [await keyIn('poor'), await keyIn('poor')]
    const response = await chat(pair.farebox, one.key)
    await response.text()
    const receipt = await get(pair.farebox, `/v1/receipts/${idOf(response)}`, other.key)
    expect(await told(receipt)).toMatch(/^There is no receipt/)
    await expect(pair.farebox.admin.call('why', { id: '00000000-0000-7000-8000-000000000000' })).rejects.toThrow(
      'Nothing is known',
    )
  })
})

it('keeps no words of clients, wherever they stand', async () => {
  const secret = 'cannot-be-kept'
  const { key } = await keyIn('plenty')
  const bodies: (object | string)[] = [
    { model: secret, messages: HELLO },
    { model: `it's ${secret}'s`, messages: HELLO },
    { model: 'chat', messages: [{ role: secret, content: 'x' }] },
    { model: 'chat', messages: HELLO, [secret]: 1, max_tokens: secret },
    { model: 'chat', messages: HELLO, [secret.toUpperCase()]: 1 },
    `{"model":"chat","${secret}":1,"${secret}":2,"messages":[]}`,
    `{"model":"chat","MODEL":"${secret}","messages":[]}`,
    `${secret}`,
  ]
  for (const path of [
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/responses',
    `/v1beta/models/${secret}:generateContent`,
  ]) {
    for (const body of bodies) await (await post(pair.farebox, body, { key, path })).text()
  }
  const { refused } = await pair.farebox.admin.call('listRefused', { query: { limit: '1000' } })
  expect(refused.length).toBeGreaterThan(3)
  expect(JSON.stringify(refused)).not.toContain(secret)
  for (const file of readdirSync(pair.farebox.dataDir)) {
    const bytes = readFileSync(join(pair.farebox.dataDir, file), 'latin1')
    expect(bytes.includes(secret), file).toBe(false)
  }
})

describe('why', () => {
  it('explains a call that was answered, and one that broke off', async () => {
    const { key } = await keyIn('plenty')
    const good = await chat(pair.farebox, key)
    await good.text()
    expect(await pair.farebox.admin.call('why', { id: idOf(good) })).toMatchObject({
      says: 'The call was answered.',
      advice: null,
      refused: null,
      receipt: { outcome: 'answered' },
    })
    pair.upstream.script({ type: 'answer', cut: { at: { byte: 700 }, how: 'reset' } })
    const cut = await chat(pair.farebox, key, { stream: true })
    await cut.text().catch(() => '')
    const why = await pair.farebox.admin.call('why', { id: idOf(cut) })
    expect(why).toMatchObject({ receipt: { outcome: 'cut', status: 200 } })
    expect(why.says).toMatch(/^The answer broke off\. The provider 'upstream' /)
    const failed = await pair.farebox.admin.call('usage', { query: { status: 'failed' } })
    const ways = await pair.farebox.admin.call('usage', { query: { status: 'cut' } })
    const fine = await pair.farebox.admin.call('usage', { query: { status: 'ok' } })
    expect(failed.usage.map(({ id }) => id)).toContain(idOf(cut))
    expect(ways.usage.map(({ outcome }) => outcome)).toEqual(ways.usage.map(() => 'cut'))
    expect(fine.usage.map(({ id }) => id)).not.toContain(idOf(cut))
    const { totals } = await pair.farebox.admin.call('usageReport', { query: { from: '24h' } })
    expect(totals.failed).toBe(failed.usage.length)
  })
})
