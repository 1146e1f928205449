// Answers of three hundred tokens that end early, in every client format and from providers of every dialect that say of each
// piece that it is the first token: whoever ends it, what was delivered is paid for.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runningStream } from '../support/running-usage.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, PAIRS, startFormats, type Dialect } from './formats.ts'
import { soon, usageOf, type Pair } from './support.ts'

const TOKENS = 300
/** One token each. */
const PIECES = Array.from({ length: TOKENS }, () => ' a')
/** What the request of every format comes to by our own count. */
const OWN_INPUT = 8
const ONES = { input: 1, output: 1 }
const CHARGE = (OWN_INPUT + 2 * TOKENS) / 1_000_000

let pair: Pair
let name = ''
let key = ''
let keys = 0

beforeAll(async () => {
  pair = await startFormats({ packages: [{ name: 'little', type: 'topup', credits: 0.0009 }] })
})

beforeEach(() => newKey('plenty'))

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

async function newKey(packageName: string): Promise<void> {
  pair.upstream.forget()
  name = `early ${++keys}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: packageName } }))
}

/** All of the text, and then nothing for ever. */
function silent(dialect: Dialect) {
  const parts = runningStream(dialect, { pieces: PIECES, running: ONES, until: 'none' })
  const never = ': what never comes\n\n'
  return {
    type: 'raw',
    parts: [...parts, never],
    stall: { at: { afterEvent: parts.length - 1 }, ms: Infinity },
  } as const
}

async function record() {
  await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
  return (await usageOf(pair.farebox, name))[0]
}

/** Reads until all of the text was there. */
async function readText(response: Response) {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.split(' a').length <= TOKENS) {
    const read = await reader?.read()
    if (read?.done !== false) throw new Error('the stream has ended before all of its text was there')
    text += decoder.decode(read.value, { stream: true })
  }
}

describe.each(PAIRS)('a stream of %s', (_name, format, dialect) => {
  it('that its client leaves is charged what was delivered', async () => {
    pair.upstream.script(silent(dialect))
    const leaving = new AbortController()
    const members = { model: dialect, stream: true, ...capOf(format.name) }
    await readText(await ask(pair, format, { key, members, signal: leaving.signal }))
    leaving.abort()
    expect(await record()).toMatchObject({
      outcome: 'client_gone',
      usage_source: 'estimated',
      output_tokens: TOKENS,
      charge_credits: CHARGE,
    })
  })

  it('that is stopped because its key was revoked is charged what was delivered', async () => {
    pair.upstream.script(silent(dialect))
    await readText(await ask(pair, format, { key, members: { model: dialect, stream: true, ...capOf(format.name) } }))
    await pair.farebox.admin.call('revokeKey', { id: name })
    expect(await record()).toMatchObject({ outcome: 'cut', usage_source: 'estimated', charge_credits: CHARGE })
  })

  it('that the credits cannot carry any further is charged what was delivered', async () => {
    await newKey('little')
    const parts = runningStream(dialect, {
      pieces: Array.from({ length: 4000 }, () => ' a'.repeat(16)),
      running: ONES,
      until: 'none',
    })
    pair.upstream.script({ type: 'raw', parts })
    const text = await (
      await ask(pair, format, { key, members: { model: dialect, stream: true, ...capOf(format.name) } })
    ).text()
    const found = await record()
    expect(found).toMatchObject({ outcome: 'out_of_credits', usage_source: 'estimated' })
    expect(found?.output_tokens).toBeGreaterThan(TOKENS)
    // A provider that ignores its cap is stopped where no tokenizer makes so few tokens of the text. What ends an answer in the
    // responses format repeats the text.
    const bytes = 2 * (text.split(' a').length - 1)
    if (format.name !== 'responses') expect(bytes).toBeLessThan(128 * ((found?.output_tokens ?? 0) + 1))
  })
})

/** A cap of the client's with room for all of the text. */
function capOf(format: string): object {
  return format === 'responses' ? { max_output_tokens: 1000 } : { max_tokens: 1000 }
}

describe('a target', () => {
  const format = formatNamed('messages')
  const members = { model: 'messages', stream: true, ...capOf('messages') }

  it('that says 0 of what it delivered is known for it, until it says better', async () => {
    const shown = async () => {
      const { targets } = await pair.farebox.admin.call('status', {})
      return targets.find(({ provider }) => provider === 'messages')?.unreported_answers
    }
    const zero = runningStream('messages', { pieces: PIECES, final: { input: 0, output: 0 } })
    for (const wanted of [1, 2]) {
      pair.upstream.script({ type: 'raw', parts: zero })
      await (await ask(pair, format, { key, members })).text()
      expect(await shown()).toBe(wanted)
    }
    expect((await usageOf(pair.farebox, name))[0]).toMatchObject({ usage_source: 'estimated', charge_credits: CHARGE })
    pair.upstream.script({ type: 'answer' })
    await (await ask(pair, format, { key, members })).text()
    expect(await shown()).toBeUndefined()
  })
})

it('tells a client that its answer broke off without waiting long for its charge', async () => {
  // Texts that take long to count keep the one thread busy that counts, for nearly three times as long as the client waits at the least.
  // They are short enough to be read at once.
  const content = Array.from({ length: 345_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join(
    '',
  )
  const members = { model: 'chat-completions', messages: [{ role: 'user', content }] }
  const options = { key, members, path: '/v1/messages/count_tokens' }
  const counts = Array.from({ length: 64 }, async () => (await ask(pair, formatNamed('messages'), options)).text())
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const parts = runningStream('chat-completions', { pieces: PIECES, running: ONES, until: 'none' })
  pair.upstream.script({ type: 'raw', parts })
  const startedMs = performance.now()
  const stream = await ask(pair, formatNamed('chat'), { key, members: { model: 'chat-completions', stream: true } })
  expect(await stream.text()).toContain('"error"')
  const toldMs = performance.now() - startedMs
  expect(toldMs).toBeLessThan(6000)
  expect(await usageOf(pair.farebox, name)).toEqual([])
  await Promise.all(counts)
  await expect.poll(async () => (await usageOf(pair.farebox, name)).length, { timeout: 25_000 }).toBe(1)
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0 })
}, 180_000)

function formatNamed(wanted: string) {
  const found = PAIRS.find(([, format]) => format.name === wanted)?.[1]
  if (found === undefined) throw new Error('there is no such format')
  return found
}
