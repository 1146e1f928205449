// What is kept of refused calls: bursts of the same, within bounds, and no words of clients.

import { beforeEach, describe, expect, it } from 'vitest'
import { refuse, type Refusal } from '#core/refusal.ts'
import { belongsTo, keptMessage, type RefusedBurst } from '#core/refused-call.ts'
import { uuidV7Generator, uuidV7Time } from '#core/uuid.ts'
import { RefusedCalls } from '#pipeline/refused-calls.ts'

const BEGIN_MS = Date.parse('2026-11-20T12:00:00Z')
let nowMs = BEGIN_MS
let isFull = false
/** As the table has them: the last of each id. */
let table = new Map<string, RefusedBurst>()
let refused: RefusedCalls
let newId: () => string

beforeEach(() => {
  nowMs = BEGIN_MS
  isFull = false
  table = new Map()
  let made = 0
  newId = uuidV7Generator(
    () => nowMs,
    (bytes) => new DataView(bytes.buffer).setUint32(4, (made += 1)),
  )
  const known = (name: string) => (name === 'gpt-5.5' || name === 'trial' ? ({ id: name } as never) : undefined)
  refused = new RefusedCalls({
    catalog: { model: known, package: known, key: known, provider: known },
    save: (bursts) => {
      if (isFull) return Promise.reject(new Error('full'))
      for (const burst of bursts) table.set(burst.id, burst)
      return Promise.resolve()
    },
  })
})

const LIMITED = refuse('rate_limited', 'Too many requests.', {
  limit: { name: 'requests_per_minute', scope: 'key', resetAt: null },
})

function note(refusal: Refusal = LIMITED, more: { keyId?: string | undefined; model?: string } = {}): string {
  const requestId = newId()
  refused.note({ requestId, keyId: 'k', endpoint: 'chat', model: 'gpt-5.5', refusal, ...more })
  return requestId
}

async function written(): Promise<RefusedBurst[]> {
  await refused.write()
  return [...table.values()]
}

describe('the same refusals', () => {
  it('are one burst, with how often, since when and until when', async () => {
    const ids = Array.from({ length: 28 }, () => {
      nowMs += 1500
      return note()
    })
    expect(await written()).toMatchObject([
      {
        id: ids[0],
        lastId: ids[27],
        keyId: 'k',
        modelId: 'gpt-5.5',
        code: 'rate_limited',
        status: 429,
        message: 'Too many requests.',
        limit: 'requests_per_minute',
        limitScope: 'key',
        count: 28,
        atMs: BEGIN_MS + 1500,
        lastAtMs: BEGIN_MS + 28 * 1500,
      },
    ])
    expect(refused.byCode).toEqual(new Map([['rate_limited', 28]]))
  })

  it('are two bursts with more than a minute between them, and none is lost in between', async () => {
    note()
    note()
    nowMs += 60_001
    note()
    expect((await written()).map(({ count }) => count).toSorted((one, other) => one - other)).toEqual([1, 2])
  })

  it('begin a new burst after an hour', async () => {
    for (let second = 0; second <= 3660; second += 30) {
      nowMs = BEGIN_MS + second * 1000
      note()
    }
    const counts = (await written()).map(({ count }) => count)
    expect(counts).toHaveLength(2)
    expect(counts.reduce((sum, count) => sum + count)).toBe(123)
  })

  it('are told apart by key, model, reason and limit', async () => {
    note()
    note(LIMITED, { keyId: 'other' })
    note(LIMITED, { model: 'trial' })
    note(refuse('credits_exhausted', 'Used up.'))
    note(
      refuse('rate_limited', 'Too many tokens.', { limit: { name: 'tokens_per_minute', scope: 'key', resetAt: null } }),
    )
    expect(await written()).toHaveLength(5)
  })

  it('are found by the id of each of the first, and by the time of later ones', async () => {
    const ids = Array.from({ length: 40 }, () => note())
    const [burst] = await written()
    if (burst === undefined) throw new Error('nothing was written')
    expect(ids.slice(0, 32).map((id) => belongsTo(burst, id))).toEqual(Array.from({ length: 32 }, () => 'surely'))
    expect(belongsTo(burst, ids[39] ?? '')).toBe('surely')
    expect(belongsTo(burst, ids[35] ?? '')).toBe('perhaps')
    expect(belongsTo({ ...burst, count: 32 }, newId())).toBe('no')
  })
})

it('keeps what a full disk did not take, and writes it once there is room', async () => {
  isFull = true
  note()
  expect(await written()).toEqual([])
  isFull = false
  note()
  expect(await written()).toMatchObject([{ count: 2 }])
})

it('counts everything however many kinds there are, in bounded memory', async () => {
  for (let index = 0; index < 5000; index++) note(LIMITED, { keyId: `key-${index}` })
  const bursts = await written()
  expect(bursts.reduce((sum, { count }) => sum + count, 0)).toBe(5000)
  expect(bursts.length).toBeLessThan(1010)
  expect(bursts.find(({ endpoint }) => endpoint === 'other')).toMatchObject({ keyId: undefined, count: 4000 })
})

it('loses nothing in random sequences of refusals, waits, writes and full disks', async () => {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  let noted = 0
  for (let step = 0; step < 20_000; step++) {
    nowMs += Math.floor(random() * 3000)
    const what = random()
    if (what < 0.001) nowMs += 100_000
    else if (what < 0.01) isFull = !isFull
    else if (what < 0.05) await refused.write()
    else {
      note(LIMITED, { keyId: `key-${Math.floor(random() * 1500)}` })
      noted += 1
    }
  }
  isFull = false
  await refused.close()
  const bursts = [...table.values()]
  expect(bursts.reduce((sum, { count }) => sum + count, 0)).toBe(noted)
  for (const { id, lastId, atMs, lastAtMs } of bursts) {
    expect(atMs).toBeLessThanOrEqual(uuidV7Time(id))
    expect(lastAtMs).toBe(uuidV7Time(lastId))
  }
})

describe('what is kept of a sentence', () => {
  const isOwn = (name: string) => name === 'trial' || name === 'gpt-5.5'
  it.each([
    ["Your package 'trial' does not include the model 'gpt-5.5'.", undefined],
    ['The credits of this key are used up.', undefined],
    ["The model 'my secret' does not exist or is not enabled.", "The model '…' does not exist or is not enabled."],
    ["The model 'it's my secret' does not exist.", "The model '…' does not exist."],
    ["'a' must be one of 'trial', 'gpt-5.5'.", "'…'."],
    ["Your package 'trial' lacks 'trial' secret 'trial' secret'.", "Your package '…'."],
  ])('%s', (sentence, kept = sentence) => {
    expect(keptMessage(refuse('model_not_found', sentence), isOwn)).toBe(kept)
  })

  it.each([
    [undefined, 'The request is not valid.'],
    ['messages[3].content[0].type', "The request is not valid at 'messages[3].content[0].type'."],
    ['tools[0].function.parameters.my secret', "The request is not valid at 'tools[0].function.parameters.…'."],
    ["my[se'cret]", "The request is not valid at '…[…]'."],
  ])('of a request that is not valid, at %s', (param, kept) => {
    const refusal = refuse(
      'invalid_request',
      'A tool of type my-secret is not known.',
      param === undefined ? {} : { param },
    )
    expect(keptMessage(refusal, isOwn)).toBe(kept)
  })
})
