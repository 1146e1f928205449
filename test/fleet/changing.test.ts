// Changes of the catalogue and of balances while the line to PostgreSQL breaks: each that is answered is made once, whatever was lost on the way.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Gateways, HOLD, WAIT, type Gateway, type Key } from './gateways.ts'

let gateways: Gateways
let first: Gateway
let second: Gateway

describe('a change while the line breaks', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(2)
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterEach(async () => {
    first.line.set('whole')
    await gateways.expectSound()
  })
  afterAll(() => gateways.close())

  const topUp = ({ id }: Key, reason: string) =>
    first.admin.call('topUpKey', { id, body: { credits: HOLD / 1e6, reason } })
  const expectGranted = async (made: Key, granted: number) => {
    expect(await gateways.accountOf(made.id)).toMatchObject({ granted })
    for (const { admin } of [first, second]) {
      const left = async () => (await admin.call('showKey', { id: made.id })).balance.remaining_credits
      await expect.poll(left, WAIT).toBe(granted / 1e6)
    }
  }

  it('is made once where PostgreSQL had made it', async () => {
    const made = await gateways.newKey(HOLD)
    const isSent = first.line.muteAt('mute as of here')
    const answered = topUp(made, 'mute as of here')
    await isSent
    await expect.poll(() => gateways.accountOf(made.id), WAIT).toMatchObject({ granted: 2 * HOLD })
    first.line.set('whole')
    await answered
    await expectGranted(made, 2 * HOLD)
  })

  it('is made once where PostgreSQL never heard of it', async () => {
    const made = await gateways.newKey(HOLD)
    const isSent = first.line.deafAt('nobody heard')
    const answered = topUp(made, 'nobody heard')
    await isSent
    first.line.set('whole')
    await answered
    await expectGranted(made, 2 * HOLD)
  })

  it('is made where the connection was lost before it was sent', async () => {
    const made = await gateways.newKey(HOLD)
    for (const state of ['cut', 'whole'] as const) first.line.set(state)
    await topUp(made, 'after a cut')
    await expectGranted(made, 2 * HOLD)
  })

  it('is refused where another gateway made one meanwhile', async () => {
    const made = await gateways.newKey(HOLD)
    const isSent = first.line.deafAt('too late')
    const answered = topUp(made, 'too late').then(
      () => 'made',
      ({ status }) => status,
    )
    await isSent
    await second.admin.call('topUpKey', { id: made.id, body: { credits: HOLD / 1e6, reason: 'sooner' } })
    first.line.set('whole')
    expect(await answered).toBe(409)
    await expectGranted(made, 2 * HOLD)
  })
})
