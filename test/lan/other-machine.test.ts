// Members on machines of their own, each in a network namespace with a cable to this one.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readInstance } from '#cli/client.ts'
import { PASSWORD } from '../support/password.ts'
import { connectMachine, type OtherMachine } from '../support/other-machine.ts'
import { certificateOf, startLan, type LanFarebox } from './support.ts'

const MEMBER = join(import.meta.dirname, 'member.mjs')
/** Starting a program is what takes long here. */
const LIMIT_MS = 120_000

const probe = connectMachine(0)
probe?.remove()
const isRefused = probe === undefined

const machines: OtherMachine[] = []
const fareboxes: LanFarebox[] = []
afterEach(async () => {
  for (const machine of machines.splice(0)) machine.remove()
  for (const farebox of fareboxes.splice(0)) await farebox.close()
})

function machine(number: number): OtherMachine {
  const made = connectMachine(number)
  if (made === undefined) throw new Error('there is no network namespace any more')
  machines.push(made)
  return made
}

async function office(): Promise<LanFarebox> {
  const farebox = await startLan()
  fareboxes.push(farebox)
  await farebox.admin.call('addDemo', {})
  await farebox.admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  for (const name of ['mia', 'noa']) {
    await farebox.admin.call('addMember', { body: { name, password: PASSWORD, packages: ['team'] } })
  }
  return farebox
}

type Asking = {
  readonly url: string
  readonly ca: string
  readonly name: string
  readonly more?: Record<string, string>
}

async function askAs(from: OtherMachine, { url, ca, name, more = {} }: Asking): Promise<Record<string, unknown>> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_EXTRA_CA_CERTS: ca,
    FAREBOX_URL: url,
    NAME: name,
    PASSWORD,
    ...more,
  }
  const printed = await from.run([process.execPath, MEMBER], env)
  return JSON.parse(printed) as Record<string, unknown>
}

it.skipIf(isRefused)(
  'a member on another machine makes a key and a metered streamed call over TLS with the certificate pinned',
  async () => {
    const farebox = await office()
    const near = machine(1)
    const [url = ''] = (await farebox.on({ interface: near.interface })).urls
    expect(new URL(url).hostname).toBe(near.ownAddress)
    const ca = join(farebox.dataDir, 'for-members.pem')
    writeFileSync(ca, await certificateOf(farebox))
    const anothers = await farebox.admin.call('createKey', {
      body: { name: 'of noa', package: 'team', owner: 'noa' },
    })
    const more = { ANOTHERS_KEY: anothers.id, OWNER_TOKEN: (await readInstance(farebox.dataDir))?.token ?? '' }
    const answer = await askAs(near, { url, ca, name: 'mia', more })
    expect(answer).toMatchObject({
      usage: { prompt_tokens: expect.any(Number) as number },
      refused: { members: 403, providers: 403, lan: 403, anothersKey: 404, ownerToken: 401 },
    })
    expect(answer['text']).not.toBe('')
    expect(answer['pieces']).toBeGreaterThan(2)
    const [call] = (await farebox.admin.call('usage', {})).usage
    expect(call).toMatchObject({ key: 'mia laptop', model: 'demo-chat', status: 200 })
    const { balance } = await farebox.admin.call('showKey', { id: String(answer['id']) })
    expect(answer['balance']).toMatchObject({ remaining_credits: balance.remaining_credits, total_credits: 50 })
    expect(balance.remaining_credits).toBeLessThan(50)
    expect((await farebox.admin.call('verifyLedger', {})).ok).toBe(true)
  },
  LIMIT_MS,
)

it.skipIf(isRefused)(
  'a member who pinned another certificate sends nothing, and a network that was not chosen reaches nothing',
  async () => {
    const [farebox, other] = [await office(), await office()]
    const [near, elsewhere] = [machine(2), machine(3)]
    const [url = ''] = (await farebox.on({ address: near.ownAddress })).urls
    await other.on({ address: elsewhere.ownAddress })
    const wrong = join(farebox.dataDir, 'wrong.pem')
    writeFileSync(wrong, await certificateOf(other))
    expect(await askAs(near, { url, ca: wrong, name: 'mia' })).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    // The listener of the machine itself is on none of its networks, and the LAN only on the one that was chosen.
    const ca = join(farebox.dataDir, 'right.pem')
    writeFileSync(ca, await certificateOf(farebox))
    const { port } = new URL(url)
    const places = [
      [near, `https://${near.ownAddress}:${new URL(farebox.url).port}`],
      [near, `http://${near.ownAddress}:${new URL(farebox.url).port}`],
      [elsewhere, `https://${elsewhere.ownAddress}:${port}`],
    ] as const
    for (const [from, place] of places) {
      expect(await askAs(from, { url: place, ca, name: 'mia' }), place).toMatchObject({ code: 'ECONNREFUSED' })
    }
    const plain = await askAs(near, { url: url.replace('https:', 'http:'), ca, name: 'mia' })
    expect(plain['code']).toMatch(/ECONNRESET|UND_ERR_SOCKET|HPE_/)
    // Over the right certificate all that was asked for is there.
    expect(await askAs(near, { url, ca, name: 'mia' })).toHaveProperty('balance')
  },
  LIMIT_MS,
)
