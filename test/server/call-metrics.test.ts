import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import { CallMetrics } from '#server/watch/call-metrics.ts'
import { metricsText } from '#server/watch/metrics-text.ts'

const RECORD: UsageRecord = {
  id: 'id',
  keyId: 'key',
  packageId: 'package',
  endpoint: 'chat',
  modelId: 'gpt',
  providerId: 'p1',
  upstreamModel: 'real',
  isStream: true,
  outcome: 'answered',
  status: 200,
  inputTokens: 10,
  cacheReadTokens: 4,
  cacheWriteTokens: undefined,
  outputTokens: 7,
  reasoningTokens: 3,
  usageSource: 'reported',
  priceVersion: 1,
  holdMicro: microCredits(100),
  chargeMicro: microCredits(39),
  isOverrun: false,
  createdAtMs: 0,
  firstByteMs: 300,
  durationMs: 1200,
}

function metricsOf(records: readonly UsageRecord[]) {
  const catalog = { provider: (id: string) => (id === 'p1' ? ({ name: 'openai' } as never) : undefined) }
  const metrics = new CallMetrics(catalog)
  metrics.recorded(records)
  return { metrics, text: () => metricsText(metrics.families()) }
}

describe('the figures of calls', () => {
  it('count calls, tokens by class, credits and times', () => {
    const text = metricsOf([RECORD, { ...RECORD, firstByteMs: undefined }]).text()
    expect(text).toContain(
      'farebox_calls_total{format="chat",model="gpt",provider="openai",status="2xx",outcome="answered"} 2\n',
    )
    expect(text).toContain('farebox_tokens_total{model="gpt",class="cache_read"} 8\n')
    // Reasoning is a part of the output, and what nobody knows is not counted as 0.
    expect(text).not.toMatch(/class="(cache_write|reasoning)"/)
    expect(text).toContain('farebox_charged_credits_total{model="gpt"} 0.000078\n')
    expect(text).toContain('farebox_first_byte_seconds_count{format="chat"} 1\n')
    expect(text).toContain('farebox_call_duration_seconds_bucket{format="chat",le="2.5"} 2\n')
  })

  it('name a provider that is gone, and none', () => {
    const text = metricsOf([
      { ...RECORD, providerId: 'gone' },
      { ...RECORD, providerId: undefined },
    ]).text()
    expect(text).toContain('provider="removed"')
    expect(text).toContain('provider="none"')
  })

  it('put what is beyond the bound together, so that models that come and go do not fill the memory', () => {
    const records = Array.from({ length: 5000 }, (_, index) => ({ ...RECORD, modelId: `model-${index}` }))
    const lines = metricsOf(records).text().split('\n')
    const calls = lines.filter((line) => line.startsWith('farebox_calls_total{'))
    expect(calls).toHaveLength(2001)
    expect(calls.at(-1)).toMatch(/format="other",model="other".* 3000$/)
  })

  it('name requests by their route, never by their path', () => {
    const { metrics, text } = metricsOf([])
    const request = { id: 'r', method: 'GET', status: 404, isComplete: true, keyId: undefined, durationMs: 1 }
    metrics.requested({ ...request, route: undefined })
    metrics.requested({ ...request, route: '/v1/models/*', status: 200 })
    expect(text()).toContain('farebox_requests_total{method="GET",route="none",status="4xx"} 1\n')
    expect(text()).toContain('farebox_requests_total{method="GET",route="/v1/models/*",status="2xx"} 1\n')
  })
})
