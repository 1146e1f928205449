// A gateway that is killed while a call runs: it comes back and tells what it charged, or it is declared lost and what it left in doubt is settled.

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FleetGateway } from '#contract/fleet.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { BODY, DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'

let gateways: Gateways
let first: Gateway
let other: FareboxProcess
let made: Key

describe('a gateway that was killed in the middle of a call', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(1)
    first = gateways.all[0] as Gateway
  })
  beforeEach(async () => {
    other = await begin(join(await temporaryFolder(), 'data'))
    made = await gateways.newKey(10 * HOLD, 'topup', other)
    gateways.upstream.script(DEAREST)
    gateways.upstream.once({ ...DEAREST, headersAfterMs: 600_000 })
    const running = call(other, made)
    await expect.poll(() => gateways.upstream.requests.length, WAIT).toBe(1)
    other.kill('SIGKILL')
    await Promise.all([other.exited, running])
  })
  afterEach(async () => {
    await endProcesses()
    await gateways.expectSound()
  })
  afterAll(() => gateways.close())

  const begin = (dataDir: string) => startProcess({ dataDir, env: { FAREBOX_DATABASE_URL: gateways.postgres.url } })
  const seen = async (): Promise<FleetGateway | undefined> => {
    const { gateways: all } = await first.admin.call('showFleet', {})
    return all.find(({ place }) => place.endsWith(other.dataDir))
  }
  /** As when the time is over in which a call of it could run. */
  const passTime = () =>
    gateways.postgres.run(`UPDATE farebox.gateway SET free_at = now() - interval '1 s', seen_at = now() - interval '1 h'
      WHERE place LIKE '%${other.dataDir}'`)

  it('keeps its lease, and tells what it charged when it comes back', async () => {
    expect(await seen()).toMatchObject({ is_this: false, doubt_credits: 0, leased_keys: 1 })
    const account = await gateways.accountOf(made.id)
    expect(Number(account?.leased)).toBeGreaterThanOrEqual(HOLD)
    other = await begin(other.dataDir)
    // What ran when it was killed is charged by what was sent, which was nothing of an answer.
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ leased: 0, owed: 0 })
    expect(await call(other, made)).toBe(200)
    expect(await seen()).toMatchObject({ state: 'running', doubt_credits: 0 })
  })

  it('leaves what it had leased in doubt once no call of it can run, and none when it comes back after all', async () => {
    await passTime()
    await expect.poll(seen, WAIT).toMatchObject({ state: 'gone', doubt_keys: 1, leased_credits: 0 })
    for (let index = 0; index < 5; index += 1) expect(await pay(first, made)).toBe(200)
    other = await begin(other.dataDir)
    await expect.poll(seen, WAIT).toMatchObject({ state: 'running', doubt_credits: 0, doubt_keys: 0 })
  })

  it.each([
    ['charged', 10],
    ['free', 0],
  ] as const)('is settled as %s, with an entry in the audit log, and cannot come back', async (as, least) => {
    const id = (await seen())?.id ?? ''
    const early = first.admin.call('settleGateway', { id, body: { as } })
    await expect(early).rejects.toMatchObject({ status: 409, message: expect.stringContaining('may run until') })
    await passTime()
    await expect.poll(seen, WAIT).toMatchObject({ doubt_keys: 1 })
    const { credits } = await first.admin.call('settleGateway', { id, body: { as } })
    expect(credits).toBeGreaterThanOrEqual(HOLD / 1e6)
    const used = as === 'charged' ? Math.round(credits * 1e6) : 0
    expect(used).toBeGreaterThanOrEqual(least)
    expect(await gateways.accountOf(made.id)).toMatchObject({ used, leased: 0, owed: 0 })
    expect(await seen()).toMatchObject({ state: 'lost', doubt_credits: 0 })
    // It is shown as used on the gateways that are left.
    await expect.poll(() => first.balance(made.key), WAIT).toMatchObject({ used_credits: used / 1e6 })
    await expect(first.admin.call('settleGateway', { id, body: { as } })).rejects.toMatchObject({ status: 409 })
    const { entries } = await first.admin.call('listAudit', { query: {} })
    expect(entries.find(({ action, outcome }) => action === 'settleGateway' && outcome === 'done')).toMatchObject({
      subject: id,
      details: { as },
    })
    await expect(begin(other.dataDir)).rejects.toThrow(/declared this gateway lost/)
  })
})

async function call({ url }: FareboxProcess, { key }: Key): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: BODY }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    // It was killed.
    () => undefined,
  )
}
