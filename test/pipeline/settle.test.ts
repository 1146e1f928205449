import { expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { refuse } from '#core/refusal.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import { settlementOf, type Ending } from '#pipeline/settle.ts'

function ending(end: RelayEnd): Ending {
  const generated = new GeneratedText('utf8')
  generated.add('x'.repeat(400))
  const price = { inputMicro: microCredits(1_000_000), outputMicro: microCredits(2_000_000) }
  const entities = {
    caller: { package: { id: 'p' } },
    request: { choices: 1, likelyInputTokens: 7, conversation: () => undefined, endpoint: 'chat', isStream: true },
    place: { provider: { id: 'q' }, target: { upstreamModel: 'm' } },
    served: { price: { version: 1, ...price, cacheReadMicro: price.inputMicro, cacheWriteMicro: price.inputMicro } },
    reader: { generated, usage: undefined },
  } as unknown as Pick<Ending, 'caller' | 'request' | 'served' | 'place' | 'reader'>
  return { ...entities, end, hasBegun: true, createdAtMs: 0, firstByteMs: 1, durationMs: 2, attempts: [] }
}

it('does not let a stopped stream wait for a slow count: its size is enough then', async () => {
  const startedMs = performance.now()
  const stopped = { type: 'stopped', refusal: refuse('key_not_usable', 'The key was blocked.') } as const
  // A counter whose thread never answers: it estimates as soon as nobody is patient any more.
  const count = (_texts: readonly string[], patienceMs?: number) =>
    new Promise<number>((resolve) => {
      if (patienceMs !== undefined) setTimeout(resolve, patienceMs, 100)
    })
  const settlement = await settlementOf(ending(stopped), { count })
  expect(performance.now() - startedMs).toBeLessThan(700)
  expect(settlement).toMatchObject({
    inputTokens: 7,
    outputTokens: 100,
    chargeMicro: 207,
    usageSource: 'estimated',
    estimatedClasses: 'input,output',
  })
})

it('waits for the count of a stream that broke off by itself', async () => {
  const count = () => new Promise<number>((resolve) => setTimeout(resolve, 500, 42))
  const gone = { type: 'client-gone', isDrained: false, delivered: undefined } as const
  expect(await settlementOf(ending(gone), { count })).toMatchObject({ outputTokens: 42, outcome: 'client_gone' })
})
