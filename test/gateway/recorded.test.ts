// What real servers sent (test/fixtures/recorded), through a whole gateway: what it costs, and what a client is told where the
// server refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_DIALECTS, type ClientFormat } from '#dialect/dialects.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { readLeniently } from '../support/lenient-reader.ts'
import { readRecordings, textOf, type Recording } from '../support/recording.ts'
import { startReplay, type Replay } from '../support/replay.ts'
import { ASKING } from '../matrix/answers/all.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { asSent, CLIENTS } from '../matrix/pair.ts'

const RECORDINGS = [...readRecordings()].filter(([, { dialect }]) => dialect !== 'embeddings')
const CALLS = RECORDINGS.flatMap(([file, recording]) =>
  CLIENTS.map((client): [string, ClientFormat, Recording] => [file, client, recording]),
)
const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
/** Micro-credits per token of each class. */
const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }

let farebox: Farebox
let replay: Replay
let key: string

beforeAll(async () => {
  replay = await startReplay()
  farebox = await startFarebox()
  const providers = DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: `${replay.origin}/v1`,
    secret: 'sk-replayed',
  }))
  const models = DIALECTS.map((dialect) => ({
    id: dialect,
    context_window: 100_000,
    max_output_tokens: 4_096,
    price: PRICE,
    targets: [{ provider: dialect, model: 'recorded' }],
  }))
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
  key = await farebox.newKey('plenty')
})

afterAll(async () => {
  await farebox.close()
  await replay.close()
})

describe('an answer of a real server', () => {
  it.each(CALLS.filter(([, , { status }]) => status === 200))(
    'costs what it says: %s for %s',
    async (_, client, recording) => {
      const { status, id } = await call(client, recording)
      expect(status).toBe(200)
      const { usage } = readLeniently(recording.dialect, textOf(recording))
      const receipt = await receiptOf(id)
      if (usage === undefined || usage.output === 0) {
        expect(receipt).toMatchObject({ tokens: { output: { source: 'estimated' } } })
        expect(receipt.charge_credits).toBeGreaterThan(0)
        return
      }
      const { input, cacheRead, cacheWrite, output } = usage
      const hundredths = input * 300 + cacheRead * 30 + cacheWrite * 375 + output * 1500
      expect(Math.round(receipt.charge_credits * 1_000_000)).toBe(Math.ceil(hundredths / 100))
    },
  )
})

/** What the tools of each format wait for before they shorten a conversation. */
const OVERFLOW: Readonly<Record<ClientFormat, RegExp>> = {
  chat: /maximum context length|context_length_exceeded/i,
  messages: /prompt is too long/i,
  responses: /maximum context length|context_length_exceeded/i,
  gemini: /input token count exceeds|input token count \(\d+\) exceeds/i,
}

describe('a refusal of a real server', () => {
  it.each(CALLS.filter(([, , { case: name }]) => name === 'overflow'))(
    'is told in the words that tools wait for, once and at no charge: %s for %s',
    async (_, client, recording) => {
      const { status, text, id } = await call(client, recording)
      // A stream of responses is told inside of the stream, which is where Codex looks.
      if (client !== 'responses' || !recording.stream) expect(status).toBe(400)
      expect(text).toMatch(OVERFLOW[client])
      expect(replay.asked()).toBe(1)
      expect((await receiptOf(id)).charge_credits).toBe(0)
    },
  )
})

async function call(client: ClientFormat, recording: Recording) {
  replay.play(recording)
  const { stream_options: options, ...asking } = ASKING[client] as Record<string, unknown>
  const streamed = options === undefined ? { stream: true } : { stream: true, stream_options: options }
  const body = { ...asking, model: recording.dialect, ...(recording.stream ? streamed : {}) }
  const response = await fetch(farebox.url + pathOf(client, body), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(asSent(client, body).inBody),
  })
  const text = await response.text()
  return { status: response.status, text, id: response.headers.get('x-request-id') ?? '' }
}

function pathOf(client: ClientFormat, body: JsonObject): string {
  const { asked } = asSent(client, body)
  const [path = ''] = CLIENT_DIALECTS[client].paths
  return asked === undefined ? path : `${path}/models/${asked.model}:${asked.method}?alt=sse`
}

async function receiptOf(id: string) {
  const response = await fetch(`${farebox.url}/v1/receipts/${id}`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return (await response.json()) as { readonly charge_credits: number; readonly tokens: object }
}
