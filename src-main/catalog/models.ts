// Models with their targets and prices: add, edit, price, enable, disable, remove.

import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import { priceView, readPrice } from '#catalog/prices.ts'
import { modelView } from '#catalog/views.ts'
import type { PriceChange, PriceFields } from '#contract/prices.ts'
import type { ModelCreate, ModelEdit, ModelView, TargetFields } from '#contract/schemas.ts'
import { hasOutputCap, type Model, type Provider, type Target } from '#core/entities.ts'
import { isPriceJump } from '#core/pricing.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** Finds a provider by the name that a target gives. */
export type FindProvider = (name: string) => Provider | undefined

export async function addModel(context: CatalogContext, input: ModelCreate): Promise<ModelView | Refusal> {
  if (context.catalog.model(input.id) !== undefined) {
    return refuse('conflict', `There is a model '${input.id}' already.`, { param: 'id' })
  }
  const model = readModelInput(context, input, undefined, (name) => context.catalog.provider(name))
  return isRefusal(model) ? model : put(context, model)
}

/** What is left out stays; targets are replaced as a whole. Calls that are running end as they were admitted. */
export async function editModel(context: CatalogContext, id: string, edit: ModelEdit): Promise<ModelView | Refusal> {
  const model = context.catalog.model(id)
  if (model === undefined) return noModel(id)
  const targets =
    edit.targets === undefined ? model.targets : readTargets(edit.targets, (name) => context.catalog.provider(name))
  if (isRefusal(targets)) return targets
  const kinds = readKind(model, edit)
  if (isRefusal(kinds)) return kinds
  const sized = edit.context_window === undefined ? model : withContext(model, edit.context_window)
  const displayName = edit.display_name ?? model.displayName
  const shown = await put(context, { ...sized, ...kinds, displayName, targets })
  context.targetsChanged(changedTargets(context, model.targets, targets))
  return shown
}

/** The model with a context window that somebody told. */
function withContext({ isContextGuessed: _guess, ...model }: Model, contextWindow: number): Model {
  return { ...model, contextWindow }
}

/**
 * The model with the context window that its provider tells since, in place of the one that was assumed; undefined where
 * nothing was assumed. An output as long as the context goes on to be that.
 */
export function withLearntContext(model: Model, contextWindow: number | undefined): Model | undefined {
  if (model.isContextGuessed !== true || contextWindow === undefined) return undefined
  const isWhole = model.maxOutputTokens === model.contextWindow
  const maxOutputTokens = isWhole ? contextWindow : Math.min(model.maxOutputTokens, contextWindow)
  return { ...withContext(model, contextWindow), maxOutputTokens }
}

/** What an edited model is for, with its output cap. Without a price for output, the output of a chat model would be free. */
function readKind(model: Model, edit: ModelEdit): Pick<Model, 'kind' | 'maxOutputTokens'> | Refusal {
  const kind = edit.kind ?? model.kind
  const maxOutputTokens = edit.max_output_tokens ?? model.maxOutputTokens
  if (kind === model.kind) return { kind, maxOutputTokens }
  if (!hasOutputCap(kind)) return { kind, maxOutputTokens: edit.max_output_tokens ?? 0 }
  if (maxOutputTokens === 0) return noOutputCap()
  const { price } = model
  if (price === undefined || price.outputMicro > 0 || price.inputMicro === 0) return { kind, maxOutputTokens }
  const says = `Model '${model.id}' has no price for output, which a chat model needs. Set its price first.`
  return refuse('invalid_request', says, { param: 'kind' })
}

/** Targets that came or went, but for those that another model has as well: what is known of these goes on to count. */
function changedTargets(context: CatalogContext, before: readonly Target[], after: readonly Target[]): Target[] {
  const isAmong = (targets: readonly Target[], { providerId, upstreamModel }: Target) =>
    targets.some((other) => other.providerId === providerId && other.upstreamModel === upstreamModel)
  const gone = before.filter((target) => !isAmong(after, target))
  const come = after.filter((target) => !isAmong(before, target))
  const inUse = (target: Target) => context.catalog.models.filter((model) => isAmong(model.targets, target)).length
  return [...gone.filter((target) => inUse(target) === 0), ...come.filter((target) => inUse(target) === 1)]
}

export async function priceModel(
  context: CatalogContext,
  id: string,
  { confirm_jump, ...fields }: PriceChange,
): Promise<ModelView | Refusal> {
  const model = context.catalog.model(id)
  if (model === undefined) return noModel(id)
  const changed = repriced(context, model, fields)
  if (isRefusal(changed)) return changed
  if (confirm_jump !== true && isPriceJump(priceView(model.price), priceView(changed.price))) {
    const says = `The price of '${id}' would change more than a hundredfold; prices are credits per million tokens.`
    return refuse('invalid_request', `${says} Confirm the jump if it is meant.`, { param: 'confirm_jump' })
  }
  return put(context, changed)
}

/** The model at a price; the same object where it has that price already. */
export function repriced(context: CatalogContext, model: Model, fields: PriceFields): Model | Refusal {
  const price = readPrice(fields, model, context.catalog.nextPriceVersion(model.id))
  if (isRefusal(price)) return price
  return price === model.price ? model : { ...model, price }
}

export async function enableModel(
  context: CatalogContext,
  id: string,
  isEnabled: boolean,
): Promise<ModelView | Refusal> {
  const model = context.catalog.model(id)
  if (model === undefined) return noModel(id)
  if (isEnabled && model.price === undefined) return unpriced(id)
  return put(context, { ...model, isEnabled })
}

export async function removeModel(context: CatalogContext, id: string): Promise<Record<string, never> | Refusal> {
  if (context.catalog.model(id) === undefined) return noModel(id)
  await commitChanges(context, [{ type: 'delete-model', id }])
  return {}
}

/** The model that an input describes. What the input leaves out is taken from `existing`, else from the defaults. */
export function readModelInput(
  context: CatalogContext,
  input: ModelCreate,
  existing: Model | undefined,
  findProvider: FindProvider,
): Model | Refusal {
  const kind = input.kind ?? existing?.kind ?? 'chat'
  const maxOutputTokens = input.max_output_tokens ?? existing?.maxOutputTokens ?? (hasOutputCap(kind) ? undefined : 0)
  if (maxOutputTokens === undefined) return noOutputCap()
  const price =
    input.price === undefined
      ? existing?.price
      : readPrice(input.price, { kind, price: existing?.price }, context.catalog.nextPriceVersion(input.id))
  if (isRefusal(price)) return price
  const targets = readTargets(input.targets, findProvider)
  if (isRefusal(targets)) return targets
  if (input.enabled === true && price === undefined) return unpriced(input.id)
  return {
    id: input.id,
    displayName: input.display_name ?? existing?.displayName ?? input.id,
    kind,
    contextWindow: input.context_window,
    maxOutputTokens,
    isEnabled: input.enabled ?? existing?.isEnabled ?? price !== undefined,
    price,
    targets,
    createdAtMs: existing?.createdAtMs ?? context.nowMs(),
  }
}

function readTargets(inputs: readonly TargetFields[], findProvider: FindProvider): Target[] | Refusal {
  const targets: Target[] = []
  for (const [index, input] of inputs.entries()) {
    const provider = findProvider(input.provider)
    if (provider === undefined) {
      const param = `targets.${index}.provider`
      return refuse('invalid_request', `'${param}': there is no provider '${input.provider}'.`, { param })
    }
    targets.push({
      providerId: provider.id,
      upstreamModel: input.model,
      priority: input.priority ?? index,
      weight: input.weight ?? 1,
    })
  }
  return targets
}

async function put(context: CatalogContext, model: Model): Promise<ModelView> {
  await commitChanges(context, [{ type: 'put-model', model, changedAtMs: context.nowMs() }])
  return modelView(model, context.catalog)
}

function noOutputCap(): Refusal {
  return refuse('invalid_request', "'max_output_tokens' is required for a chat model.", { param: 'max_output_tokens' })
}

function noModel(id: string): Refusal {
  return refuse('not_found', `There is no model '${id}'.`)
}

function unpriced(id: string): Refusal {
  return refuse(
    'invalid_request',
    `Model '${id}' needs a price before it can be enabled: for input, and for output if it writes texts.`,
    {
      param: 'price',
    },
  )
}
