import { expect, it } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import type { Model, Package, Target } from '#core/entities.ts'
import { ZERO } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import { resolveRoute } from '#pipeline/resolve.ts'
import { testProvider } from '../support/provider.ts'

const PROVIDER = testProvider()

const PACKAGE: Package = {
  id: 'k',
  name: 'package',
  type: 'topup',
  creditsMicro: ZERO,
  timeZone: 'UTC',
  limits: { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined },
  models: 'all',
  validUntilMs: undefined,
  createdAtMs: 0,
}

function target(upstreamModel: string, priority: number): Target {
  return { providerId: 'p', upstreamModel, priority, weight: 1 }
}

function servedBy(...targets: readonly Target[]): string | undefined {
  const price = { version: 1, inputMicro: ZERO, outputMicro: ZERO, cacheReadMicro: ZERO, cacheWriteMicro: ZERO }
  const model: Model = {
    id: 'm',
    displayName: 'm',
    kind: 'chat',
    contextWindow: 1000,
    maxOutputTokens: 100,
    isEnabled: true,
    price,
    targets,
    createdAtMs: 0,
  }
  const state = { providers: [PROVIDER], models: [model], packages: [PACKAGE], keys: [] }
  const route = resolveRoute(new Catalog(state, new Map()), { model: 'm', kind: 'chat', endpoint: 'chat' }, PACKAGE)
  return isRefusal(route) ? undefined : route.target.upstreamModel
}

it('serves a model by the target of the lowest priority number, wherever it is listed', () => {
  expect(servedBy(target('a', 5), target('b', 0), target('c', 3))).toBe('b')
  expect(servedBy(target('a', 0), target('b', 5))).toBe('a')
})

it('serves a model by the target listed first where priorities are equal', () => {
  expect(servedBy(target('a', 1), target('b', 1))).toBe('a')
})
