// Applies a farebox.yaml: creates what is missing, updates what differs, leaves everything else alone. Applying the same
// document again changes nothing. What would change is computed and checked as a whole before anything is written.

import { compare, planProvider, type Planned, type PlannedProvider } from '#catalog/apply-provider.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { readModelInput } from '#catalog/models.ts'
import { packageChanges, readPackage } from '#catalog/packages.ts'
import { commitWithSecrets } from '#catalog/secrets.ts'
import { modelView, packageView } from '#catalog/views.ts'
import type { ApplyChange, ApplyDocument, ApplyResult } from '#contract/schemas.ts'
import type { Model, Package, Provider } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

type More = { readonly rows?: readonly CatalogChange[]; readonly batch?: LedgerBatch }
type ApplyPlan = {
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
  const refusal = isDryRun ? undefined : await carryOut(context, plan)
  if (refusal !== undefined) return refusal
  return { dry_run: isDryRun, changes: changesOf(plan) }
}

export function changesOf({ providers, models, packages }: ApplyPlan): ApplyChange[] {
  return [...providers, ...models, ...packages].map(({ change }) => change)
}

/** What a document comes to, checked as a whole. Nothing has changed yet. */
export async function planDocument(context: CatalogContext, document: ApplyDocument): Promise<ApplyPlan | Refusal> {
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

/** Writes all of a plan, and with it what `more` adds, or nothing. */
export async function carryOut(
  context: CatalogContext,
  plan: ApplyPlan,
  more: More = {},
): Promise<Refusal | undefined> {
  const changed = <Entity, Item extends Planned<Entity>>(planned: readonly Item[]) =>
    planned.filter(({ change }) => change.action !== 'none')
  const providers = changed<Provider, PlannedProvider>(plan.providers)
  const packages = changed<Package, Planned<Package>>(plan.packages).map(({ entity }) => entity)
  const { rows, terms } = packageChanges(context, packages)
  const { rows: moreRows = [], batch } = more
  const changedAtMs = context.nowMs()
  const committed = await commitWithSecrets(context, {
    secrets: providers.flatMap(({ secrets }) => secrets),
    leaving: providers.filter(({ isLeaving }) => isLeaving).map(({ entity }) => entity.id),
    rows: [
      ...providers.map(({ entity }) => ({ type: 'put-provider', provider: entity }) as const),
      ...changed<Model, Planned<Model>>(plan.models).map(
        ({ entity }) => ({ type: 'put-model', model: entity, changedAtMs }) as const,
      ),
      ...rows,
      ...moreRows,
    ],
    accounting: { terms, ...(batch && { batch }) },
  })
  return isRefusal(committed) ? committed : undefined
}

/** A refusal about one item, with the item's place in the document. */
function within(refusal: Refusal, place: string): Refusal {
  const param = refusal.param === undefined ? place : `${place}.${refusal.param}`
  return refuse(refusal.code, `${place}: ${refusal.message}`, { param })
}
