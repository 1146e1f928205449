// Reports that a provider is asked for, against the calls of a running gateway.

import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBillProvider, type BillProvider } from '../support/bill-provider.ts'
import { canary, findInBytes, findInFolder } from '../support/canary.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { exported } from '../recompute/exported.ts'
import { manualClock, post } from './support.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const KINDS = ['openai', 'anthropic'] as const

let clock = manualClock('2026-10-01T10:01:00.000Z')
let admin = ''
let provider: BillProvider
let farebox: Farebox
let key = ''

beforeEach(async () => {
  clock = manualClock('2026-10-01T10:01:00.000Z')
  admin = canary()
  provider = await startBillProvider(() => clock.nowMs(), admin)
  farebox = await startFarebox({ clock, env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
  const providers = KINDS.map((preset) => ({
    name: preset,
    preset,
    dialect: 'chat-completions' as const,
    base_url: `${provider.url}/v1`,
    network: 'local' as const,
    secret: 'sk-for-calls-alone',
  }))
  const models = KINDS.map((name) => ({
    id: name,
    context_window: 100_000,
    max_output_tokens: 100,
    price: { input: 1, output: 2 },
    targets: [{ provider: name, model: 'real-chat' }],
  }))
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
  key = await farebox.newKey('plenty')
})

afterEach(async () => {
  await farebox.close()
  await provider.close()
})

async function call(model: string): Promise<void> {
  const response = await post(farebox, { model, messages: [{ role: 'user', content: 'Hello' }] }, { key })
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
}

function check(name: string, more: { readonly account_keys?: string[]; readonly days?: number } = {}) {
  return farebox.admin.call('checkBill', { body: { provider: name, ...more } })
}

async function giveSecret(name: string): Promise<void> {
  await farebox.admin.call('setBillSecret', { id: name, body: { secret: admin } })
}

describe.each(KINDS)('the reports of %s', (name) => {
  it('agree in tokens and in money with what went through Farebox, over several pages', async () => {
    await giveSecret(name)
    for (let calls = 0; calls < 3; calls++) {
      await call(name)
      clock.advance(DAY + HOUR)
    }
    provider.perPage = 7
    const answer = await check(name)
    expect(answer).toMatchObject({ provider: name, tokens: { compared: 3, differing: 0 }, unexplained: 0 })
    expect(answer.money).toMatchObject({ compared: 3, differing: 0 })
    expect(answer.from).toBe('2026-09-27T00:00:00.000Z')
    expect(provider.requests.length).toBeGreaterThan(168 / 7)
  })

  it('say what went through other keys, and leave it out where ours are named', async () => {
    await giveSecret(name)
    await call(name)
    provider.metered.push({ endMs: clock.nowMs(), prompt: 5, completion: 5, key: 'key_of_somebody' })
    clock.advance(5 * HOUR)
    // Only OpenAI counts requests, which prove that somebody else made some.
    const causes = [name === 'openai' ? 'not_through_farebox' : 'unexplained']
    expect(await check(name)).toMatchObject({ tokens: { differing: 1, differences: [{ causes }] } })
    expect(await check(name, { account_keys: ['key_farebox'] })).toMatchObject({ tokens: { differing: 0 } })
    expect(await check(name, { account_keys: ['key_of_somebody'] })).toMatchObject({ tokens: { differing: 1 } })
  })

  it('are not reported yet in hours that come late, and follow numbers that are revised', async () => {
    await giveSecret(name)
    await call(name)
    provider.lateMs = 3 * HOUR
    clock.advance(HOUR)
    const keep = () => {
      // Of two reports of one moment nobody knows which is the later one.
      clock.advance(60_000)
      return farebox.admin.call('checkBill', { body: { provider: name, keep: true } })
    }
    const today = async () => (await farebox.admin.call('listBills', { query: {} })).days[0]
    expect((await keep()).tokens.differences).toMatchObject([{ causes: ['not_reported_yet'] }])
    expect(await today()).toMatchObject({ day: '2026-10-01', state: 'open', unexplained: 0 })
    clock.advance(4 * HOUR)
    expect((await keep()).tokens).toMatchObject({ compared: 1, differing: 0 })
    expect(await today()).toMatchObject({ state: 'agrees' })
    const [counted] = provider.metered
    if (counted === undefined) throw new Error('nothing was metered')
    provider.metered[0] = { ...counted, prompt: counted.prompt + 7 }
    expect((await keep()).tokens.differences).toMatchObject([{ ours: { input: 19 }, theirs: { input: 26 } }])
    expect(await today()).toMatchObject({ state: 'unexplained' })
    provider.metered[0] = counted
    expect((await keep()).tokens).toMatchObject({ differing: 0 })
    expect(await today()).toMatchObject({ state: 'agrees' })
  })

  it('are asked for again where the provider is busy, has a fault or breaks off', async () => {
    await giveSecret(name)
    await call(name)
    clock.advance(5 * HOUR)
    const busy = { status: 429, headers: { 'retry-after': '0' } }
    provider.faults.push(busy, { status: 500 }, 'half')
    expect(await check(name)).toMatchObject({ tokens: { compared: 1, differing: 0 } })
    provider.faults.push(busy, busy, busy, busy)
    await expect(check(name)).rejects.toThrow('The report could not be read. It answers 429.')
    provider.faults.push('half', 'half', 'half', 'half')
    await expect(check(name)).rejects.toThrow('A page of its report is damaged')
  })
})

describe('the secret of an administrator', () => {
  it.each(KINDS)('of %s is tried when it is given, where that is asked for, with one question', async (name) => {
    const give = (secret: string) => farebox.admin.call('setBillSecret', { id: name, body: { secret, try: true } })
    expect(await give(admin)).toMatchObject({ has_secret: true, tried: { problem: null } })
    expect(provider.requests).toHaveLength(1)
    const { tried } = await give('sk-of-calls')
    expect(tried?.problem).toMatch(/It refuses the administrator's secret, .* Keys of administrators begin with sk-/)
    expect(tried?.problem).not.toContain('sk-of-calls')
  })

  it.each(KINDS)('of %s shows with one more question whose keys are in its project', async (name) => {
    const give = async (project: string) => {
      provider.requests.length = 0
      const body = { secret: admin, try: true, project }
      const { tried } = await farebox.admin.call('setBillSecret', { id: name, body })
      expect(provider.requests).toHaveLength(2)
      return tried
    }
    const ours = { id: 'key_farebox', name: 'farebox', hint: 'sk-for...one' }
    const other = { id: 'key_b', name: 'nightly', hint: 'sk-for...two' }
    const hidden = { id: 'key_c', name: 'hidden', hint: '***' }
    const keysOf = (...keys: readonly [key: typeof ours, isOurs: boolean | null][]) => ({
      problem: null,
      project: {
        problem: null,
        keys: keys.map(([{ id, name: of }, is_ours]) => ({ id, name: of, is_ours })),
        has_more: false,
      },
    })
    provider.projects.set('proj_a', [ours]).set('proj_b', [ours, other, hidden]).set('proj_c', [])
    expect(await give('proj_a')).toEqual(keysOf([ours, true]))
    expect(await give('proj_b')).toEqual(keysOf([ours, true], [other, false], [hidden, null]))
    expect(await give('proj_c')).toEqual(keysOf())
    const what = name === 'openai' ? 'project' : 'workspace'
    const problem = `Its ${what} could not be read. It has no ${what} 'proj_d' (404).`
    expect(await give('proj_d')).toEqual({ problem: null, project: { problem, keys: [], has_more: false } })
  })

  it('is not asked for a project where it is not tried', async () => {
    const body = { secret: admin, project: 'proj_a' }
    await expect(farebox.admin.call('setBillSecret', { id: 'openai', body })).rejects.toThrow(
      "'project' goes with 'try'",
    )
    expect(provider.requests).toEqual([])
  })
})

describe('an organisation of ten thousand keys', () => {
  const others = Array.from({ length: 9999 }, (_, index) => `key_${index}`)
  const meter = () => {
    const endMs = clock.nowMs()
    provider.metered.push(...others.map((key) => ({ endMs, prompt: 5, completion: 5, key })))
  }

  it.each(KINDS)('of %s is told apart from ours, whose calls agree to the last token', async (name) => {
    await giveSecret(name)
    await call(name)
    meter()
    clock.advance(5 * HOUR)
    const whole = await check(name)
    const [difference] = whole.tokens.differences
    expect(whole.tokens).toMatchObject({ compared: 1, differing: 1 })
    expect(difference).toMatchObject({ ours: { input: 19 }, theirs: { input: 19 + 9999 * 5 } })
    expect(difference?.causes).toEqual([name === 'openai' ? 'not_through_farebox' : 'unexplained'])
    expect(await check(name, { account_keys: ['key_farebox'] })).toMatchObject({
      tokens: { compared: 1, differing: 0 },
      unexplained: 0,
    })
    expect(provider.requests.at(-1)?.path).toMatch(/cost/)
  })
})

describe('asking a provider', () => {
  it('takes days and a project, which a file does not', async () => {
    await giveSecret('openai')
    provider.perPage = 168
    const ask = (body: object) => farebox.admin.call('checkBill', { body: { provider: 'openai', ...body } })
    await ask({ days: 2, project: 'proj_a' })
    expect(provider.requests.map(({ query }) => query.get('project_ids[]'))).toEqual(['proj_a', 'proj_a', 'proj_a'])
    const from = String(Date.parse('2026-09-29T00:00:00Z') / 1000)
    expect(provider.requests.map(({ query }) => query.get('start_time'))).toEqual([from, from, from])
    await expect(ask({ days: 2, file: '/tmp/a.csv' })).rejects.toThrow("'days' is for asking the provider")
    await expect(ask({ project: 'p', file: '/tmp/a.csv' })).rejects.toThrow("'project' is for asking the provider")
  })
})

describe("an administrator's secret", () => {
  it('is needed, is asked for nowhere else, and is taken away alone', async () => {
    await expect(check('openai')).rejects.toThrow("There is no administrator's secret for")
    expect(provider.requests).toEqual([])
    await giveSecret('openai')
    const origin = provider.url
    expect(await farebox.admin.call('listBillSecrets', {})).toEqual([
      { provider: 'openai', origin, has_secret: true, has_reports: true },
      { provider: 'anthropic', origin, has_secret: false, has_reports: true },
    ])
    await call('openai')
    await farebox.admin.call('removeBillSecret', { id: 'openai' })
    await expect(check('openai')).rejects.toThrow("There is no administrator's secret for")
    await call('openai')
    expect(provider.calls.map(({ authorization }) => authorization)).toEqual(
      Array.from({ length: 2 }, () => 'Bearer sk-for-calls-alone'),
    )
    expect(provider.requests).toEqual([])
  })

  it('does not go along to another origin, nor come back with the old one', async () => {
    await giveSecret('openai')
    const other = await startBillProvider(() => clock.nowMs(), admin)
    const edit = (url: string) => farebox.admin.call('editProvider', { id: 'openai', body: { base_url: `${url}/v1` } })
    await edit(other.url)
    await expect(check('openai')).rejects.toThrow("There is no administrator's secret for")
    await edit(provider.url)
    await expect(check('openai')).rejects.toThrow("There is no administrator's secret for")
    expect([...other.requests, ...provider.requests]).toEqual([])
    await other.close()
  })

  it('is forgotten with its provider', async () => {
    await giveSecret('openai')
    await farebox.admin.call('removeModel', { id: 'openai' })
    await farebox.admin.call('removeProvider', { id: 'openai' })
    const place = { preset: 'openai', base_url: `${provider.url}/v1`, network: 'local' as const }
    await farebox.admin.call('addProvider', { body: { name: 'openai', ...place } })
    await expect(check('openai')).rejects.toThrow("There is no administrator's secret for")
  })

  it('is not taken along by an export of secrets', async () => {
    await giveSecret('openai')
    const body = { file: join(farebox.dataDir, 'secrets'), passphrase: 'four words or more' }
    const { exported: taken } = await farebox.admin.call('exportSecrets', { body })
    expect(taken.toSorted()).toEqual(['anthropic', 'openai'])
    await farebox.admin.call('removeBillSecret', { id: 'openai' })
    await farebox.admin.call('importSecrets', { body })
    expect(await farebox.admin.call('listBillSecrets', {})).toMatchObject([
      { has_secret: false },
      { has_secret: false },
    ])
  })

  it('is refused for a provider without reports, and where no request could carry it', async () => {
    const set = (id: string, secret: string) => farebox.admin.call('setBillSecret', { id, body: { secret } })
    await farebox.admin.call('addProvider', {
      body: { name: 'plain', dialect: 'chat-completions', base_url: provider.url, network: 'local' },
    })
    await expect(set('plain', admin)).rejects.toThrow("Farebox knows no reports of 'plain'")
    await expect(set('nobody', admin)).rejects.toThrow('nobody')
    await expect(set('openai', `${admin}\r\nx-other: 1`)).rejects.toThrow(
      "'secret' must be of visible ASCII characters.",
    )
  })

  it('is nowhere to be found: in answers, logs and files, also where the provider repeats it', async () => {
    await giveSecret('openai')
    await giveSecret('anthropic')
    await call('openai')
    clock.advance(5 * HOUR)
    const texts: string[] = []
    const hear = async (asked: Promise<unknown>) =>
      texts.push(JSON.stringify(await asked.catch((error: unknown) => String(error))))
    const body = JSON.stringify({
      data: [
        {
          start_time: Math.floor(Date.parse('2026-10-01T10:00:00Z') / 1000),
          end_time: Math.floor(Date.parse('2026-10-01T11:00:00Z') / 1000),
          results: [{ model: admin, api_key_id: admin, input_tokens: 1, output_tokens: 1 }],
        },
      ],
      has_more: false,
    })
    for (const name of KINDS) {
      for (const status of [200, 400, 401, 403, 404, 418]) {
        provider.faults.push({ status, body, headers: { 'x-request-id': admin, location: `/${admin}` } })
        await hear(check(name))
        provider.faults.length = 0
      }
      for (const status of [200, 401, 404]) {
        const keys = {
          data: [{ id: admin, name: admin, redacted_value: admin, partial_key_hint: admin }],
          has_more: false,
        }
        provider.faults.push({ status: 200, body: '{"data":[],"has_more":false}' })
        provider.faults.push({ status, body: JSON.stringify(keys), headers: { 'x-request-id': admin } })
        const given = { secret: admin, try: true, project: 'proj_a' }
        await hear(farebox.admin.call('setBillSecret', { id: name, body: given }))
        expect(texts.at(-1)).toContain(status === 200 ? '"keys":[{' : 'could not be read')
        provider.faults.length = 0
      }
      // A kept report has the names of models and keys in it.
      for (let report = name === 'openai' ? 2 : 1; report > 0; report--) provider.faults.push({ status: 200, body })
      await hear(farebox.admin.call('checkBill', { body: { provider: name, keep: true } }))
      expect(texts.at(-1)).toContain('"unexplained":')
      provider.faults.length = 0
    }
    await hear(farebox.admin.call('listBills', { query: {} }))
    await hear(farebox.admin.call('listBillSecrets', {}))
    await hear(farebox.admin.call('listProviders', {}))
    await hear(farebox.admin.call('status', {}))
    await hear(farebox.admin.call('listAudit', { query: {} }))
    await hear(farebox.admin.call('usage', { query: {} }))
    await hear(farebox.admin.call('listLedger', { query: {} }))
    await hear(farebox.admin.call('backUp', { body: { file: join(farebox.dataDir, 'backup.db') } }))
    const ofKey = { headers: { authorization: `Bearer ${key}` } }
    const pages = ['/metrics', '/ready', '/v1/balance', '/v1/models', '/api/bills', '/docs/openapi.json']
    for (const path of pages) await hear(fetch(farebox.url + path, ofKey).then((response) => response.text()))
    texts.push(exported(farebox.dataDir), ...farebox.log)
    expect(findInBytes(Buffer.from(texts.join('\n')), { admin })).toEqual([])
    expect(await findInFolder(farebox.dataDir, { admin })).toEqual([])
    expect(texts.length).toBeGreaterThan(15)
  })
})
