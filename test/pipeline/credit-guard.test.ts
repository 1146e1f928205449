import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microCredits, ZERO } from '#core/money.ts'
import { denseBytes } from '#core/token-bounds.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import {
  bytesBeyondCap,
  creditGuard,
  mostTokensAt,
  STEP_TOKENS,
  type CreditGuard,
  type GuardInput,
} from '#pipeline/credit-guard.ts'
import { cases } from '../support/cases.ts'

/** One micro-credit for an input token, two for an output token. */
const PRICE = {
  version: 1,
  inputMicro: microCredits(1_000_000),
  outputMicro: microCredits(2_000_000),
  cacheReadMicro: microCredits(100_000),
  cacheWriteMicro: microCredits(1_000_000),
}
const INPUT = 100

type Setting = {
  /** In output tokens, after what the input costs. */
  readonly paid: number
  readonly available?: number
  readonly outputCap?: number
  /** Of the text that is generated. */
  readonly bytesPerToken?: number
  /** Of a target that is known to ignore its caps. */
  readonly ignoring?: GuardInput['ignoring']
}

/** A guard, what it asks for, and a reader whose text has so many bytes for each token. */
function setUp({ paid, available = 0, outputCap = 100_000, bytesPerToken = 4, ignoring }: Setting) {
  const spending = {
    heldMicro: INPUT + 2 * paid,
    growthLeftMicro: 2 * available,
    asked: 0,
    grow(moreMicro: number) {
      expect(moreMicro).toBeLessThanOrEqual(spending.growthLeftMicro)
      spending.asked += 1
      spending.heldMicro += moreMicro
      spending.growthLeftMicro -= moreMicro
    },
  }
  const counts: number[] = []
  const counter: GuardInput['counter'] = {
    count: (texts) => {
      const bytes = Buffer.byteLength(texts.join(''))
      counts.push(bytes)
      return Promise.resolve(Math.ceil(bytes / bytesPerToken))
    },
  }
  const guard = creditGuard({ spending, price: PRICE, worst: { inputTokens: INPUT }, outputCap, ignoring, counter })
  if (guard === undefined) throw new Error('this output costs something')
  return {
    guard,
    spending,
    counts,
    reader: { generated: new GeneratedText('utf8'), usage: undefined, reported: { isOutputFinal: false } },
  }
}

type SetUp = ReturnType<typeof setUp>

/** Delivers bytes until the guard ends the stream; returns how many there were, and undefined where it may go on. */
async function endOf(
  { guard, reader }: SetUp,
  { pieces, usage }: { pieces: readonly number[]; usage?: TokenUsage },
): Promise<number | undefined> {
  const asReader = Object.assign(reader, { usage }) as unknown as AnswerReader
  for (const piece of pieces) {
    // A run of one sign may be a few tokens.
    reader.generated.add('xy'.repeat(Math.ceil(piece / 2)).slice(0, piece))
    if ((await verdictOf(guard, asReader)) === 'stop') return reader.generated.bytes
  }
  return undefined
}

/** What comes of a look, when everything was counted that it waits for. */
async function verdictOf(guard: CreditGuard, reader: AnswerReader): Promise<'go' | 'stop'> {
  for (;;) {
    const verdict = guard.look(reader)
    if (verdict !== 'wait') return verdict
    await new Promise<void>((resolve) => guard.onCounted(resolve))
  }
}

function pieces(bytes: number, size = 40): number[] {
  return Array.from({ length: Math.ceil(bytes / size) }, () => size)
}

describe('the guard of a stream', () => {
  it.each([4, 1.46, 1.13, 1])(
    'ends it within a step of what is paid for, at %d bytes a token',
    async (bytesPerToken) => {
      const set = setUp({ paid: 500, bytesPerToken })
      const tokens = ((await endOf(set, { pieces: pieces(100_000) })) ?? expect.fail()) / bytesPerToken
      expect(tokens).toBeGreaterThan(500)
      expect(tokens).toBeLessThanOrEqual(500 + STEP_TOKENS)
      expect(set.guard.isOverCap).toBe(false)
    },
  )

  it('ends it when hold and balance are both used up, and not before', async () => {
    const set = setUp({ paid: 500, available: 9_500 })
    const tokens = ((await endOf(set, { pieces: pieces(100_000) })) ?? expect.fail()) / 4
    expect(tokens).toBeGreaterThan(10_000)
    expect(tokens).toBeLessThanOrEqual(10_000 + STEP_TOKENS)
    expect(set.spending.growthLeftMicro).toBe(0)
  })

  it('ends it a little beyond its cap where its target is known to ignore caps, however much there is', async () => {
    const set = setUp({ paid: 300, outputCap: 300, available: 1e9, ignoring: { bytesPerToken: 4 } })
    const bytes = (await endOf(set, { pieces: pieces(100_000) })) ?? expect.fail()
    expect(bytes / 4).toBeGreaterThan(300)
    expect(bytes / 4).toBeLessThanOrEqual(mostTokensAt(300) + 10)
    expect(set.guard.isOverCap).toBe(true)
  })

  it('of a target that is known to ignore caps goes by the most bytes that the target took for a token', async () => {
    const set = setUp({ paid: 300, outputCap: 300, available: 1e9, ignoring: { bytesPerToken: 16 } })
    const bytes = (await endOf(set, { pieces: pieces(100_000) })) ?? expect.fail()
    expect(bytes).toBeGreaterThan(mostTokensAt(300) * 16)
    expect(bytes).toBeLessThanOrEqual((mostTokensAt(300) + 10) * 16)
  })

  it('ends it where no tokenizer makes so little of it as its cap, without counting', async () => {
    const set = setUp({ paid: 300, outputCap: 300, available: 1e9 })
    const bytes = (await endOf(set, { pieces: pieces(100_000) })) ?? expect.fail()
    expect(bytes).toBeGreaterThanOrEqual(bytesBeyondCap(300))
    expect(bytes).toBeLessThan(bytesBeyondCap(300) + 40)
    expect([set.guard.isOverCap, set.counts]).toEqual([true, []])
  })

  it('ends it where the provider itself reports more than its cap', async () => {
    const set = setUp({ paid: 300, outputCap: 300, available: 1e9 })
    const usage = { ...UNKNOWN_USAGE, outputTokens: mostTokensAt(300) + 1 }
    expect(await endOf(set, { pieces: [40], usage })).toBe(40)
    expect(set.guard.isOverCap).toBe(true)
  })

  it('neither counts nor asks for anything while the bytes are fewer than the tokens that are paid for', async () => {
    const set = setUp({ paid: 50_000 })
    expect(await endOf(set, { pieces: pieces(49_000) })).toBeUndefined()
    expect([set.counts, set.spending.asked]).toEqual([[], 0])
  })

  it('lets the hold grow rather than count where there is plenty', async () => {
    const set = setUp({ paid: 5000, outputCap: 5000, available: 1e6 })
    expect(await endOf(set, { pieces: pieces(14_000) })).toBeUndefined()
    expect(set.counts).toEqual([])
    expect(set.spending.asked).toBeLessThan(10)
  })

  it('counts little at a time where there is nothing to grow by, and each text once', async () => {
    const set = setUp({ paid: 1000, outputCap: 1000 })
    expect(await endOf(set, { pieces: pieces(4000) })).toBeUndefined()
    expect(set.counts.length).toBeLessThan(20)
    expect(set.counts.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(4000)
  })

  it('does not end what keeps to its cap, also where the hold pays for nothing beyond it', async () => {
    for (const bytesPerToken of [1, 2, 3, 4, 8]) {
      const set = setUp({ paid: 700, outputCap: 700, bytesPerToken })
      expect(await endOf(set, { pieces: pieces(700 * bytesPerToken, 5) })).toBeUndefined()
    }
  })

  it('ends it only once there is some output, also when not even the input is paid for', async () => {
    const set = setUp({ paid: -2 * STEP_TOKENS })
    expect(set.guard.look(set.reader as unknown as AnswerReader)).toBe('go')
    expect(await endOf(set, { pieces: [4] })).toBe(4)
  })

  it.each([
    ['more than was held for', { inputTokens: 300 }, 400],
    ['what was held for', { inputTokens: 100 }, 500],
    ['less, which may be a count that is still running', { inputTokens: 0 }, 500],
  ])('believes a reported input that is %s', async (_what, input, most) => {
    const usage = { ...UNKNOWN_USAGE, ...input }
    const end = (await endOf(setUp({ paid: 500 }), { pieces: pieces(100_000), usage })) ?? expect.fail()
    expect(end / 4).toBeGreaterThan(most)
    expect(end / 4).toBeLessThanOrEqual(most + STEP_TOKENS)
  })

  it('goes by the output that the provider reports while it runs where that is more', async () => {
    const set = setUp({ paid: 500 })
    const usage = { ...UNKNOWN_USAGE, outputTokens: 500 + STEP_TOKENS }
    expect(await endOf(set, { pieces: [4], usage })).toBe(4)
  })

  it('asks again for credits that came back meanwhile', async () => {
    const set = setUp({ paid: 500 })
    expect(await endOf(set, { pieces: pieces(2000) })).toBeUndefined()
    set.spending.growthLeftMicro = 1e9
    expect(await endOf(set, { pieces: pieces(20_000) })).toBeUndefined()
  })

  it('is none for output that is free', () => {
    const { spending } = setUp({ paid: 100 })
    const counter = { count: () => Promise.resolve(0) }
    const price = { ...PRICE, outputMicro: ZERO }
    expect(creditGuard({ spending, price, worst: { inputTokens: INPUT }, outputCap: 10, counter })).toBeUndefined()
  })

  it('is never more than a step, or one event, behind the truth, whatever the text', async () => {
    const setting = fc.record({
      paid: fc.integer({ min: 0, max: 3000 }),
      available: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
      outputCap: fc.integer({ min: 1, max: 5000 }),
      bytesPerToken: fc.double({ min: 1, max: 6, noNaN: true }),
      sizes: fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 50 }),
    })
    const property = fc.asyncProperty(setting, async ({ sizes, ...rest }) => {
      const set = setUp({ ...rest, ignoring: { bytesPerToken: 0 } })
      const most = rest.paid + rest.available
      const endless = Array.from({ length: 1000 }, (_, index) => sizes[index % sizes.length] ?? 1)
      const end = await endOf(set, { pieces: endless })
      const event = Math.max(...sizes)
      const tokens = (end ?? set.reader.generated.bytes) / rest.bytesPerToken
      // Each piece that is counted by itself is rounded up.
      expect(tokens).toBeLessThanOrEqual(Math.max(0, most) + STEP_TOKENS + event / rest.bytesPerToken)
      if (end !== undefined && !set.guard.isOverCap) expect(tokens + set.counts.length).toBeGreaterThan(most)
    })
    await fc.assert(property, { numRuns: 300 })
  })
})

/** Tokenizers, each as the texts that it takes for a token of its own. */
const TOKENIZERS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'a token for each byte': (text) => Array.from(Buffer.from(text).toString('latin1')),
  'a token for each character': (text) => Array.from(text),
  'a token for 4 characters': (text) => text.match(/[^]{1,4}/gu) ?? [],
  'a token for 16 characters': (text) => text.match(/[^]{1,16}/gu) ?? [],
  'a token for 32 characters': (text) => text.match(/[^]{1,32}/gu) ?? [],
  'a token for each word': (text) => text.match(/\s*\S{1,32}|\s{1,32}/gu) ?? [],
  'a token for each run of one sign': (text) => text.match(/([^])\1{0,255}/gu) ?? [],
}
const texts = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2000 }),
  fc.array(fc.constantFrom('word ', '重庆时时彩', ' '.repeat(300), '\n', '-'.repeat(200), 'aGVsbG8', '31415', '👩🏽‍💻'), {
    minLength: 1,
    maxLength: 300,
  }),
)

describe.each(Object.entries(TOKENIZERS))('a provider with %s', (_, tokenize) => {
  it('that keeps its cap is never ended, and its report is what is charged', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(50), fc.constantFrom(0, 1e9), async (given, spare, available) => {
        const text = typeof given === 'string' ? given : given.join('')
        const tokens = tokenize(text)
        const outputCap = tokens.length + spare
        const { guard, reader } = setUp({ paid: outputCap, outputCap, available })
        const reported = new ReportedUsage(reader.generated)
        reported.limit({
          inputTokens: 100,
          cappedTokens: mostTokensAt(outputCap),
          contextTokens: 1e6,
          units: 0,
          echoedBytes: 0,
        })
        for (const token of tokens) {
          reader.generated.add(token)
          expect(await verdictOf(guard, reader as unknown as AnswerReader)).toBe('go')
        }
        const usage = { ...UNKNOWN_USAGE, inputTokens: 19, outputTokens: tokens.length }
        reported.note(usage)
        reported.noteComplete()
        expect([reported.isInputFinal, reported.isOutputFinal, reported.usage]).toEqual([true, true, usage])
      }),
      { numRuns: cases(50, 200, 10_000) },
    )
  })

  it('that ignores its cap is ended where docs/ledger.md says', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 100 }), async (given, outputCap) => {
        const tokens = tokenize(`no run ${typeof given === 'string' ? given : given.join('')}`)
        const { guard, reader } = setUp({ paid: outputCap, outputCap })
        let verdict = 'go'
        let last = ''
        for (let index = 0; verdict === 'go'; index++) {
          last = tokens[index % tokens.length] ?? ''
          reader.generated.add(last)
          verdict = await verdictOf(guard, reader as unknown as AnswerReader)
        }
        const text = reader.generated.text()
        expect(denseBytes(text)).toBeGreaterThanOrEqual(128 * (outputCap + 16))
        expect(denseBytes(text.slice(0, -last.length))).toBeLessThan(128 * (outputCap + 16))
      }),
      { numRuns: cases(5, 20, 500) },
    )
  })
})
