// What servers send differs from what the vendors document, and from each other. Whatever legal way a stream takes, every client has
// the same answer, and it is paid for once.

import { describe, expect, it } from 'vitest'
import { readStrictly as readMessagesStrictly } from '../dialect/messages/strict-client.ts'
import { readStrictly as readResponsesStrictly } from '../dialect/responses/strict-reader.ts'
import { varied, type Varied } from './any-order.ts'
import { foldStream, type Seen } from './fold.ts'
import { CLIENTS, isPassed, sendOk, type Pair } from './pair.ts'
import { COMPOSED, type RealStream } from './real-streams.ts'
import { isLong } from '../support/cases.ts'

/** Of each stream in each client format. */
const WAYS = isLong ? 1000 : 40

const BODIES = {
  chat: {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Hi' }],
  },
  messages: {
    model: 'm',
    stream: true,
    max_tokens: 4096,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [{ role: 'user', content: 'Hi' }],
  },
  responses: { model: 'm', stream: true, input: 'Hi', reasoning: { summary: 'auto' } },
  gemini: {
    model: 'm',
    stream: true,
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  },
} as const

/** What a client has of an answer, however its blocks were cut, and what is known for its charge. */
type Told = {
  readonly said: Omit<Seen, 'blocks' | 'usage'> | undefined
  /** Characters that were generated, without spaces: between the parts of reasoning are more of them or fewer. */
  readonly generated: number
  readonly reported: readonly (number | undefined)[]
  readonly isReported: boolean
}

function told(pair: Pair, text: string): Told {
  const reader = sendOk(pair, BODIES[pair.client]).prepared.newReader()
  const out: Buffer[] = []
  const put = (bytes: Buffer | string | undefined) => {
    if (bytes !== undefined) out.push(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }
  for (const event of text.split(/(?<=\n\n)/)) put(reader.push(Buffer.from(event)))
  reader.end()
  const { reported, generated } = reader
  const counted = { inputTokens: 1, cacheReadTokens: undefined, cacheWriteTokens: undefined, outputTokens: 1 }
  put(reader.final({ ...counted, reasoningTokens: undefined }))
  return {
    said: isPassed(pair) ? undefined : saidIn(pair, Buffer.concat(out).toString('utf8')),
    generated: generated.text().replaceAll(/\s/g, '').length,
    reported: [reported.usage?.inputTokens, reported.usage?.outputTokens],
    isReported: reported.isInputFinal && reported.isOutputFinal,
  }
}

function saidIn({ client }: Pair, text: string): Told['said'] {
  if (client === 'messages') readMessagesStrictly(text)
  if (client === 'responses') readResponsesStrictly(text)
  const { text: words, reasoning, refusal, tools, finish } = foldStream(client, text)
  const sorted = tools.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
  return { text: words, reasoning: reasoning.replaceAll(/\s/g, ''), refusal, tools: sorted, finish }
}

function expectSame(pair: Pair, first: Told, { text, counts }: Varied): void {
  const { said, generated, reported, isReported } = told(pair, text)
  expect(said).toEqual(first.said)
  expect(generated).toBe(first.generated)
  expect(isReported).toBe(counts === 'told')
  if (counts === 'told') expect(reported).toEqual(first.reported)
}

/** What was composed is known: it is there, and once. */
function expectHeld({ said }: Told, { holds }: RealStream): void {
  if (said === undefined || holds === undefined) return
  expect(said).toMatchObject({ text: holds.text, reasoning: holds.reasoning.replaceAll(/\s/g, '') })
  expect(said.tools).toHaveLength(holds.calls)
}

function testStream(stream: RealStream): void {
  const { name, dialect } = stream
  it.each(CLIENTS.map((client) => ({ client, provider: dialect, name: client })))(
    `${dialect} of ${name}, told in any order and with gaps: the same for $name`,
    (pair) => {
      const first = told(pair, stream.text)
      expectHeld(first, stream)
      for (let seed = 0; seed < WAYS; seed++) {
        const way = varied(stream, seed)
        try {
          expectSame(pair, first, way)
        } catch (error) {
          const problem = error instanceof Error ? error.message : String(error)
          throw new Error(`seed ${seed}: ${problem}\n${way.text}`, { cause: error })
        }
      }
    },
    isLong ? 600_000 : 20_000,
  )
}

describe('a composed stream', () => {
  for (const stream of COMPOSED) testStream(stream)
})
