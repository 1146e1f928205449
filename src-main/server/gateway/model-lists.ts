// The lists of models: one for everybody, with the members that most tools look for, and others in the forms that single formats' clients
// read. Everyone may see what there is; with a key one sees what that key may call.

import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { Catalog } from '#catalog/catalog.ts'
import { iso } from '#catalog/dates.ts'
import type { Model } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ModelViews } from '#dialect/model-views.ts'
import { ENDPOINTS } from '#dialect/dialects.ts'
import { authenticate, type AuthenticateDeps } from '#pipeline/authenticate.ts'
import type { Clock } from '#pipeline/ports.ts'
import { mayCall } from '#pipeline/resolve.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { READ } from '#server/http/paths.ts'
import { sendRefusal } from '#server/http/refusals.ts'

export type ListDeps = Omit<AuthenticateDeps, 'nowMs'> & { readonly clock: Clock; readonly callGuard: CallGuard }

type ModelRoute = { readonly Params: { readonly '*': string } }

export function registerModelLists(app: FastifyInstance, config: FastifyContextConfig, deps: ListDeps): void {
  for (const [format, { models: views }] of ENDPOINTS) {
    if (views?.path !== undefined) {
      registerLists(app, { path: views.path, config: { ...config, format }, viewsFor: () => views }, deps)
    }
  }
  for (const path of ['/v1/models', '/models']) registerLists(app, { path, config, viewsFor: viewsOf }, deps)
}

type Lists = {
  readonly path: string
  readonly config: FastifyContextConfig
  /** The form that is asked for; undefined for the common one. */
  readonly viewsFor: (request: FastifyRequest) => ModelViews | undefined
}

function registerLists(app: FastifyInstance, { path, config, viewsFor }: Lists, deps: ListDeps): void {
  app.route({
    method: READ,
    url: path,
    config,
    handler(request, reply) {
      const models = visibleModels(request, deps)
      if (isRefusal(models)) return sendRefusal(reply, models)
      return reply.send(viewsFor(request)?.list(models) ?? commonList(models, deps.catalog))
    },
  })
  app.route<ModelRoute>({
    method: READ,
    url: `${path}/*`,
    config,
    handler(request, reply) {
      const model = visibleModel(request, deps)
      if (isRefusal(model)) return sendRefusal(reply, model)
      return reply.send(viewsFor(request)?.show(model) ?? modelObject(model, deps.catalog))
    },
  })
}

/** The form of the clients that ask, as their headers and query show. */
function viewsOf({ headers, query }: FastifyRequest): ModelViews | undefined {
  const asked = { headers, query: query as Readonly<Record<string, unknown>> }
  const views = ENDPOINTS.map(([, endpoint]) => endpoint.models)
  return views.find((one) => one?.isFor(asked) === true)
}

function visibleModel(request: FastifyRequest<ModelRoute>, deps: ListDeps): Model | Refusal {
  const models = visibleModels(request, deps)
  if (isRefusal(models)) return models
  const id = request.params['*']
  const model = namesOf(id).flatMap((name) => models.find((candidate) => candidate.id === name) ?? [])[0]
  return model ?? refuse('model_not_found', `The model '${id}' does not exist or is not enabled.`)
}

/** The name itself, and what the clients of a format may call the same model. */
export function namesOf(id: string): readonly string[] {
  return [id, ...ENDPOINTS.flatMap(([, { otherNames }]) => otherNames?.(id) ?? [])]
}

function visibleModels(request: FastifyRequest, deps: ListDeps): readonly Model[] | Refusal {
  const enabled = deps.catalog.models.filter((model) => model.isEnabled)
  const credentials = credentialsOf(request)
  const { authorization, keyHeaders, isKeyInQuery } = credentials
  if (authorization === undefined && keyHeaders.length === 0 && !isKeyInQuery) return enabled
  const caller = authenticate(credentials, { ...deps, nowMs: deps.clock.nowMs })
  if (!isRefusal(caller)) return enabled.filter((model) => mayCall(caller.package, model.id))
  const refusal = deps.callGuard.refused(request, caller)
  // Nobody needs a key here. Over the LAN it was refused before; a key in the address is refused everywhere, because it is
  // in logs from then on.
  return isKeyInQuery ? refusal : enabled
}

function commonList(models: readonly Model[], catalog: Catalog): object {
  const data = models.map((model) => modelObject(model, catalog))
  const first = data[0]?.id ?? null
  return { object: 'list', data, has_more: false, first_id: first, last_id: data.at(-1)?.id ?? null }
}

/** A model with the members that the clients of all formats read. */
function modelObject(model: Model, catalog: Catalog) {
  const [target] = model.targets
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    created_at: iso(model.createdAtMs),
    owned_by: (target && catalog.provider(target.providerId)?.name) ?? 'farebox',
    display_name: model.displayName,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    ...formatMembers(model),
  }
}

/** What the clients of single formats read of a model. */
function formatMembers(model: Model): object {
  const members = {}
  for (const [, { modelMembers }] of ENDPOINTS) Object.assign(members, modelMembers?.(model))
  return members
}
