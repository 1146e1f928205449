// For whatever a client sends and whichever dialect its provider speaks, both bounds hold what is then written for the provider.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ProviderDialect } from '#core/provider-dialect.ts'
import { isRefusal } from '#core/refusal.ts'
import { readRequest, type EndpointName, type EndpointRequest } from '#pipeline/endpoints.ts'
import { OWN } from '../input-estimates/tokenizers.ts'
import { BODIES, TALK } from './random-talks.ts'
import { modelOf, providerOf } from './support.ts'
import { isLong } from '../support/cases.ts'

const RUNS = isLong ? 10_000 : 60
const CONTEXT = 1_000_000
const DIALECTS: readonly ProviderDialect[] = ['chat-completions', 'messages', 'responses', 'gemini']

it.each(Object.entries(BODIES))('holds what is written of a request in the format %s', async (format, bodyOf) => {
  await fc.assert(
    fc.asyncProperty(TALK, fc.constantFrom(...DIALECTS), async (given, dialect) => {
      const body = JSON.stringify(bodyOf(given))
      const request = readRequest(format as EndpointName, body, Buffer.byteLength(body))
      if (isRefusal(request)) throw new Error(request.message)
      expect(request.inputBounds.references).toEqual([])
      const written = writtenFor(request, dialect)
      if (written === undefined) return
      const most = request.inputBounds.most(CONTEXT)
      const closer = await request.inputBounds.closer((texts) => Promise.resolve(countAll(texts)), CONTEXT)
      expect(most).toBeGreaterThanOrEqual(closer)
      expect(closer).toBeGreaterThanOrEqual(countAll(textsIn(JSON.parse(written))))
    }),
    { numRuns: RUNS },
  )
})

function writtenFor(request: EndpointRequest, dialect: ProviderDialect): string | undefined {
  const [target] = modelOf(dialect).targets
  if (target === undefined) throw new Error('a model has no target')
  const prepared = request.prepare({ provider: providerOf(dialect), target, exchangeId: 'e', nowMs: 0 })
  return isRefusal(prepared) ? undefined : prepared.body(100)
}

function countAll(texts: readonly string[]): number {
  return texts.reduce((sum, item) => sum + (OWN['o200k']?.(item) ?? 0), 0)
}

/** All that a model can be given of a body: its texts, names and numbers. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
  return [String(value)]
}
