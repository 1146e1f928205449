// Gateways that keep the secrets of providers in their PostgreSQL, sealed with a key that only they have.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Gateways, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { isLong } from '../support/cases.ts'

const SECRET = 'sk-canary-3e9a17c4-0001'
const LATER = 'sk-canary-3e9a17c4-0002'
const ADMINISTRATOR = 'sk-admin-3e9a17c4'

/** A second, where these tests do not share a processor with much else: the calls by which it is seen take longer then. */
const WITHIN_MS = isLong ? 1000 : 5000

let folder: string
let gateways: Gateways
let first: Gateway
let second: Gateway
let key: Key

async function keyFile(name: string, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, randomBytes(32), { mode })
  return path
}

const envOf = (file: string, old?: string) => ({
  FAREBOX_SECRETS: 'database',
  FAREBOX_VAULT_KEY_FILE: file,
  ...(old !== undefined && { FAREBOX_VAULT_OLD_KEY_FILE: old }),
})

/** What the provider was shown by a call over a gateway. */
async function shownBy(gateway: Gateway): Promise<unknown> {
  gateways.upstream.forget()
  await pay(gateway, key)
  return gateways.upstream.requests.at(-1)?.headers.authorization
}

/** Resolves to how long it took until a call over a gateway shows the provider this, in milliseconds. */
async function takenUpBy(gateway: Gateway, secret: string): Promise<number> {
  const beganMs = performance.now()
  await expect.poll(() => shownBy(gateway), { ...WAIT, interval: 20 }).toBe(`Bearer ${secret}`)
  return performance.now() - beganMs
}

const setSecret = ({ admin }: Gateway, secret: string) =>
  admin.call('setProviderSecret', { id: 'upstream', body: { secret } })

const hasBillSecret = async ({ admin }: Gateway) => (await admin.call('listBillSecrets', {}))[0]?.has_secret

describe('secrets in the shared database', () => {
  let present: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-keys-'))
    present = await keyFile('first')
    gateways = await Gateways.begin(2, { env: envOf(present) })
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterEach(() => gateways.expectSound())
  afterAll(async () => {
    await gateways.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('are used by another gateway within a second after they are set, also in the place of one', async () => {
    key = await gateways.newKey(1e9)
    expect(await shownBy(second)).toBeUndefined()
    await setSecret(first, SECRET)
    expect(await takenUpBy(second, SECRET)).toBeLessThan(WITHIN_MS)
    await setSecret(second, LATER)
    expect(await takenUpBy(first, LATER)).toBeLessThan(WITHIN_MS)
    expect((await second.admin.call('listProviders', {}))[0]).toMatchObject({ secret_state: 'stored' })
  })

  it('are gone on another gateway within a second after they are removed: of several, and of administrators', async () => {
    const place = { preset: 'openrouter', base_url: `${gateways.upstream.url}/api/v1` }
    const body = { name: 'openrouter', dialect: 'chat-completions' as const, ...place, secret: SECRET }
    await first.admin.call('addProvider', { body })
    await first.admin.call('setBillSecret', { id: 'openrouter', body: { secret: ADMINISTRATOR } })
    await expect.poll(() => hasBillSecret(second), WAIT).toBe(true)
    const beganMs = performance.now()
    await first.admin.call('removeBillSecret', { id: 'openrouter' })
    await expect.poll(() => hasBillSecret(second), { ...WAIT, interval: 20 }).toBe(false)
    expect(performance.now() - beganMs).toBeLessThan(WITHIN_MS)

    await first.admin.call('addProviderSecret', { id: 'upstream', body: { label: 'more', secret: SECRET } })
    const shown = new Set<unknown>()
    await expect
      .poll(async () => shown.add(await shownBy(second)), { ...WAIT, interval: 5 })
      .toEqual(new Set([`Bearer ${SECRET}`, `Bearer ${LATER}`]))
    await first.admin.call('removeProviderSecret', { id: 'upstream', query: { label: 'first' } })
    // Both are taken in turn until then.
    const shownByTen = async () => {
      const ten = new Set<unknown>()
      for (let call = 0; call < 10; call += 1) ten.add(await shownBy(second))
      return ten
    }
    const removedMs = performance.now()
    await expect.poll(shownByTen, { ...WAIT, interval: 20 }).toEqual(new Set([`Bearer ${SECRET}`]))
    expect(performance.now() - removedMs).toBeLessThan(WITHIN_MS)
    expect(await shownByTen()).toEqual(new Set([`Bearer ${SECRET}`]))
  })

  it('are nowhere to be read: not in tables, in what the server was asked, or in what gateways log', async () => {
    await setSecret(first, LATER)
    const asked = "SELECT query FROM pg_stat_activity WHERE application_name = 'farebox'"
    const tables = ['secret', 'change', 'gateway', 'state'].map((name) => `SELECT to_jsonb(t) FROM farebox.${name} t`)
    const all: string[] = [...first.log, ...second.log]
    for (const sql of [asked, ...tables]) all.push(JSON.stringify(await gateways.postgres.query(sql)))
    const text = all.join('\n')
    // Whatever a connection asked last is there, without what it was asked with.
    expect(text).toMatch(/farebox\.\w+\(\$1,\$2/)
    for (const secret of [SECRET, LATER, ADMINISTRATOR]) {
      const forms = [secret, Buffer.from(secret).toString('base64').slice(0, 20), Buffer.from(secret).toString('hex')]
      for (const form of forms) expect(text).not.toContain(form)
    }
  })

  it('are refused to a gateway with another key, without one, and with one that others may read', async () => {
    const join_ = (env: Readonly<Record<string, string>>) => gateways.join({ env })
    await expect(join_(envOf(await keyFile('another')))).rejects.toThrow(/opens none of the secrets/)
    await expect(join_(envOf(join(folder, 'none')))).rejects.toThrow(/is missing/)
    await expect(join_(envOf(await keyFile('open', 0o644)))).rejects.toThrow(/Others may read the key file/)
    await expect(join_({ FAREBOX_SECRETS: 'database' })).rejects.toThrow(/FAREBOX_VAULT_KEY_FILE/)
    // None of them is left behind as one that others wait for.
    const running = await gateways.postgres.query('SELECT id FROM farebox.gateway WHERE ended_at IS NULL')
    expect(running).toHaveLength(2)
  })

  it('do not come back when an earlier row is put back, and no row opens in another place', async () => {
    await setSecret(first, SECRET)
    await takenUpBy(second, SECRET)
    await gateways.postgres.run('CREATE TABLE public.stolen AS SELECT * FROM farebox.secret')
    await setSecret(first, LATER)
    await takenUpBy(second, LATER)
    const replay = `UPDATE farebox.secret s SET revision = o.revision, sealed = o.sealed, changed = n.secret_seq
      FROM public.stolen o, farebox.state n WHERE o.owner = s.owner AND o.origin = s.origin AND o.label = s.label`
    const bump = 'UPDATE farebox.state SET secret_seq = secret_seq + 1'
    await gateways.postgres.run(`BEGIN; ${bump}; ${replay}; NOTIFY farebox, 'secret somebody'; COMMIT`)
    const revision = async () =>
      (await gateways.postgres.query('SELECT max(revision) AS at FROM farebox.secret'))[0]?.at
    const [{ at: stolen } = {}] = await gateways.postgres.query('SELECT max(revision) AS at FROM public.stolen')
    // The gateways put the later one there again.
    await expect.poll(revision, WAIT).toBeGreaterThan(Number(stolen))
    for (const gateway of [first, second]) expect(await shownBy(gateway)).toBe(`Bearer ${LATER}`)
    expect(first.log.join('\n') + second.log.join('\n')).toMatch(/was not taken/)
  })

  it('move to another key while both are read, and from there the old one opens nothing', async () => {
    const next = await keyFile('next')
    await gateways.end(second)
    second = await gateways.join({ dataDir: second.dataDir, env: envOf(next, present) })
    await expect(second.admin.call('resealSecrets', {})).rejects.toMatchObject({ status: 503 })
    await gateways.end(first)
    first = await gateways.join({ dataDir: first.dataDir, env: envOf(next, present) })
    expect(await shownBy(first)).toBe(`Bearer ${LATER}`)
    const { resealed, unreadable } = await second.admin.call('resealSecrets', {})
    expect([resealed > 0, unreadable]).toEqual([true, 0])
    expect(await gateways.postgres.query('SELECT DISTINCT key_id FROM farebox.secret')).toHaveLength(1)
    await expect(gateways.join({ env: envOf(present) })).rejects.toThrow(/opens none of the secrets/)
    await gateways.end(second)
    second = await gateways.join({ dataDir: second.dataDir, env: envOf(next) })
    expect(await shownBy(second)).toBe(`Bearer ${LATER}`)
    present = next
  })

  it('go to the vault of a gateway that is to leave, and from there into the database', async () => {
    const inVault = { ...envOf(present), FAREBOX_SECRETS: 'vault' }
    await gateways.end(second)
    second = await gateways.join({ dataDir: second.dataDir, env: inVault })
    expect((await second.admin.call('moveSecrets', {})).moved).toContain('upstream (more)')
    expect(await shownBy(second)).toBe(`Bearer ${LATER}`)
    // The others go on with it.
    expect((await first.admin.call('listProviders', {}))[0]).toMatchObject({ secret_state: 'stored' })
    await setSecret(second, SECRET)
    expect([await shownBy(first), await shownBy(second)]).toEqual([`Bearer ${LATER}`, `Bearer ${SECRET}`])
    const place = { dialect: 'chat-completions' as const, base_url: `${gateways.upstream.url}/v2` }
    await second.admin.call('addProvider', { body: { name: 'new', ...place, secret: SECRET } })
    await gateways.end(second)
    second = await gateways.join({ dataDir: second.dataDir, env: envOf(present) })
    const stateAtFirst = async () =>
      (await first.admin.call('listProviders', {})).find(({ name }) => name === 'new')?.secret_state
    expect(await stateAtFirst()).toBe('missing')
    expect((await second.admin.call('moveSecrets', {})).moved).toEqual(['new'])
    await expect.poll(stateAtFirst, WAIT).toBe('stored')
  })
})
