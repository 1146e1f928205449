// Every answer of every provider dialect as every client of another format gets it: as golden files, and by what must hold
// for all of them. `npm test` compares; UPDATE_GOLDEN=1 writes the files anew, for review.

import { describe, expect, it } from 'vitest'
import { retryOf } from '#core/retry.ts'
import { readStrictly as readMessagesStrictly } from '../dialect/messages/strict-client.ts'
import { readStrictly as readResponsesStrictly, readWithSdk } from '../dialect/responses/strict-reader.ts'
import { ANSWERS, ASKING } from './answers/all.ts'
import { compactJson } from './compact-json.ts'
import type { AnswerFixture, Holds } from './answers/fixture.ts'
import { foldStream, foldWhole, type Seen } from './fold.ts'
import { goldenFile, onlyGoldenFiles } from './golden.ts'
import { answer, byteByByte, CLIENTS, sendOk, TRANSLATED_PAIRS, type Answered, type Pair } from './pair.ts'

const GOLDEN_FILES = TRANSLATED_PAIRS.map(({ name }) => `answers/${name}.txt`)

for (const [index, pair] of TRANSLATED_PAIRS.entries()) {
  const fixtures = ANSWERS[pair.provider]
  const cases = new Map(fixtures.flatMap((fixture) => casesOf(pair, fixture)))
  goldenFile(GOLDEN_FILES[index] ?? '', [...cases.keys()], (name) => cases.get(name)?.() ?? '')

  describe(`answers of ${pair.provider} for ${pair.client}`, () => {
    const streams = fixtures.filter(({ stream }) => stream !== undefined)
    const complete = fixtures.filter(({ holds }) => holds !== undefined)

    it.each(streams.map((fixture) => [fixture.name, fixture] as const))(
      '%s: is the same cut anywhere',
      (_, fixture) => {
        const { stream = '' } = fixture
        const { text } = streamed(pair, fixture)
        expect(answer(ask(pair, true), byteByByte(stream)).text).toBe(text)
        const carriage = stream.replaceAll('\n', '\r\n')
        expect(answer(ask(pair, true), byteByByte(carriage)).text).toBe(text)
        expect(text).not.toContain('\uFFFD')
        // What came in one chunk with an error is not sent: the answer can still fail as a whole, or come from elsewhere.
        if (streamed(pair, fixture).failure !== undefined) return
        for (const chunk of [stream, carriage, stream.slice(0, -1)]) {
          expect(answer(ask(pair, true), [Buffer.from(chunk)]).text).toBe(text)
        }
      },
    )

    it.each(complete.map((fixture) => [fixture.name, fixture] as const))('%s: loses nothing', (_, fixture) => {
      const { holds, whole, stream } = fixture
      if (holds === undefined) return
      if (stream !== undefined) expectHolds(pair, foldStream(pair.client, streamed(pair, fixture).text), holds)
      if (whole !== undefined) expectHolds(pair, foldWhole(pair.client, wholeOf(pair, fixture).text), holds)
    })

    it.each(streams.map((fixture) => [fixture.name, fixture] as const))(
      '%s: is read by the strictest clients',
      async (_, fixture) => {
        const { text, failure } = streamed(pair, fixture)
        if (text === '') return
        if (pair.client === 'responses') await readWithSdk(readResponsesStrictly(text))
        if (pair.client === 'messages' && failure === undefined) readMessagesStrictly(text)
      },
    )

    const twice = fixtures.filter(
      ({ holds, whole, stream }) => holds !== undefined && whole !== undefined && stream !== undefined,
    )

    it.each(twice.map((fixture) => [fixture.name, fixture] as const))(
      '%s: seals the same, streamed or whole',
      (_, fixture) => {
        expect(sealsIn(streamed(pair, fixture).text)).toEqual(sealsIn(wholeOf(pair, fixture).text))
      },
    )

    it('says what it estimated where the provider reported no usage', () => {
      const silent = fixtures.find(({ name }) => name === 'no usage')
      if (silent === undefined) throw new Error('there is no answer without usage')
      const estimated = { input: 111, cached: 0, output: 77 }
      expect(foldStream(pair.client, streamed(pair, silent).text).usage).toEqual(estimated)
      expect(foldWhole(pair.client, wholeOf(pair, silent).text).usage).toEqual(estimated)
    })

    it('says of a tool call that was cut off that the answer is, and leaves it out of a whole answer', () => {
      const cut = fixtures.find(({ name }) => name === 'length in the middle of a tool call')
      if (cut === undefined) return
      for (const seen of [
        foldWhole(pair.client, wholeOf(pair, cut).text),
        foldStream(pair.client, streamed(pair, cut).text),
      ]) {
        expect(seen).toMatchObject({ finish: 'length', text: 'I look.' })
      }
      expect(foldWhole(pair.client, wholeOf(pair, cut).text).tools).toEqual([])
    })

    it.each(['error first', 'cut', 'not of the dialect'])('never makes a complete answer of: %s', (name) => {
      const fixture = fixtures.find((one) => one.name === name)
      if (fixture === undefined) throw new Error(`there is no answer '${name}'`)
      if (fixture.stream !== undefined) expect(streamed(pair, fixture).failure).toBeDefined()
      if (fixture.whole !== undefined) expect(wholeOf(pair, fixture).failure).toBeDefined()
    })

    it('tells of an error before anything was sent as a failure, so that another provider can be asked', () => {
      const fixture = fixtures.find((one) => one.name === 'error first')
      if (fixture === undefined) throw new Error('there is no answer that begins with an error')
      expect(streamed(pair, fixture)).toMatchObject({ hasBegun: false, text: '' })
    })
  })
}

onlyGoldenFiles([
  ...GOLDEN_FILES,
  ...TRANSLATED_PAIRS.map(({ name }) => `requests/${name}.txt`),
  ...CLIENTS.map((client) => `bad-input/${client}.txt`),
])

function casesOf(pair: Pair, fixture: AnswerFixture): [string, () => string][] {
  const cases: [string, () => string][] = []
  if (fixture.stream !== undefined) cases.push([`${fixture.name} (stream)`, () => show(streamed(pair, fixture))])
  if (fixture.whole !== undefined) {
    cases.push([
      `${fixture.name} (whole)`,
      () => {
        const answered = wholeOf(pair, fixture)
        return answered.failure === undefined ? compactJson(JSON.parse(answered.text)) : show(answered)
      },
    ])
  }
  return cases
}

/** What the client got, and below it what the client does not see: why it failed. */
function show({ text, failure, hasBegun }: Answered): string {
  if (failure === undefined) return text.trimEnd()
  const { kind, message, status, retryAfterSeconds } = failure
  const facts = { kind, message, status, retryAfterSeconds, retry: retryOf(failure), hasBegun }
  return `${text}failure: ${JSON.stringify(facts)}`
}

function ask(pair: Pair, stream: boolean) {
  return sendOk(pair, { ...ASKING[pair.client], stream }).prepared
}

function streamed(pair: Pair, fixture: AnswerFixture): Answered {
  const events = (fixture.stream ?? '').split(/(?<=\n\n)/)
  return answer(
    ask(pair, true),
    events.map((event) => Buffer.from(event)),
  )
}

function wholeOf(pair: Pair, fixture: AnswerFixture): Answered {
  const {
    stream: _,
    stream_options: __,
    ...body
  } = { stream_options: undefined, stream: undefined, ...ASKING[pair.client] }
  return answer(sendOk(pair, body).prepared, [Buffer.from(JSON.stringify(fixture.whole))])
}

/** What a client has to send back as it is. */
function sealsIn(text: string): string[] {
  const found = text.matchAll(/"(?:signature|data|encrypted_content|thought_signature|thoughtSignature)": ?"([^"]+)"/g)
  return [...new Set([...found].map((match) => match[1] ?? ''))].toSorted()
}

function expectHolds(pair: Pair, seen: Seen, holds: Holds): void {
  const hasOwnRefusals = pair.client === 'chat'
  const { refusal = '', text = '' } = holds
  // Only chat completions have a place for refusals that every client reads.
  expect(hasOwnRefusals ? [seen.text, seen.refusal] : [seen.text + seen.refusal]).toEqual(
    hasOwnRefusals ? [text, refusal] : [text + refusal],
  )
  expect(seen.reasoning).toBe(holds.reasoning ?? '')
  expect(seen.tools).toEqual(holds.tools ?? [])
  if (refusal === '') expect(seen.finish).toBe(holds.finish)
  else expect(['stop', 'filter']).toContain(seen.finish)
  if (holds.usage !== undefined) expect(seen.usage).toEqual(holds.usage)
  // Gemini seals calls and texts; formats without a place for that get a block of reasoning that holds nothing else.
  const isKept = (kind: string) => kind !== 'seal' || holds.blocks.includes('seal')
  const kinds = (blocks: readonly string[]) => blocks.filter(isKept).map((kind) => (kind === 'refusal' ? 'text' : kind))
  // Gemini's clients cannot see where one text ends and the next begins.
  const isNext = (kind: string, at: number, all: readonly string[]) => kind === 'tool' || kind !== all[at - 1]
  const seenKinds = (blocks: readonly string[]) =>
    pair.client === 'gemini' ? kinds(blocks).filter(isNext) : kinds(blocks)
  if (seen.blocks !== undefined) expect(seenKinds(seen.blocks)).toEqual(seenKinds(holds.blocks))
}
