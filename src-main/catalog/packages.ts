// Packages: add, edit, remove.

import { commitChanges, type Accounting, type CatalogContext } from '#catalog/context.ts'
import { readDeadline } from '#catalog/dates.ts'
import { readRateLimits } from '#catalog/rate-limits.ts'
import { packageView } from '#catalog/views.ts'
import type { PackageCreate, PackageEdit, PackageView } from '#contract/schemas.ts'
import { isTimeZone } from '#core/cycle.ts'
import type { Package } from '#core/entities.ts'
import { creditsToMicro, ZERO, type MicroCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AccountTerms } from '#ledger/account.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

export async function addPackage(context: CatalogContext, input: PackageCreate): Promise<PackageView | Refusal> {
  if (context.catalog.package(input.name) !== undefined) {
    return refuse('conflict', `There is a package named '${input.name}' already.`, { param: 'name' })
  }
  const entity = readPackage(context, input, undefined, (id) => context.catalog.model(id) !== undefined)
  if (isRefusal(entity)) return entity
  await commitChanges(context, [{ type: 'put-package', package: entity }])
  return packageView(entity, context.catalog)
}

export async function editPackage(
  context: CatalogContext,
  idOrName: string,
  edit: PackageEdit,
): Promise<PackageView | Refusal> {
  const existing = context.catalog.package(idOrName)
  if (existing === undefined) return noPackage(idOrName)
  const { valid_until: validUntil, reset_used: isUsageReset = false, ...rest } = edit
  const input = { name: existing.name, type: existing.type, ...rest }
  const knowsModel = (id: string) => context.catalog.model(id) !== undefined
  const entity = readPackage(context, input, existing, knowsModel)
  if (isRefusal(entity)) return entity
  const validUntilMs = readValidUntil(validUntil, entity.timeZone, existing)
  if (isRefusal(validUntilMs)) return validUntilMs
  const edited = { ...entity, validUntilMs }
  const { rows, terms } = packageChanges(context, [edited], { isUsageReset })
  await commitChanges(context, rows, { terms })
  return packageView(edited, context.catalog)
}

export async function removePackage(
  context: CatalogContext,
  idOrName: string,
): Promise<Record<string, never> | Refusal> {
  const entity = context.catalog.package(idOrName)
  if (entity === undefined) return noPackage(idOrName)
  if (context.catalog.keysOfPackage(entity.id).length > 0) {
    return refuse('conflict', `Package '${entity.name}' has keys, whose history refers to it. It cannot be removed.`)
  }
  await commitChanges(context, [{ type: 'delete-package', id: entity.id }])
  return {}
}

/** Packages that are to be written, and the accounts of their keys, which follow them in the same moment. */
export function packageChanges(
  { catalog }: CatalogContext,
  packages: readonly Package[],
  { isUsageReset } = { isUsageReset: false },
): { readonly rows: CatalogChange[]; readonly terms: NonNullable<Accounting['terms']> } {
  const terms = packages.flatMap((entity) => {
    const change = { terms: termsOf(entity), reason: `package '${entity.name}' was changed`, isUsageReset }
    return catalog.keysOfPackage(entity.id).map((key) => ({ keyId: key.id, ...change }))
  })
  return { rows: packages.map((entity) => ({ type: 'put-package', package: entity })), terms }
}

/** What a package promises the accounts of its keys. */
export function termsOf(entity: Package): AccountTerms {
  return { packageType: entity.type, creditsMicro: entity.creditsMicro, timeZone: entity.timeZone }
}

/** The package that an input describes. What the input leaves out is taken from `existing`, else from the defaults. */
export function readPackage(
  context: CatalogContext,
  input: PackageCreate,
  existing: Package | undefined,
  knowsModel: (id: string) => boolean,
): Package | Refusal {
  const creditsMicro = readCredits(input, existing)
  if (isRefusal(creditsMicro)) return creditsMicro
  const timeZone = input.timezone ?? existing?.timeZone ?? context.timeZone
  if (!isTimeZone(timeZone)) {
    return refuse('invalid_request', `'timezone': '${timeZone}' is not a time zone.`, { param: 'timezone' })
  }
  // Models that were removed stay in the list: the package gets them back when they are added again.
  const unknown = input.models === 'all' ? undefined : input.models?.find((id) => !knowsModel(id))
  if (unknown !== undefined) {
    return refuse('invalid_request', `'models': there is no model '${unknown}'.`, { param: 'models' })
  }
  const validUntilMs = readValidUntil(input.valid_until, timeZone, existing)
  if (isRefusal(validUntilMs)) return validUntilMs
  return {
    id: existing?.id ?? context.newId(),
    name: input.name,
    type: input.type,
    creditsMicro,
    timeZone,
    limits: input.limits === undefined && existing !== undefined ? existing.limits : readRateLimits(input.limits ?? {}),
    models: input.models ?? existing?.models ?? 'all',
    validUntilMs,
    createdAtMs: existing?.createdAtMs ?? context.nowMs(),
  }
}

function readCredits(input: PackageCreate, existing: Package | undefined): MicroCredits | Refusal {
  const wrong = (says: string) => refuse('invalid_request', `'credits' ${says}.`, { param: 'credits' })
  if (input.type === 'unlimited')
    return input.credits === undefined ? ZERO : wrong('has no meaning for an unlimited package')
  if (input.credits === undefined) {
    // A package that was unlimited has no credits to go on with.
    return existing === undefined || existing.type === 'unlimited' ? wrong('is required') : existing.creditsMicro
  }
  return creditsToMicro(input.credits) ?? wrong('takes at most six decimals')
}

function readValidUntil(
  text: string | null | undefined,
  timeZone: string,
  existing: Package | undefined,
): number | undefined | Refusal {
  if (text === null) return undefined
  return text === undefined ? existing?.validUntilMs : readDeadline(text, timeZone, 'valid_until')
}

export function noPackage(idOrName: string): Refusal {
  return refuse('not_found', `There is no package '${idOrName}'.`)
}
