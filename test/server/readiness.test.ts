import { expect, it } from 'vitest'
import type { FastifyRequest } from 'fastify'
import type { AppendBatch } from '#ledger/journal.ts'
import { WriteMeter } from '#ledger/write-meter.ts'
import { checkScraper } from '#server/watch/probes.ts'
import { Readiness } from '#server/watch/readiness.ts'

const BATCH = { entries: [], usage: [], balances: [] }

function scene() {
  const state = {
    ledger: 'ok' as 'ok' | 'halted' | 'mismatch',
    pausedUntilMs: undefined as number | undefined,
    nowMs: 0,
    memory: { isShort: false },
    open: { isFull: false },
    leases: { isServing: true },
  }
  const writes = new WriteMeter(() => state.nowMs)
  const readiness = new Readiness({
    ledger: {
      get state() {
        return state.ledger
      },
    },
    pause: {
      get untilMs() {
        return state.pausedUntilMs
      },
    },
    writes,
    memory: state.memory,
    open: state.open,
    leases: state.leases,
  })
  return { state, writes, readiness }
}

it('is not ready before it begins and after it ends', () => {
  const { readiness } = scene()
  expect(readiness.problem).toBe('starting')
  readiness.begin()
  expect(readiness.problem).toBeUndefined()
  readiness.end()
  expect(readiness.problem).toBe('draining')
  expect(readiness.isDraining).toBe(true)
})

it('is not ready while nothing can be charged, or an administrator said so', () => {
  const { state, readiness } = scene()
  readiness.begin()
  state.pausedUntilMs = 1
  expect(readiness.problem).toBe('paused')
  state.open.isFull = true
  expect(readiness.problem).toBe('overloaded')
  state.open.isFull = false
  state.memory.isShort = true
  expect(readiness.problem).toBe('overloaded')
  state.leases.isServing = false
  expect(readiness.problem).toBe('fleet')
  for (const ledger of ['halted', 'mismatch'] as const) {
    state.ledger = ledger
    expect(readiness.problem).toBe('ledger')
  }
})

it('is not ready while the disk takes long over a batch, and is again when it has taken it', async () => {
  const { state, writes, readiness } = scene()
  readiness.begin()
  let take = () => undefined as void
  const slow: AppendBatch = () => new Promise((resolve) => (take = resolve))
  const written = writes.measured(slow)(BATCH)
  state.nowMs = 5000
  expect(readiness.problem).toBeUndefined()
  state.nowMs = 5001
  expect(readiness.problem).toBe('writer')
  take()
  await written
  expect(readiness.problem).toBeUndefined()
  expect(writes.seconds.count).toBe(1)
})

it('counts a batch that the disk refuses, and passes the refusal on', async () => {
  const { writes } = scene()
  const refusing = writes.measured(() => Promise.reject(new Error('no room')))
  await expect(refusing(BATCH)).rejects.toThrow('no room')
  expect({ failures: writes.failures, taken: writes.entries.count, age: writes.underWayMs }).toEqual({
    failures: 1,
    taken: 0,
    age: 0,
  })
})

it.each([
  ['127.0.0.1', undefined],
  ['::1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['192.168.1.7', 'not_found'],
  ['fe80::1', 'not_found'],
  ['::ffff:192.168.1.7', 'not_found'],
  [undefined, 'not_found'],
])('shows figures to who holds the token and was connected to %s: %s', (localAddress, code) => {
  const request = {
    method: 'GET',
    url: '/metrics',
    raw: { url: '/metrics' },
    originalUrl: '/metrics',
    socket: { localAddress },
    headers: { authorization: 'Bearer t' },
  } as unknown as FastifyRequest
  const metrics = { token: 't', read: async () => '' }
  expect(checkScraper(request, { metrics })?.code).toBe(code)
})
