// A provider that thinks for longer than clients like to wait, in the middle of its answer. Farebox shows its client that the
// stream is alive, in the way of the client's format; no SDK may take that for a part of the answer. All calls wait at once.

import { streamText } from 'ai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { saying } from '../support/openai.ts'
import { buildReply } from '../support/upstream-reply.ts'
import { DIALECTS, newClients, PIECES, startPairs, type Clients, type Dialect, type Pairs } from './pairs.ts'

/** A little more than the 15 seconds, looked at every second, after which a client hears of it. */
const SILENCE_MS = 16_500
const TIMEOUT_MS = 30_000

let pairs: Pairs
let clients: Clients

beforeAll(async () => {
  pairs = await startPairs()
  clients = await newClients(pairs)
  pairs.upstream.script((request) => {
    const answer = { type: 'answer', pieces: PIECES } as const
    const { parts, isStream } = buildReply(answer, request)
    // Behind the second piece of the text, where one event has ended and the next has not begun.
    const at = { byte: Buffer.concat(parts.slice(0, indexOfPiece(parts, 'two ') + 1)).length }
    return isStream ? { ...answer, stall: { at, ms: SILENCE_MS } } : answer
  })
})

afterAll(() => pairs.close())

function indexOfPiece(parts: readonly Buffer[], piece: string): number {
  return parts.findIndex((part) => part.includes(`"${piece}"`))
}

type Read = (model: Dialect) => Promise<string>

/** Every way to read a stream, to the text that it gives in the end. */
function readers({ openai, anthropic, ai }: Clients): Readonly<Record<string, Read>> {
  const messages = saying('Hi')
  return {
    'chat helper': async (model) => String(await openai.chat.completions.stream({ model, messages }).finalContent()),
    'chat chunks': async (model) => {
      let text = ''
      const stream = await openai.chat.completions.create({ model, messages, stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return text
    },
    'responses helper': async (model) =>
      (await openai.responses.stream({ model, input: 'Hi' }).finalResponse()).output_text,
    'messages helper': (model) =>
      anthropic.messages.stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }).finalText(),
    'AI SDK responses': async (model) => aiText(ai.openai(model)),
    'AI SDK messages': async (model) => aiText(ai.anthropic(model)),
    'AI SDK compatible': async (model) => aiText(ai.compatible(model)),
  }
}

async function aiText(model: Parameters<typeof streamText>[0]['model']): Promise<string> {
  const result = streamText({ model, prompt: 'Hi', maxRetries: 0 })
  let text = ''
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') text += part.text
  }
  return text
}

const RAW = {
  '/v1/chat/completions': { body: { messages: saying('Hi') }, sign: '\n: ' },
  '/v1/messages': { body: { messages: saying('Hi'), max_tokens: 100 }, sign: 'data: {"type": "ping"}' },
  '/v1/responses': { body: { input: 'Hi' }, sign: 'event: keepalive\n' },
} as const

/** The bytes of a stream, to see that there was a sign of life at all. */
async function rawText(path: keyof typeof RAW, model: Dialect): Promise<string> {
  const response = await fetch(`${pairs.farebox.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clients.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...RAW[path].body, model, stream: true }),
  })
  return response.text()
}

it(
  'is bridged by signs of life that no SDK takes for a part of the answer',
  async () => {
    const startedMs = performance.now()
    const read = Object.entries(readers(clients)).flatMap(([name, reader]) =>
      DIALECTS.map(async (dialect) => [`${name} of ${dialect}`, await reader(dialect)] as const),
    )
    const paths = ['/v1/chat/completions', '/v1/messages', '/v1/responses'] as const
    const raw = paths.flatMap((path) =>
      DIALECTS.map(async (dialect) => {
        const text = await rawText(path, dialect)
        return [`${path} of ${dialect}`, text.split(RAW[path].sign).length > 1] as const
      }),
    )
    const texts = await Promise.all(read)
    const signs = await Promise.all(raw)
    expect(performance.now() - startedMs).toBeGreaterThan(SILENCE_MS)
    expect(texts.filter(([, text]) => text !== PIECES.join(''))).toEqual([])
    expect(texts).toHaveLength(28)
    expect(signs.filter(([, isThere]) => !isThere)).toEqual([])
  },
  TIMEOUT_MS,
)
