// Every endpoint that takes forms: the provider gets the same fields and the same bytes of the files in a form of ours, the client the
// provider's own bytes, and the charge is what the provider's report comes to.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { expectError, type Pair } from '../gateway/support.ts'
import { expectedBytes } from '../support/upstream-reply.ts'
import {
  fieldHead,
  fileHead,
  FORM_CALLS,
  FORM_MODELS,
  formOf,
  postRaw,
  rawForm,
  sendForm,
  sentForm,
  SOUND,
  type FormCall,
} from './form-calls.ts'
import { expectCharged, freshKey, startPassed } from './support.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPassed()
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
})

beforeEach(() => pair.upstream.forget())

afterAll(async () => {
  await expectSoundBooks(pair)
  expect(pair.farebox.log).toEqual([])
  await pair.close()
})

async function entriesOf(form: FormData) {
  return Promise.all(
    Array.from(form, async ([name, value]) =>
      typeof value === 'string'
        ? { name, value }
        : { name, fileName: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) },
    ),
  )
}

/** What the provider was sent last. */
async function lastEntries() {
  const sent = pair.upstream.requests.at(-1)
  if (sent === undefined) throw new Error('the provider was sent nothing')
  return entriesOf(await sentForm(sent))
}

describe.each(FORM_CALLS.map((one) => [one.name, one] as const))('%s', (_name, one) => {
  it.each(['whole', 'byte-by-byte', 'inside-characters'] as const)(
    'passes an answer on that comes %s',
    async (chunking) => {
      pair.upstream.script({ ...one.answer, chunking })
      const own = await freshKey(pair)
      const response = await sendForm(pair, one, own.key)
      const text = Buffer.from(await response.arrayBuffer()).toString()
      expect(`${response.status} ${text}`).toBe(`200 ${expectedBytes(one.answer, {}, one.path).toString()}`)
      const expected = { outcome: 'answered', status: 200, charge_credits: one.charge, usage_source: one.source }
      await expectCharged(pair, own, expected)
    },
  )

  it('sends the form on with the name that the provider has for the model', async () => {
    pair.upstream.script(one.answer)
    const { key } = await freshKey(pair)
    await (await sendForm(pair, one, key)).arrayBuffer()
    const [sent] = pair.upstream.requests
    expect(sent?.path).toBe(one.path.startsWith('/v1') ? one.path : `/v1${one.path}`)
    expect(sent?.headers['content-length']).toBe(String(sent?.bytes.length))
    const expected = await entriesOf(formOf({ ...one, model: `real-${one.model}` }))
    expect(await lastEntries()).toEqual(expected)
  })
})

const [bySeconds] = FORM_CALLS as readonly [FormCall]

/** What is held for a form while its provider says nothing. */
async function heldFor(call: FormCall): Promise<number> {
  const { key } = await freshKey(pair)
  pair.upstream.script({ ...call.answer, stall: { at: { byte: 1 }, ms: Infinity } })
  const abort = new AbortController()
  const asked = fetch(pair.farebox.url + call.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: formOf(call),
    signal: abort.signal,
  }).catch(() => undefined)
  const heldNow = async () => Number((await pair.farebox.balance(key))['held_credits'])
  await expect.poll(heldNow).toBeGreaterThan(0)
  const held = await heldNow()
  abort.abort()
  await asked
  await expect.poll(heldNow).toBe(0)
  return held
}

/** A plain WAV file of so many seconds. */
function wav(seconds: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.write('WAVEfmt ', 8)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  return Buffer.concat([head, Buffer.alloc(16_000 * seconds - 44)])
}

describe('what is held', () => {
  it('for a recording is the longest that it can be', async () => {
    // 40,014 bytes at 4 kbit/s are 81 seconds.
    expect(await heldFor(bySeconds)).toBe(0.0081)
  })

  it('for a recording that tells its rate is its length', async () => {
    const file = ['file', wav(3), 'a.wav', 'audio/wav'] as const
    expect(await heldFor({ ...bySeconds, files: [file] })).toBe(0.0003)
  })

  it('for tokens is as many as the longest recording comes to', async () => {
    const held = await heldFor({ ...bySeconds, model: 'scribe' })
    // 81 seconds of 10 tokens each at 6, and as many at 10 credits per million.
    expect(held).toBeGreaterThanOrEqual((810 * 6 + 810 * 10) / 1e6)
    expect(held).toBeLessThan(0.03)
  })
})

describe('a form', () => {
  it('is sent again as a whole where a provider failed before', async () => {
    pair.upstream.once({ type: 'status', status: 500 })
    pair.upstream.script(bySeconds.answer)
    const own = await freshKey(pair)
    expect((await sendForm(pair, bySeconds, own.key)).status).toBe(200)
    const sent = await Promise.all(pair.upstream.requests.map(async (one) => entriesOf(await sentForm(one))))
    expect(sent).toHaveLength(2)
    expect(sent[0]).toEqual(sent[1])
    await expectCharged(pair, own, { charge_credits: bySeconds.charge })
  })

  it('leaves nothing in the data folder', async () => {
    pair.upstream.script(bySeconds.answer)
    const { key } = await freshKey(pair)
    await sendForm(pair, bySeconds, key)
    expect(await readdir(join(pair.farebox.dataDir, 'uploads'))).toEqual([])
  })

  it('with an answer of another kind is no transcription', async () => {
    pair.upstream.script({ type: 'raw', parts: ['<html>'], contentType: 'text/html' })
    const own = await freshKey(pair)
    await expectError(await sendForm(pair, bySeconds, own.key), 502)
    await expectCharged(pair, own, { outcome: 'failed', charge_credits: 0 })
  })

  it('may have lines before its first boundary and behind its last one, and heads that are written otherwise', async () => {
    pair.upstream.script(bySeconds.answer)
    const { key } = await freshKey(pair)
    const body = rawForm(
      ['Content-Disposition:form-data ;filename=a.mp3; NAME=file\r\nContent-Transfer-Encoding: binary', SOUND],
      [`${fieldHead('model')}\r\ncontent-type: text/plain; charset=utf-8`, 'ear'],
    )
    const all = Buffer.concat([Buffer.from('a line\r\n'), body, Buffer.from('and more')])
    expect((await postRaw(pair, all, key)).status).toBe(200)
    expect(await lastEntries()).toEqual([
      { name: 'file', fileName: 'a.mp3', type: 'application/octet-stream', bytes: SOUND },
      { name: 'model', value: 'real-ear' },
    ])
  })

  it('cannot say by a name of a file what its provider reads as another part', async () => {
    pair.upstream.script(bySeconds.answer)
    const { key } = await freshKey(pair)
    const name = 'a"; name="model\\".mp3'
    const file = ['file', SOUND, name, 'audio/mpeg'] as const
    expect((await sendForm(pair, { ...bySeconds, files: [file] }, key)).status).toBe(200)
    const entries = await lastEntries()
    expect(entries).toContainEqual({ name: 'file', fileName: name, type: 'audio/mpeg', bytes: SOUND })
    expect(entries.filter((entry) => entry.name === 'model')).toEqual([{ name: 'model', value: 'real-ear' }])
  })
})

it('the parts of a form may come in any order', async () => {
  pair.upstream.script(bySeconds.answer)
  const { key } = await freshKey(pair)
  const body = rawForm([fieldHead('model'), 'ear'], [fileHead(), SOUND])
  expect((await postRaw(pair, body, key)).status).toBe(200)
})
