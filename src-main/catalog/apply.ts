// Applies a farebox.yaml: creates what is missing, updates what differs, leaves everything else alone. Applying the same
// document again changes nothing. What would change is computed and checked as a whole before anything is written.

import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import { readModelInput } from '#catalog/models.ts'
import { putPackages, readPackage } from '#catalog/packages.ts'
import { keptSecret, readProvider, storeSecret } from '#catalog/providers.ts'
import { modelView, packageView, providerView } from '#catalog/views.ts'
import type { ApplyChange, ApplyDocument, ApplyResult } from '#contract/schemas.ts'
import type { Model, Package, Provider } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

type Planned<Entity> = { readonly entity: Entity; readonly change: ApplyChange }
type PlannedProvider = Planned<Provider> & { readonly secret: string | undefined }
type Plan = {
  readonly providers: readonly PlannedProvider[]
  readonly models: readonly Planned<Model>[]
  readonly packages: readonly Planned<Package>[]
}

export async function applyDocument(
  context: CatalogContext,
  document: ApplyDocument,
  isDryRun: boolean,
): Promise<ApplyResult | Refusal> {
  const plan = await planDocument(context, document)
  if (isRefusal(plan)) return plan
  if (!isDryRun) await carryOut(context, plan)
  const changes = [...plan.providers, ...plan.models, ...plan.packages].map((planned) => planned.change)
  return { dry_run: isDryRun, changes }
}

async function planDocument(context: CatalogContext, document: ApplyDocument): Promise<Plan | Refusal> {
  const repeated = findRepeated(document)
  if (repeated !== undefined) return repeated
  const providers: PlannedProvider[] = []
  for (const [index, input] of (document.providers ?? []).entries()) {
    const planned = await planProvider(context, input)
    if (isRefusal(planned)) return within(planned, `providers.${index}`)
    providers.push(planned)
  }
  const findProvider = (name: string) =>
    providers.find(({ entity }) => entity.name === name)?.entity ?? context.catalog.provider(name)
  const models: Planned<Model>[] = []
  for (const [index, input] of (document.models ?? []).entries()) {
    const existing = context.catalog.model(input.id)
    const entity = readModelInput(context, input, existing, findProvider)
    if (isRefusal(entity)) return within(entity, `models.${index}`)
    const show = (model: Model) => modelView(model, context.catalog)
    models.push({ entity, change: compare('model', entity.id, existing && show(existing), show(entity)) })
  }
  const knowsModel = (id: string) =>
    models.some(({ entity }) => entity.id === id) || context.catalog.model(id) !== undefined
  const packages: Planned<Package>[] = []
  for (const [index, input] of (document.packages ?? []).entries()) {
    const existing = context.catalog.package(input.name)
    const entity = readPackage(context, input, existing, knowsModel)
    if (isRefusal(entity)) return within(entity, `packages.${index}`)
    const show = (shown: Package) => packageView(shown, context.catalog)
    packages.push({ entity, change: compare('package', entity.name, existing && show(existing), show(entity)) })
  }
  return { providers, models, packages }
}

/** Of two descriptions of one thing nobody can say which one counts. */
function findRepeated(document: ApplyDocument): Refusal | undefined {
  const lists = [
    { list: 'providers', member: 'name', names: document.providers?.map(({ name }) => name) },
    { list: 'models', member: 'id', names: document.models?.map(({ id }) => id) },
    { list: 'packages', member: 'name', names: document.packages?.map(({ name }) => name) },
  ]
  for (const { list, member, names = [] } of lists) {
    const index = names.findIndex((name, position) => names.indexOf(name) < position)
    if (index === -1) continue
    return within(
      refuse('invalid_request', `'${names[index]}' is described twice.`, { param: member }),
      `${list}.${index}`,
    )
  }
  return undefined
}

async function planProvider(
  context: CatalogContext,
  input: NonNullable<ApplyDocument['providers']>[number],
): Promise<PlannedProvider | Refusal> {
  const existing = context.catalog.provider(input.name)
  const read = readProvider(context, input, existing)
  if (isRefusal(read)) return read
  // A new base URL may have lost its secret, so what is kept for the new origin counts, not what was.
  const kept = existing === undefined ? undefined : await keptSecret(context, read)
  const entity = { ...read, hasSecret: (input.secret ?? kept) !== undefined }
  const change = compare('provider', entity.name, existing && providerView(existing), providerView(entity))
  const isNewSecret = input.secret !== undefined && input.secret !== kept
  if (!isNewSecret || change.action === 'create') return { entity, change, secret: input.secret }
  const fields = [...change.fields.filter((field) => field !== 'has_secret'), 'secret']
  return { entity, change: { ...change, action: 'update', fields }, secret: input.secret }
}

async function carryOut(context: CatalogContext, plan: Plan): Promise<void> {
  const changed = <Entity>(planned: readonly Planned<Entity>[]) =>
    planned.filter(({ change }) => change.action !== 'none')
  for (const { entity, secret, change } of plan.providers) {
    if (change.action !== 'none') await storeSecret(context, entity, secret)
  }
  const changedAtMs = context.nowMs()
  await commitChanges(context, [
    ...changed(plan.providers).map(({ entity }) => ({ type: 'put-provider', provider: entity }) as const),
    ...changed(plan.models).map(({ entity }) => ({ type: 'put-model', model: entity, changedAtMs }) as const),
  ])
  await putPackages(
    context,
    changed(plan.packages).map(({ entity }) => entity),
  )
}

/** What differs between two views of one thing. */
function compare(kind: ApplyChange['kind'], name: string, before: object | undefined, after: object): ApplyChange {
  if (before === undefined) return { kind, name, action: 'create', fields: [] }
  const old = new Map<string, unknown>(Object.entries(before))
  const fields = Object.entries(after)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(old.get(field)))
    .map(([field]) => field)
  return { kind, name, action: fields.length === 0 ? 'none' : 'update', fields }
}

/** A refusal about one item, with the item's place in the document. */
function within(refusal: Refusal, place: string): Refusal {
  const param = refusal.param === undefined ? place : `${place}.${refusal.param}`
  return refuse(refusal.code, `${place}: ${refusal.message}`, { param })
}
