// Live events over a real connection whose other side behaves badly, or may not read on.

import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Viewer } from '#core/member.ts'
import { microCredits } from '#core/money.ts'
import { RecordedCalls } from '#ledger/recorded.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import { recordedView } from '#reports/usage-view.ts'
import { LIVE_LIMITS, LiveEvents, type LiveDeps, type ShownCall } from '#server/gateway/live.ts'
import { soon } from '../gateway/support.ts'

const RECORD: UsageRecord = {
  id: 'call',
  keyId: 'key',
  packageId: 'package',
  endpoint: 'chat',
  modelId: 'm'.repeat(200),
  providerId: undefined,
  upstreamModel: 'u'.repeat(200),
  isStream: false,
  outcome: 'answered',
  status: 200,
  inputTokens: 1,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  outputTokens: 1,
  reasoningTokens: undefined,
  usageSource: 'reported',
  priceVersion: 1,
  holdMicro: microCredits(1),
  chargeMicro: microCredits(1),
  isOverrun: false,
  createdAtMs: 1,
  firstByteMs: undefined,
  durationMs: 1,
}

const OWNER: Viewer = { type: 'owner', name: 'owner' }

const NOBODY = { waiting: 0, waitingCalls: () => [] }

let recorded: RecordedCalls
let tellElsewhere: ((calls: readonly ShownCall[]) => void) | undefined
let faults: unknown[]
let live: LiveEvents
let server: Server
let responses: ServerResponse[]
let ends: (() => void)[]
let sockets: Socket[]
/** Who opens a stream. */
let viewer: Viewer

beforeEach(async () => {
  recorded = new RecordedCalls()
  faults = []
  responses = []
  ends = []
  sockets = []
  viewer = OWNER
  live = new LiveEvents({
    recorded,
    elsewhere: {
      listen(listener) {
        tellElsewhere = listener
        return () => (tellElsewhere = undefined)
      },
    },
    // Only what the events read of them.
    catalog: { key: () => ({ name: 'mine' }), provider: () => undefined, keys: [] } as unknown as LiveDeps['catalog'],
    ledger: {
      state: 'ok',
      heldMicro: microCredits(0),
      waiting: 0,
      balance: () => ({ heldMicro: microCredits(0) }),
    } as unknown as LiveDeps['ledger'],
    gate: NOBODY,
    routing: { gate: NOBODY },
    open: { size: 0, count: () => 0 } as unknown as LiveDeps['open'],
    alerts: { listen: () => () => undefined },
    missed: async () => [],
    reportFault: (error) => faults.push(error),
  })
  server = createServer((_request, response) => {
    responses.push(response)
    ends.push(live.open(response, { viewer, requestId: 'id', lastId: undefined }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  live.close()
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  expect(faults).toEqual([])
})

async function reader(): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => undefined)
  const before = responses.length
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await soon(() => responses.length > before)
  return { socket, text: () => text }
}

it(
  'sends a reader away who does not read, and holds no more than a bounded part for it',
  { timeout: 60_000 },
  async () => {
    const slow = await reader()
    slow.socket.pause()
    const quick = await reader()
    const [response] = responses
    let most = 0
    let sent = 0
    // Far more than the buffers of any system take.
    while (response?.destroyed === false && sent < 400_000) {
      recorded.publish(Array.from({ length: 100 }, (_, index) => ({ ...RECORD, id: `call-${(sent += 1)}-${index}` })))
      most = Math.max(most, response.writableLength)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(response?.destroyed).toBe(true)
    expect(most).toBeLessThan(LIVE_LIMITS.bufferedBytes + 200_000)
    recorded.publish([{ ...RECORD, id: 'the-last' }])
    await soon(() => quick.text().includes('the-last') || responses[1]?.destroyed === true)
  },
)

it('makes nothing while nobody listens', async () => {
  const touched = new Proxy(RECORD, {
    get() {
      throw new Error('nobody asked')
    },
  })
  recorded.publish([touched])
  const { socket } = await reader()
  socket.destroy()
  await soon(() => responses[0]?.destroyed)
  await new Promise((resolve) => setImmediate(resolve))
  recorded.publish([touched])
  expect(faults).toEqual([])
})

it('tells of calls of other gateways without an id, which this one would not know again', async () => {
  expect(tellElsewhere).toBeUndefined()
  const { socket, text } = await reader()
  recorded.publish([{ ...RECORD, id: 'own' }])
  const view = recordedView({ ...RECORD, id: 'of-another' }, { key: 'mine', provider: undefined })
  tellElsewhere?.([{ keyId: 'key', view }])
  await soon(() => text().includes('of-another'))
  expect(text()).toMatch(/^id: own$/m)
  expect(text()).not.toMatch(/^id: of-another$/m)
  expect(text()).toContain(`event: usage\ndata: ${JSON.stringify(view)}`)
  socket.destroy()
  await soon(() => tellElsewhere === undefined)
})

it('reports a mistake of ours to the log, and never to the journal that tells of calls', async () => {
  await reader()
  const broken = { ...RECORD, createdAtMs: Number.NaN }
  expect(() => recorded.publish([broken])).not.toThrow()
  expect(faults.splice(0)).toHaveLength(1)
})

it('ends for a visitor who may not read on', async () => {
  const { text } = await reader()
  ends[0]?.()
  // The last piece of an answer of unknown length.
  await soon(() => text().endsWith('0\r\n\r\n'))
  recorded.publish([RECORD])
  expect(text()).not.toContain('event: usage')
  expect(live.refusalFor(OWNER)).toBeUndefined()
})

it('is not all of it for one of those who see only their own', async () => {
  const holder = { type: 'holder', keyId: 'key', keyName: 'mine' } as const
  viewer = holder
  for (let opened = 0; opened < LIVE_LIMITS.streamsOfOne; opened++) {
    expect(live.refusalFor(holder)).toBeUndefined()
    await reader()
  }
  expect(live.refusalFor(holder)).toMatchObject({ code: 'overloaded' })
  expect(live.refusalFor({ ...holder, keyId: 'another' })).toBeUndefined()
  expect(live.refusalFor(OWNER)).toBeUndefined()
  ends[0]?.()
  await soon(() => live.refusalFor(holder) === undefined)
})
