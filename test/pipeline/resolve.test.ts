import { expect, it } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import type { Target } from '#core/entities.ts'
import { isRefusal } from '#core/refusal.ts'
import { resolveModel } from '#pipeline/resolve.ts'
import { modelOf, PACKAGE, providerOf } from './support.ts'

const DIALECT = 'chat-completions'

function target(upstreamModel: string, priority: number): Target {
  return { providerId: DIALECT, upstreamModel, priority, weight: 1 }
}

it('serves a model by all of its targets, each with its provider', () => {
  const model = modelOf(DIALECT, [target('a', 5), target('b', 0)])
  const state = {
    providers: [providerOf(DIALECT)],
    models: [model],
    packages: [PACKAGE],
    keys: [],
    members: [],
    invites: [],
    projects: [],
  }
  const served = resolveModel(
    new Catalog(state, new Map()),
    { model: DIALECT, kind: 'chat', endpoint: 'chat' },
    PACKAGE,
  )
  if (isRefusal(served)) throw new Error(served.message)
  expect(served.places.map((place) => [place.provider.name, place.target.upstreamModel])).toEqual([
    [DIALECT, 'a'],
    [DIALECT, 'b'],
  ])
})
