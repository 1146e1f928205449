// A provider's stream that breaks off after each of its bytes: what was delivered is charged, never nothing for something, and
// never more than the whole answer would have cost.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, startHouse, type House, type Route } from './house.ts'
import { isLong } from '../support/cases.ts'

const PIECES = ['Delivered words ', 'are paid.']
/** How many broken calls run at a time. */
const AT_ONCE = 16

let house: House

beforeAll(async () => {
  // One attempt each: an answer that breaks off before it began would only be asked for again.
  house = await startHouse({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

/** One in every byte; the others in every third unless all tests run. */
const ROUTES: readonly (readonly [Route, step: number])[] = [
  [['chat', 'chat-completions'], 1],
  [['messages', 'messages'], isLong ? 1 : 3],
  [['responses', 'responses'], isLong ? 1 : 3],
  [['messages', 'chat-completions'], isLong ? 1 : 3],
]

/** The texts that a stream of any format has brought. */
function deliveredText(stream: string): string {
  const deltas = /"(?:content|text|delta)":"((?:[^"\\]|\\.)*)"/g
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line.includes('"delta"'))
    .flatMap((line) => [...line.matchAll(deltas)].map((match) => match[1] ?? ''))
    .join('')
}

const CASES = ROUTES.map(
  ([route, step]) => [route.join(' from '), step === 1 ? 'byte' : 'third byte', route, step] as const,
)

describe.each(CASES)('a stream for %s', (_name, which, route, step) => {
  it(`that breaks off after each ${which} is charged for what was delivered`, { timeout: 120_000 }, async () => {
    house.upstream.forget()
    house.upstream.script({ type: 'answer', pieces: PIECES })
    const { key, name } = await newKey(house)
    const whole = await (await ask(house, route, { key, members: { stream: true } })).text()
    expect(deliveredText(whole)).toBe(PIECES.join(''))
    const length = await upstreamLength()
    const delivered = new Map<string, string>()
    const places = Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step)
    for (let first = 0; first < places.length; first += AT_ONCE) {
      const bytes = places.slice(first, first + AT_ONCE)
      for (const { id, text } of await Promise.all(bytes.map((byte) => breakAt(route, key, byte)))) {
        delivered.set(id, text)
      }
    }
    const records = await allUsage(name)
    expect(records).toHaveLength(places.length + 1)
    const most = records.at(-1)?.charge_credits ?? 0
    const outcomes = new Set<string>()
    for (const record of records.slice(0, -1)) {
      const text = delivered.get(record.id) ?? ''
      outcomes.add(record.outcome)
      expect(record.charge_credits).toBeLessThanOrEqual(most)
      if (record.status !== 200) expect([text, record.charge_credits]).toEqual(['', 0])
      if (text === '') continue
      expect(record.output_tokens).toBeGreaterThan(0)
      // One credit per million input tokens: more than that is for the output.
      expect(record.charge_credits).toBeGreaterThan((record.input_tokens ?? 0) / 1_000_000)
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['failed', 'cut']))
  })
})

/** How many bytes the provider sends for the request that it was sent last. */
async function upstreamLength(): Promise<number> {
  const [request] = house.upstream.requests
  const headers = { 'content-type': 'application/json' }
  const url = new URL(request?.path ?? '', house.upstream.url)
  const answer = await fetch(url, { method: 'POST', headers, body: request?.text ?? '' })
  return (await answer.arrayBuffer()).byteLength
}

async function breakAt(
  route: Route,
  key: string,
  byte: number,
): Promise<{ readonly id: string; readonly text: string }> {
  house.upstream.once({ type: 'answer', pieces: PIECES, cut: { at: { byte }, how: 'close' } })
  const response = await ask(house, route, { key, members: { stream: true } })
  const text = await response.text()
  return { id: response.headers.get('x-request-id') ?? '', text: response.status === 200 ? deliveredText(text) : '' }
}

/** Every record of a key, newest first. */
async function allUsage(key: string): Promise<UsageView[]> {
  const records: UsageView[] = []
  for (let before: string | undefined; ;) {
    const page: { limit: string; key: string; before?: string } = { limit: '1000', key }
    const { usage, next } = await house.farebox.admin.call('usage', {
      query: before === undefined ? page : { ...page, before },
    })
    records.push(...usage)
    if (next === null) return records
    before = next
  }
}
