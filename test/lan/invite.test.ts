// From an invite to a metered answer, on a machine of its own: a network namespace with a cable to this one.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { InviteCard } from '#contract/invites.ts'
import { postChat } from '../support/chat.ts'
import { connectMachine, type OtherMachine } from '../support/other-machine.ts'
import { PASSWORD } from '../support/password.ts'
import { certificateOf, startLan, type LanFarebox } from './support.ts'

const INVITED = join(import.meta.dirname, 'invited.mjs')
/** Starting a program is what takes long here. */
const LIMIT_MS = 180_000

const probe = connectMachine(16)
probe?.remove()
const isRefused = probe === undefined

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

function machine(number: number): OtherMachine {
  const made = connectMachine(number)
  if (made === undefined) throw new Error('there is no network namespace any more')
  endings.push(() => made.remove())
  return made
}

async function office(): Promise<LanFarebox> {
  const farebox = await startLan()
  endings.push(() => farebox.close())
  await farebox.admin.call('addDemo', {})
  await farebox.admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  return farebox
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'farebox-invited-'))
  endings.push(() => rmSync(made, { recursive: true, force: true }))
  return made
}

type Step = { readonly from: OtherMachine; readonly card: InviteCard; readonly file: string }

async function run(
  step: 'pin' | 'join' | 'accept',
  { from, card, file }: Step,
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    STEP: step,
    LINK: card.link,
    FINGERPRINT: card.fingerprint ?? '',
    FILE: file,
    PASSWORD,
    ...(step === 'pin' ? {} : { NODE_EXTRA_CA_CERTS: file }),
    ...more,
  }
  return JSON.parse(await from.run([process.execPath, INVITED], env)) as Record<string, unknown>
}

/** A key of another member, and a call that it paid for. */
async function anothers(farebox: LanFarebox): Promise<{ ANOTHERS_KEY: string; ANOTHERS_CALL: string }> {
  await farebox.admin.call('addMember', { body: { name: 'noa', password: PASSWORD, packages: ['team'] } })
  const { id, key } = await farebox.admin.call('createKey', { body: { name: 'of noa', package: 'team', owner: 'noa' } })
  await (await postChat({ url: farebox.url, key }, { model: 'demo-chat' })).text()
  const call = (await farebox.admin.call('usage', {})).usage[0]
  return { ANOTHERS_KEY: id, ANOTHERS_CALL: call?.id ?? '' }
}

it.skipIf(isRefused)(
  'a card leads from another machine to a metered streamed answer, with the certificate pinned by its fingerprint',
  async () => {
    const farebox = await office()
    const near = machine(17)
    const [url = ''] = (await farebox.on({ interface: near.interface })).urls
    const more = await anothers(farebox)
    await farebox.admin.call('createInvite', { body: { name: 'tom', packages: ['team'] } })
    const card = await farebox.admin.call('createInvite', { body: { name: 'mia', packages: ['team'] } })
    expect(card.address).toBe(url)
    const step = { from: near, card, file: join(folder(), 'farebox.pem') }
    expect(await run('pin', step)).toEqual({ isSame: true })
    const answer = await run('join', step, more)
    expect(answer).toMatchObject({
      me: { name: 'mia', role: 'member' },
      packageName: 'team',
      source: 'farebox',
      usage: { prompt_tokens: expect.any(Number) as number },
      refused: {
        usedCode: 401,
        invite: 403,
        invites: 403,
        withdraw: 403,
        members: 403,
        providers: 403,
        lan: 403,
        anothersKey: 404,
        revokeAnothers: 404,
        anothersReceipt: 404,
        foreignHost: 403,
        plainHttp: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET|HPE_/) as string,
      },
    })
    // What the member gets to trust is what they have pinned.
    expect(String(answer['certificate']).trim()).toBe(readFileSync(step.file, 'utf8').trim())
    expect(answer['text']).not.toBe('')
    expect(answer['pieces']).toBeGreaterThan(2)
    const [call] = (await farebox.admin.call('usage', {})).usage
    expect(call).toMatchObject({ key: 'mia laptop', model: 'demo-chat', status: 200 })
    const { balance, owner } = await farebox.admin.call('showKey', { id: String(answer['id']) })
    expect(owner).toBe('mia')
    expect(answer['balance']).toMatchObject({ remaining_credits: balance.remaining_credits, total_credits: 50 })
    expect(balance.remaining_credits).toBeLessThan(50)
    expect((await farebox.admin.call('verifyLedger', {})).ok).toBe(true)
    expect((await farebox.admin.call('showKey', { id: more.ANOTHERS_KEY })).status).toBe('active')
  },
  LIMIT_MS,
)

it.skipIf(isRefused)(
  'another certificate is told by its fingerprint, and a code that has ended opens nothing over the LAN either',
  async () => {
    const [farebox, other] = [await office(), await office()]
    const near = machine(18)
    await farebox.on({ interface: near.interface })
    await other.on({ interface: near.interface })
    const card = await farebox.admin.call('createInvite', { body: { name: 'mia' } })
    const places = folder()
    const step = { from: near, card, file: join(places, 'farebox.pem') }
    // Another server answers at the address in the link.
    const { port } = new URL((await other.admin.call('showLan', {})).urls[0] ?? '')
    const link = card.link.replace(/:\d+\//, `:${port}/`)
    expect(await run('pin', { ...step, card: { ...card, link } })).toEqual({ isSame: false })
    expect(existsSync(step.file)).toBe(false)
    const wrong = join(places, 'wrong.pem')
    writeFileSync(wrong, await certificateOf(other))
    expect(await run('accept', { ...step, file: wrong })).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect((await farebox.admin.call('listInvites', {})).map(({ member }) => member)).toEqual(['mia'])
    expect(await run('pin', step)).toEqual({ isSame: true })
    await farebox.admin.call('editMember', { id: 'mia', body: { status: 'suspended' } })
    expect(await run('accept', step)).toEqual({ status: 401 })
    await farebox.admin.call('editMember', { id: 'mia', body: { status: 'active' } })
    expect(await run('accept', step)).toEqual({ status: 401 })
    const again = await farebox.admin.call('createInvite', { body: { name: 'mia' } })
    expect(await run('accept', { ...step, card: again })).toEqual({ status: 200 })
    expect(await run('accept', { ...step, card: again })).toEqual({ status: 401 })
  },
  LIMIT_MS,
)
