import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { microCredits } from '#core/money.ts'
import { priceOf } from '#core/pricing.ts'
import { isRefusal, refuse } from '#core/refusal.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { readRequest, type EndpointRequest, type MeteredRequest } from '#pipeline/endpoints.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import { roughSettlementOf, settlementOf, usedTokens, type Ending } from '#pipeline/settle.ts'
import { runningStream, type Counts, type RunningStream } from '../support/running-usage.ts'
import { KEY, modelOf, PACKAGE, providerOf } from './support.ts'
import { cases } from '../support/cases.ts'

const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
type Dialect = (typeof DIALECTS)[number]
const FORMATS = ['chat', 'messages', 'responses'] as const
type Format = (typeof FORMATS)[number]

const INPUT_MICRO = microCredits(1_000_000)
const PRICE = {
  version: 1,
  inputMicro: INPUT_MICRO,
  outputMicro: microCredits(2_000_000),
  cacheReadMicro: INPUT_MICRO,
  cacheWriteMicro: INPUT_MICRO,
}
/** A token for three characters, whatever they are. */
const count = (texts: readonly string[]) => Promise.resolve(tokensOf(texts.join('')))
const tokensOf = (text: string) => Math.ceil(text.length / 3)

const STOPPED = { type: 'stopped', refusal: refuse('key_not_usable', 'The key was blocked.') } as const
const GONE = { type: 'client-gone', isDrained: false, delivered: undefined } as const
const FAILED = { type: 'failed', failure: new UpstreamFailure('closed', 'It broke.') } as const
const COMPLETE = { type: 'complete' } as const

function requestOf(format: Format): EndpointRequest {
  const hello = [{ role: 'user', content: 'Tell me something about the sea.' }]
  const body = { model: 'm', stream: true, ...(format === 'responses' ? { input: hello } : { messages: hello }) }
  const text = JSON.stringify({ ...body, ...(format === 'messages' ? { max_tokens: 1000 } : {}) })
  const request = readRequest(format, text, text.length)
  if (isRefusal(request)) throw new Error(request.message)
  return request
}

/** An exchange whose provider has sent these events by the time it ended. */
function ending([format, dialect]: readonly [Format, Dialect], events: readonly string[], end: RelayEnd): Ending {
  const request = requestOf(format)
  const [provider, model] = [providerOf(dialect), { ...modelOf(dialect), price: PRICE }]
  const [target] = model.targets
  if (target === undefined) throw new Error('a model has no target')
  const place = { provider, target }
  const prepared = request.prepare({ ...place, exchangeId: 'e', nowMs: 0 })
  if (isRefusal(prepared)) throw new Error(prepared.message)
  const reader: AnswerReader = prepared.newReader()
  for (const event of events) reader.push(Buffer.from(event))
  if (end.type === 'complete') reader.end()
  const caller = { key: KEY, package: PACKAGE }
  const served = { model, price: PRICE, places: [place] }
  const rest = { createdAtMs: 0, firstByteMs: 1, durationMs: 2, attempts: [] }
  // What settling looks at is real; the rest of the entities is not looked at.
  return { caller, request, served, place, reader, end, hasBegun: true, ...rest } as unknown as Ending
}

async function ownInput(request: MeteredRequest): Promise<number> {
  const countable = await request.countable()
  if (countable === undefined || isRefusal(countable)) throw new Error('the request has no conversation')
  const { texts, overheadTokens } = countable
  return tokensOf(texts.join('')) + overheadTokens
}

describe.each([STOPPED, FAILED, GONE, { type: 'out-of-credits', isOverCap: false } as const])(
  'a stream that is $type',
  (end) => {
    it('is charged what was counted, however long that takes', async () => {
      const events = runningStream('chat-completions', { pieces: ['one ', 'two'], until: 'none' })
      const slow = () => new Promise<number>((resolve) => setTimeout(resolve, 500, 42))
      const settlement = await settlementOf(ending(['chat', 'chat-completions'], events, end), { count: slow })
      expect(settlement).toMatchObject({
        inputTokens: 49,
        outputTokens: 42,
        usageSource: 'estimated',
        estimatedClasses: 'input,output',
      })
    })
  },
)

const counts = fc.record({ input: fc.nat(60), output: fc.nat(60) }, { requiredKeys: [] })
/** Counts that stand still, run, jump about, or come now and then. */
const running: fc.Arbitrary<RunningStream['running']> = fc.oneof(
  counts,
  fc.constantFrom<Counts[]>({ input: 0, output: 0 }, { input: 1, output: 1 }, { input: 19 }),
  fc.nat(40).map((input) => (pieces: number) => ({ input, output: pieces })),
  fc
    .array(fc.option(counts, { nil: undefined }), { minLength: 1 })
    .map((list) => (pieces: number) => list[pieces % list.length]),
)
const streams = fc.record({
  pieces: fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 30 }),
  as: fc.constantFrom('text' as const, 'reasoning' as const),
  running,
  final: fc.option(counts, { nil: undefined }),
  keeps: fc.double({ min: 0, max: 1, noNaN: true }),
})
const ends = fc.constantFrom<RelayEnd[]>(STOPPED, FAILED, GONE, { type: 'out-of-credits', isOverCap: false })
const routes = fc.tuple(fc.constantFrom(...FORMATS), fc.constantFrom(...DIALECTS))

describe('a stream that is cut at any place, whatever was counted along', () => {
  it('is charged what was delivered at least, and never as reported before its end', async () => {
    await fc.assert(
      fc.asyncProperty(routes, streams, ends, async (route, { keeps, ...stream }, end) => {
        const open = runningStream(route[1], { ...stream, until: 'none' })
        const cut = ending(route, open.slice(0, Math.ceil(keeps * open.length)), end)
        const usage = {
          ...UNKNOWN_USAGE,
          inputTokens: await ownInput(cut.request),
          outputTokens: tokensOf(cut.reader.generated.text()),
        }
        const settlement = await settlementOf(cut, { count })
        expect(settlement.usageSource).toBe('estimated')
        expect(settlement.chargeMicro).toBeGreaterThanOrEqual(priceOf(usage, PRICE))
        expect(settlement.estimatedClasses).toContain('output')
      }),
      { numRuns: cases(300, 1000, 10_000) },
    )
  })

  it('takes its limits by the same rule, from sizes alone', () => {
    fc.assert(
      fc.property(routes, streams, ends, (route, stream, end) => {
        const cut = ending(route, runningStream(route[1], { ...stream, until: 'none' }), end)
        const least = cut.request.likelyInputTokens + Math.ceil(cut.reader.generated.bytes / 4)
        expect(usedTokens(cut)).toBeGreaterThanOrEqual(least)
        expect(roughSettlementOf(cut).chargeMicro).toBeGreaterThanOrEqual(least)
      }),
      { numRuns: cases(100, 300, 3000) },
    )
  })

  it('is charged what the provider reported once its end was there, whatever ran before', async () => {
    const finals = fc.record({ input: fc.integer({ min: 1, max: 60 }), output: fc.integer({ min: 1, max: 60 }) })
    await fc.assert(
      fc.asyncProperty(routes, streams, finals, async (route, stream, final) => {
        const events = runningStream(route[1], { ...stream, final })
        expect(await settlementOf(ending(route, events, COMPLETE), { count })).toMatchObject({
          usageSource: 'reported',
          inputTokens: final.input,
          outputTokens: final.output,
          chargeMicro: final.input + 2 * final.output,
        })
      }),
      { numRuns: cases(150, 500, 5000) },
    )
  })
})

describe('a stream whose end was read and that broke before it was complete', () => {
  const pieces = ['one ', 'two ', 'three']

  it.each(DIALECTS)('is charged what %s reported with it', async (dialect) => {
    const events = runningStream(dialect, { pieces, final: { input: 19, output: 10 }, until: 'reason' })
    const settlement = await settlementOf(ending(['chat', dialect], events, FAILED), { count })
    expect(settlement).toMatchObject({ usageSource: 'reported', inputTokens: 19, outputTokens: 10 })
  })

  it('is counted where the provider had said the same all along: it was not counting', async () => {
    const same = { input: 1, output: 1 }
    const events = runningStream('chat-completions', { pieces, running: same, final: same, until: 'reason' })
    const settlement = await settlementOf(ending(['chat', 'chat-completions'], events, GONE), { count })
    expect(settlement).toMatchObject({ usageSource: 'estimated', outputTokens: tokensOf(pieces.join('')) })
  })

  it('is counted where a choice that was asked for had not ended', async () => {
    const [first, ...rest] = runningStream('chat-completions', {
      pieces,
      final: { input: 19, output: 1 },
      until: 'reason',
    })
    const other = first?.replace('"index":0', '"index":1').replace('"content":""', '"content":"of the other choice"')
    const events = [first ?? '', other ?? '', ...rest]
    const settlement = await settlementOf(ending(['chat', 'chat-completions'], events, FAILED), { count })
    expect(settlement).toMatchObject({ usageSource: 'estimated', inputTokens: 19 })
    expect(settlement.outputTokens).toBeGreaterThan(tokensOf(pieces.join('')))
  })
})
