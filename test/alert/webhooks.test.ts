// Webhooks as their receivers see them: signed, at least once under one id, over servers that are slow, dead, lost or wrong.

import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connections } from '#provider/connections.ts'
import { messageSender } from '#app/senders.ts'
import { Deliveries, type DeliveriesOptions } from '#alert/deliveries.ts'
import type { Delivery, Receiver as Destination } from '#core/delivery.ts'
import { chat, startPair, type Pair } from '../gateway/support.ts'
import { HOPS } from '../provider/support.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { flood, garbage, silence, startReceiver, status, type Receiver, type Reply } from './receiver.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }
const HOUR_MS = 3_600_000
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let receiver: Receiver
let connections: Connections
let ends: (() => Promise<unknown>)[]

beforeEach(async () => {
  receiver = await startReceiver()
  const timeLimits = { connectMs: 5000, firstByteMs: 5000, silenceMs: 5000 }
  connections = new Connections({ timeLimits, isOwn: () => false, hops: HOPS })
  ends = []
})

afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  await connections.close()
  await receiver.close()
})

/** A line of webhooks whose clock moves by hand: timers run when it has come to them. */
function openLine(destinations: readonly Destination[], changes: Partial<DeliveriesOptions> = {}) {
  let nowMs = Date.now()
  let count = 0
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>()
  const written: Delivery[] = []
  const webhooks = new Deliveries({
    nowMs: () => nowMs,
    after: (ms, callback) => {
      const timer = { atMs: nowMs + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    newId: () => `${(count += 1)}`,
    secrets: { get: async () => SECRET },
    send: messageSender({ connections }, 'test'),
    sendLetter: async () => ({ status: 250, problem: undefined }),
    write: async (delivery) => void written.push(delivery),
    log: () => undefined,
    loaded: { receivers: destinations, deliveries: [] },
    ...changes,
  })
  const runTimers = () => {
    for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
      timers.delete(timer)
      timer.callback()
    }
  }
  webhooks.begin()
  ends.push(() => webhooks.close())
  return {
    webhooks,
    written,
    tell: (body: string) => webhooks.enqueue(webhooks.deliveriesOf(body)),
    advance(ms: number) {
      nowMs += ms
      runTimers()
    },
    /** Timers are set some turns after what they follow, so that they are looked for again and again. */
    async until(isSo: () => boolean) {
      await expect.poll(() => (runTimers(), isSo()), PATIENCE).toBe(true)
    },
  }
}

function at(url: string, id = 'w1'): Destination {
  return { id, name: id, url, network: 'local', createdAtMs: 0 }
}

describe('a message', () => {
  it('is verified by the library of the convention, and not once it was changed', async () => {
    const line = openLine([at(receiver.url)])
    line.tell('{"a":1}')
    line.advance(0)
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1)
    const [message] = receiver.received
    const headers = message?.headers as Record<string, string>
    const judge = new Webhook(SECRET)
    expect(judge.verify(message?.body ?? '', headers)).toEqual({ a: 1 })
    expect(() => judge.verify('{"a":2}', headers)).toThrow()
    expect(() => judge.verify(message?.body ?? '', { ...headers, 'webhook-id': 'other' })).toThrow()
  })

  it.each<[string, Reply]>([
    ['500', status(500)],
    ['a redirect', status(302, { location: 'http://127.0.0.1:9/' })],
    ['garbage', garbage],
    ['a connection that is cut', (response) => void response.destroy()],
  ])('that meets %s comes again under the same id, and once it is taken no more', async (_, reply) => {
    receiver.script(reply, status(200))
    const line = openLine([at(receiver.url)])
    line.tell('{}')
    line.advance(0)
    await line.until(() => line.written.length === 1)
    expect(line.written[0]).toMatchObject({ state: 'waiting', attempts: 1, problem: expect.any(String) })
    line.advance(5_000)
    await line.until(() => line.written.length === 2)
    expect(line.written[1]).toMatchObject({ state: 'delivered', attempts: 2, status: 200, problem: undefined })
    line.advance(24 * HOUR_MS)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(receiver.received).toHaveLength(2)
  })

  it('does not follow a receiver that sends it elsewhere', async () => {
    const elsewhere = await startReceiver()
    ends.push(() => elsewhere.close())
    const line = openLine([at(receiver.url)])
    for (const [index, code] of [301, 302, 303, 307, 308].entries()) {
      receiver.script(status(code, { location: elsewhere.url }))
      line.tell('{}')
      line.advance(0)
      await line.until(() => line.written.length === index + 1)
      expect(line.written.at(-1)).toMatchObject({ state: 'waiting', status: code })
    }
    expect(receiver.received).toHaveLength(5)
    expect(elsewhere.received).toEqual([])
  })

  it('is given up after ten attempts, and at once where the receiver is gone for good', async () => {
    receiver.script(...Array.from({ length: 10 }, () => status(503)))
    const line = openLine([at(receiver.url)])
    line.tell('{}')
    const pauses = [0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]
    for (const [index, seconds] of pauses.entries()) {
      line.advance(seconds * 1000)
      await line.until(() => line.written.length === index + 1)
    }
    expect(line.written.at(-1)).toMatchObject({ state: 'given-up', attempts: 10, status: 503 })
    receiver.script(status(410))
    line.tell('{}')
    line.advance(0)
    await expect
      .poll(() => line.written.at(-1), PATIENCE)
      .toMatchObject({ state: 'given-up', attempts: 1, status: 410 })
  })

  it('takes no more than some kilobytes of an answer', async () => {
    receiver.script(flood)
    const line = openLine([at(receiver.url)])
    line.tell('{}')
    line.advance(0)
    await line.until(() => line.written.at(-1)?.state === 'delivered')
  })

  it('to one that never answers holds up nobody else', async () => {
    const slow = await startReceiver()
    ends.push(
      () => slow.close(),
      () => connections.close(),
    )
    slow.script(silence)
    const line = openLine([at(slow.url, 'slow'), at(receiver.url, 'quick')])
    line.tell('{}')
    line.advance(0)
    await expect.poll(() => slow.received.length, PATIENCE).toBe(1)
    await expect.poll(() => line.written.map(({ receiverId }) => receiverId), PATIENCE).toEqual(['quick'])
  })

  it('beyond two hundred that wait is given up at once', () => {
    const line = openLine([at('http://127.0.0.1:9/')])
    for (let count = 0; count < 205; count += 1) line.tell('{}')
    expect(line.webhooks.standings()[0]).toMatchObject({ waiting: 200, last: { state: 'given-up' } })
  })

  it('beyond two hundred is given up also where all of them are made together', () => {
    const line = openLine([at('http://127.0.0.1:9/')])
    const together = Array.from({ length: 205 }, (_, before) => line.webhooks.deliveriesOf('{}', before))
    line.webhooks.enqueue(together.flat())
    expect(line.webhooks.standings()[0]).toMatchObject({ waiting: 200, last: { state: 'given-up' } })
  })

  it('waits while its secret cannot be read', async () => {
    let isLocked = true
    const get = async () => {
      if (isLocked) throw new Error('locked')
      return SECRET
    }
    const line = openLine([at(receiver.url)], { secrets: { get } })
    line.tell('{}')
    line.advance(0)
    await line.until(() => line.written.length === 1)
    isLocked = false
    line.advance(5_000)
    await line.until(() => line.written.at(-1)?.state === 'delivered')
  })
})

describe('a webhook of a gateway', () => {
  let pair: Pair
  let again: Farebox | undefined

  beforeEach(async () => {
    pair = await startPair({ packages: [{ name: 'small', type: 'topup', credits: 0.001 }] })
    ends.push(async () => {
      await (again ?? pair.farebox).close()
      again = undefined
      await pair.upstream.close()
    })
  })

  const reach = async (tokens: number) => {
    const key = await pair.farebox.newKey('small')
    pair.upstream.once({ type: 'answer', usage: { prompt_tokens: tokens - 2, completion_tokens: 1 } })
    await (await chat(pair.farebox, key, { max_tokens: 1 })).text()
  }

  it('is told of a threshold without any content, signed with the secret that was shown once', async () => {
    const body = { name: 'ops', url: receiver.url, network: 'local' as const }
    const { secret } = await pair.farebox.admin.call('addWebhook', { body })
    await reach(500)
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1)
    const [message] = receiver.received
    const told = new Webhook(secret).verify(message?.body ?? '', message?.headers as Record<string, string>)
    expect(told).toMatchObject({
      type: 'alert.threshold_reached',
      data: { scope: 'key', threshold: 50, used_credits: 0.0005, total_credits: 0.001, next_reset_at: null },
    })
    expect(message?.body).not.toContain('Hello')
    await expect
      .poll(async () => (await pair.farebox.admin.call('listWebhooks', {}))[0], PATIENCE)
      .toMatchObject({ waiting: 0, last: { state: 'delivered', attempts: 1 } })
    expect(JSON.stringify(await pair.farebox.admin.call('listWebhooks', {}))).not.toContain(secret)
  })

  it('is told after a restart what it was not told before, under the same id', async () => {
    receiver.script(status(500))
    const body = { name: 'ops', url: receiver.url, network: 'local' as const }
    await pair.farebox.admin.call('addWebhook', { body })
    await reach(500)
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1)
    await pair.farebox.stop()
    again = await startFarebox({ dataDir: pair.farebox.dataDir })
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(2)
    expect(receiver.received[0]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id'])
  })

  it.each([
    ['http://127.0.0.1:1/', 'public'],
    ['http://169.254.169.254/latest', 'local'],
    ['https://user:word@hooks.example.com/', 'public'],
    ['ftp://hooks.example.com/', 'public'],
    ['nothing', 'public'],
    ['http://hooks.example.com/', 'public'],
  ] as const)('cannot be at %s (%s)', async (url, network) => {
    const asked = pair.farebox.admin.call('addWebhook', { body: { name: 'ops', url, network } })
    await expect(asked).rejects.toMatchObject({ status: 400 })
    expect(await pair.farebox.admin.call('listWebhooks', {})).toEqual([])
  })

  it('cannot be Farebox itself', async () => {
    const body = { name: 'self', url: `${pair.farebox.url}/v1/models`, network: 'local' as const }
    await pair.farebox.admin.call('addWebhook', { body })
    const tested = await pair.farebox.admin.call('testWebhook', { id: 'self' })
    expect(tested).toMatchObject({ delivered: false, problem: expect.stringContaining('Farebox itself') })
  })

  it('is tested with one message, and says what came of it', async () => {
    const body = { name: 'ops', url: receiver.url, network: 'local' as const }
    const { secret } = await pair.farebox.admin.call('addWebhook', { body })
    expect(await pair.farebox.admin.call('testWebhook', { id: 'ops' })).toEqual({
      delivered: true,
      status: 204,
      problem: null,
    })
    const [message] = receiver.received
    const told = new Webhook(secret).verify(message?.body ?? '', message?.headers as Record<string, string>)
    expect(told).toMatchObject({ type: 'test' })
    receiver.script(status(404))
    expect(await pair.farebox.admin.call('testWebhook', { id: 'ops' })).toMatchObject({ delivered: false, status: 404 })
    await pair.farebox.admin.call('removeWebhook', { id: 'ops' })
    await expect(pair.farebox.admin.call('testWebhook', { id: 'ops' })).rejects.toMatchObject({ status: 404 })
  })
})
