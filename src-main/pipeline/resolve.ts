// From the model that a request names to the model and the target that serve it.

import type { Catalog } from '#catalog/catalog.ts'
import type { Model, Package, Provider, Target } from '#core/entities.ts'
import type { Price } from '#core/pricing.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'

export type Route = {
  readonly model: Model
  readonly price: Price
  readonly target: Target
  readonly provider: Provider
}

/** Whether a package's keys may call a model. */
export function mayCall(entity: Package, modelId: string): boolean {
  return entity.models === 'all' || entity.models.includes(modelId)
}

/** The route for a request. A model that is not enabled, or not in the key's package, does not exist for it. */
export function resolveRoute(
  catalog: Catalog,
  request: Pick<EndpointRequest, 'model' | 'kind' | 'endpoint'>,
  caller: Package,
): Route | Refusal {
  const model = findModel(catalog, request)
  if (model === undefined || !model.isEnabled || !mayCall(caller, model.id)) {
    return refuse('model_not_found', `The model '${request.model}' does not exist or is not enabled.`, {
      param: 'model',
    })
  }
  if (model.kind !== request.kind) {
    const says = model.kind === 'chat' ? 'generates text; it has no embeddings' : 'makes embeddings only'
    return refuse('invalid_request', `The model '${model.id}' ${says}.`, { param: 'model' })
  }
  // Enabling needs a price, so this guards against what should not happen: a call that nobody could charge.
  if (model.price === undefined)
    return refuse('model_unpriced', `The model '${model.id}' has no price.`, { param: 'model' })
  const target = firstTarget(model)
  const provider = target === undefined ? undefined : catalog.provider(target.providerId)
  if (target === undefined || provider === undefined) throw new Error(`model ${model.id} has no target`)
  return { model, price: model.price, target, provider }
}

/** What clients of the messages format add to a model's name: a date, and a mark for a larger context window. */
const NAME_SUFFIXES = [/\[1m\]$/, /-\d{8}$/]

function findModel(catalog: Catalog, request: Pick<EndpointRequest, 'model' | 'endpoint'>): Model | undefined {
  const exact = catalog.model(request.model)
  if (exact !== undefined || request.endpoint !== 'messages') return exact
  let name = request.model
  for (const suffix of NAME_SUFFIXES) {
    name = name.replace(suffix, '')
    const model = catalog.model(name)
    if (model !== undefined) return model
  }
  return undefined
}

/** The target of the lowest priority number; of several the one that was listed first. */
function firstTarget(model: Model): Target | undefined {
  const [first, ...others] = model.targets
  return others.reduce((best, target) => (best !== undefined && target.priority < best.priority ? target : best), first)
}
