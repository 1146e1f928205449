// From the model that a request names to the model and the target that serve it.

import type { Catalog } from '#catalog/catalog.ts'
import type { Model, ModelKind, Package, Provider, Target } from '#core/entities.ts'
import type { Price } from '#core/price.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { eachSecret } from '#core/secret-pool.ts'
import { CLIENT_DIALECTS, endpointOf } from '#dialect/dialects.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'
import type { Place } from '#pipeline/routing.ts'

/** What serves a request: the model at its price, and the places that have it, at least one. */
export type Served = {
  readonly model: Model
  readonly price: Price
  readonly places: readonly Place[]
}

/** Whether a package's keys may call a model. */
export function mayCall(entity: Package, modelId: string): boolean {
  return entity.models === 'all' || entity.models.includes(modelId)
}

const MAKES: Readonly<Record<ModelKind, string>> = {
  chat: 'generates text',
  embedding: 'makes embeddings',
  rerank: 'ranks documents',
  moderation: 'makes moderations',
  image: 'makes images',
  speech: 'makes speech',
  transcription: 'writes down speech',
}

function wrongKind(kind: ModelKind, { endpoint }: Pick<EndpointRequest, 'endpoint'>): string {
  const { family } = CLIENT_DIALECTS[endpoint]
  const wanted = family === undefined ? 'embeddings' : CLIENT_DIALECTS[endpoint].makes
  return kind === 'chat' ? `${MAKES[kind]}; it has no ${wanted}` : `${MAKES[kind]} only`
}

/** What serves a request. A model that is not enabled does not exist for it; one that the key's package lacks is refused by that. */
export function resolveModel(
  catalog: Catalog,
  request: Pick<EndpointRequest, 'model' | 'kind' | 'endpoint'>,
  caller: Package,
): Served | Refusal {
  const model = findModel(catalog, request)
  if (model?.isEnabled === true && !mayCall(caller, model.id)) {
    const message = `Your package '${caller.name}' does not include the model '${model.id}'.`
    return refuse('model_not_found', message, { param: 'model' })
  }
  if (model === undefined || !model.isEnabled) {
    return refuse('model_not_found', `The model '${request.model}' does not exist or is not enabled.`, {
      param: 'model',
    })
  }
  if (model.kind !== request.kind) {
    return refuse('invalid_request', `The model '${model.id}' ${wrongKind(model.kind, request)}.`, { param: 'model' })
  }
  // Enabling needs a price, so this guards against what should not happen: a call that nobody could charge.
  if (model.price === undefined)
    return refuse('model_unpriced', `The model '${model.id}' has no price.`, { param: 'model' })
  return { model, price: model.price, places: model.targets.flatMap((target) => placesOf(catalog, target)) }
}

/** Whether a model is served as it was resolved: at the same price, and by the same providers. */
export function isServed({ model, places }: Served, catalog: Catalog): boolean {
  return (
    model.isEnabled && catalog.model(model.id) === model && places.every(({ provider }) => isSame(provider, catalog))
  )
}

function isSame(provider: Provider, catalog: Catalog): boolean {
  const now = catalog.provider(provider.id)
  return now === provider || (provider.chosen !== undefined && now?.pool === provider.pool)
}

/** A target is a place once with each secret of its provider, one beside the other. */
function placesOf(catalog: Catalog, target: Target): readonly Place[] {
  const provider = catalog.provider(target.providerId)
  if (provider === undefined) throw new Error(`a target has no provider: ${target.upstreamModel}`)
  if (provider.pool.length === 0) return [{ target, provider }]
  return eachSecret(provider).map((each) => ({ target, provider: each }))
}

function findModel(catalog: Catalog, request: Pick<EndpointRequest, 'model' | 'endpoint'>): Model | undefined {
  const exact = catalog.model(request.model)
  if (exact !== undefined) return exact
  for (const name of endpointOf(request.endpoint).otherNames?.(request.model) ?? []) {
    const model = catalog.model(name)
    if (model !== undefined) return model
  }
  return undefined
}
