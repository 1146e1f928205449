// What real servers sent (test/fixtures/recorded), for every client format: as the pieces came, and one byte at a time. Nothing of
// an answer is lost and nothing comes twice, and its tokens are those that the server counted.

import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { readLeniently, type Reading, type ReadUsage } from '../support/lenient-reader.ts'
import { bytesOf, readRecordings, textOf, type Recording } from '../support/recording.ts'
import { ASKING } from './answers/all.ts'
import { foldStream, foldWhole } from './fold.ts'
import { answer, byteByByte, CLIENTS, isPassed, PROVIDERS, sendOk, type Pair, type ProviderName } from './pair.ts'

const RECORDINGS = [...readRecordings()]
const ANSWERS = RECORDINGS.filter(([, { status, dialect }]) => status === 200 && isProvider(dialect))

function isProvider(dialect: string): dialect is ProviderName {
  return PROVIDERS.some((provider) => provider === dialect)
}

it('there are recordings of every dialect but Gemini', () => {
  const found = new Set(ANSWERS.map(([, { dialect }]) => dialect))
  expect([...found].toSorted()).toEqual(expect.arrayContaining(['chat-completions', 'messages', 'responses']))
})

it('a recording says that it is one, and a composed answer that it is not', () => {
  for (const [file, recording] of RECORDINGS) {
    expect(recording, file).toMatchObject({ composed: expect.any(Boolean), replaced: expect.any(Boolean) })
    expect(file.includes('composed'), file).toBe(recording.composed)
  }
})

describe.each(ANSWERS)('%s', (file, recording) => {
  const reading = readLeniently(recording.dialect, textOf(recording))

  it('holds the same as the whole answer to the same question', () => {
    const whole = RECORDINGS.find(([name]) => name === file.replace('-stream', ''))?.[1]
    // A recording of somebody's account is of a model that says something else each time.
    if (whole === undefined || recording.replaced) return
    const other = readLeniently(whole.dialect, textOf(whole))
    expect(contentOf(reading)).toEqual(contentOf(other))
  })

  it.each(CLIENTS)('reaches a %s client once and whole', (client) => {
    if (!isProvider(recording.dialect)) return
    const pair: Pair = { client, provider: recording.dialect, name: `${client} from ${file}` }
    const { text, failure } = answer(ask(pair, recording), bytesOf(recording))
    expect(failure).toBeUndefined()
    if (isPassed(pair)) {
      const end =
        client === 'responses' && recording.stream && !textOf(recording).includes('[DONE]') ? 'data: [DONE]\n\n' : ''
      expect(text).toBe(textOf(recording) + end)
      return
    }
    const seen = recording.stream ? foldStream(client, text) : foldWhole(client, text)
    expect(contentOf(seen)).toEqual(contentOf(reading))
    // What a server that reports nothing is charged for, the gateway says (test/gateway/recorded.test.ts).
    if (!isReport(reading.usage)) return
    const { input, cacheRead, cacheWrite, output } = reading.usage
    expect(seen.usage).toEqual({ input: input + cacheRead + cacheWrite, cached: cacheRead, output })
  })

  it.each(CLIENTS)('is the same for a %s client when it comes byte by byte', (client) => {
    if (!isProvider(recording.dialect)) return
    const pair: Pair = { client, provider: recording.dialect, name: `${client} from ${file}` }
    const inPieces = answer(ask(pair, recording), bytesOf(recording))
    const inBytes = answer(ask(pair, recording), byteByByte(textOf(recording)))
    expect(inBytes.text).toBe(inPieces.text)
    expect(inBytes.failure?.kind).toBe(inPieces.failure?.kind)
  })

  it.each(CLIENTS)('is charged to a %s client by the tokens that the server counted', (client) => {
    if (!isProvider(recording.dialect)) return
    const pair: Pair = { client, provider: recording.dialect, name: `${client} from ${file}` }
    if (isReport(reading.usage)) expect(countsOf(usageOf(pair, recording))).toEqual(reading.usage)
  })
})

function ask(pair: Pair, { stream }: Recording) {
  const { stream_options: options, ...rest } = ASKING[pair.client] as JsonObject
  const body = stream && options !== undefined ? { ...rest, stream_options: options } : rest
  return sendOk(pair, { ...body, stream }).prepared
}

function usageOf(pair: Pair, recording: Recording): TokenUsage | undefined {
  const reader = ask(pair, recording).newReader()
  try {
    for (const chunk of bytesOf(recording)) reader.push(chunk)
    reader.end()
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) throw failure
    expect.fail(`${pair.name} failed: ${failure.message}`)
  }
  return reader.usage
}

function countsOf(usage: TokenUsage | undefined): ReadUsage {
  return {
    input: usage?.inputTokens ?? 0,
    cacheRead: usage?.cacheReadTokens ?? 0,
    cacheWrite: usage?.cacheWriteTokens ?? 0,
    output: usage?.outputTokens ?? 0,
  }
}

/** Zero tokens for a text are none. */
function isReport(usage: ReadUsage | undefined): usage is ReadUsage {
  return usage !== undefined && usage.output > 0
}

function contentOf({ text, reasoning, tools }: Pick<Reading, 'text' | 'reasoning' | 'tools'>) {
  return { text, reasoning, tools }
}
