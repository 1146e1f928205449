// What a member may see and make for themselves: keys under the packages that are open to them, and what these packages allow. The
// holder of a key sees the package of that key alone.

import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { iso, readExpiry } from '#catalog/dates.ts'
import { createKey, DEFAULT_EXPIRY, noKey } from '#catalog/keys.ts'
import { usableKeys } from '#catalog/members.ts'
import { noPackage } from '#catalog/packages.ts'
import { rotateKey } from '#catalog/rotation.ts'
import { modelView, packageView } from '#catalog/views.ts'
import type { KeyCreate, KeyCreated, KeyRotate, KeyRotated, ModelView, PackageView } from '#contract/schemas.ts'
import { cleanName } from '#core/attribution.ts'
import type { Package } from '#core/entities.ts'
import { byRole, type Member, type Viewer } from '#core/member.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** Each key has the credits of its package to itself, so that keys are what a member can spend too much by. */
const MAX_KEYS = 20
const DAY_MS = 86_400_000

/**
 * Makes a key for a member, who can choose neither its owner nor a longer life than keys have anyway. A package that is not open
 * to them is refused like one that is not there.
 */
export async function createOwnKey(
  context: CatalogContext,
  member: Member,
  input: KeyCreate,
): Promise<KeyCreated | Refusal> {
  const { catalog } = context
  const entity = catalog.package(input.package)
  if (entity === undefined || !isOpenTo(entity, member)) return noPackage(input.package)
  if (input.owner !== undefined && catalog.member(input.owner)?.id !== member.id) {
    return refuse('forbidden', 'The keys that you make are yours.', { param: 'owner' })
  }
  if (isOfLimitedProject(catalog, input)) {
    const message = 'A project that has limits is for keys that an administrator sets to it.'
    return refuse('forbidden', message, { param: 'project' })
  }
  const tooLong = checkExpiry(context, entity, input.expires)
  if (tooLong !== undefined) return tooLong
  const tooMany = checkNumber(context, member)
  if (tooMany !== undefined) return tooMany
  return createKey(context, { ...input, package: entity.id, owner: member.id })
}

/** Its budget is not the member's to use up, neither by what a client says nor by what a key is set to. */
function isOfLimitedProject(catalog: Catalog, { project }: KeyCreate): boolean {
  const name = project === undefined ? undefined : cleanName(project)
  return name !== undefined && catalog.project(name) !== undefined
}

/**
 * Gives a member's key a new value. It lives on like a key that they could make in its place; where they could not, because its
 * package is not open to them, or where it has expired, its end is an administrator's to move.
 */
export async function rotateOwnKey(
  context: CatalogContext,
  member: Member,
  keyId: string,
  input: KeyRotate,
): Promise<KeyRotated | Refusal> {
  const { catalog } = context
  const key = catalog.key(keyId)
  if (key === undefined) return noKey(keyId)
  const entity = catalog.package(key.packageId)
  if (entity === undefined) throw new Error(`key ${key.id} has no package`)
  if (catalog.statusOf(key, context.nowMs()) === 'expired') return onlyAdministrator('This key has expired.')
  if (isOpenTo(entity, member)) {
    return checkExpiry(context, entity, input.expires) ?? rotateKey(context, key.id, input)
  }
  if (input.expires !== undefined) return onlyAdministrator('The package of this key is not open to you.')
  return rotateKey(context, key.id, {
    ...input,
    expires: key.expiresAtMs === undefined ? 'never' : iso(key.expiresAtMs),
  })
}

/** The packages under which a member may make keys. Of their keys a member sees the own ones. */
export function ownPackages(catalog: Catalog, member: Member): PackageView[] {
  const keys = catalog.keysOfMember(member.id)
  const count = (entity: Package) => keys.filter((key) => key.packageId === entity.id).length
  return catalog.packages
    .filter((entity) => isOpenTo(entity, member))
    .map((entity) => packageView(entity, catalog, count(entity)))
}

/** The models that somebody may see: an administrator all of them. */
export function modelsFor(catalog: Catalog, viewer: Viewer): ModelView[] {
  return byRole(viewer, {
    administrator: () => catalog.models.map((model) => modelView(model, catalog)),
    member: (member) => ownModels(catalog, member),
    holder: (keyId) => modelsOfKey(catalog, keyId),
  })
}

/** The models that a member's packages allow, without who serves them. */
function ownModels(catalog: Catalog, member: Member): ModelView[] {
  const held = new Set(catalog.keysOfMember(member.id).map((key) => key.packageId))
  return modelsOf(
    catalog,
    catalog.packages.filter((entity) => isOpenTo(entity, member) || held.has(entity.id)),
  )
}

/** The package that a key is in, as if the key were alone in it. */
export function packageOfKey(catalog: Catalog, keyId: string): PackageView[] {
  return packagesAround(catalog, keyId).map((entity) => packageView(entity, catalog, 1))
}

/** The models that a key may call, without who serves them. */
function modelsOfKey(catalog: Catalog, keyId: string): ModelView[] {
  return modelsOf(catalog, packagesAround(catalog, keyId))
}

function packagesAround(catalog: Catalog, keyId: string): Package[] {
  const packageId = catalog.key(keyId)?.packageId
  return catalog.packages.filter(({ id }) => id === packageId)
}

function modelsOf(catalog: Catalog, packages: readonly Package[]): ModelView[] {
  const isAllowed = (id: string) => packages.some(({ models }) => models === 'all' || models.includes(id))
  return catalog.models
    .filter((model) => model.isEnabled && isAllowed(model.id))
    .map((model) => ({ ...modelView(model, catalog), targets: [] }))
}

function isOpenTo(entity: Package, { packages }: Member): boolean {
  return packages === 'all' || packages.includes(entity.id)
}

function onlyAdministrator(why: string): Refusal {
  return refuse('forbidden', `${why} An administrator can extend it.`)
}

function checkExpiry(context: CatalogContext, { timeZone }: Package, expires: string | undefined): Refusal | undefined {
  if (expires === undefined) return undefined
  const nowMs = context.nowMs()
  const asked = readExpiry(expires, timeZone, nowMs)
  if (isRefusal(asked)) return asked
  const longest = readExpiry(DEFAULT_EXPIRY, timeZone, nowMs)
  if (isRefusal(longest) || longest === undefined) throw new Error('the default expiry is no instant')
  if (asked !== undefined && asked <= longest) return undefined
  const message = 'A key that you make lives for 90 days at most. An administrator can extend it.'
  return refuse('forbidden', message, { param: 'expires' })
}

function checkNumber({ catalog, nowMs }: CatalogContext, member: Member): Refusal | undefined {
  const recent = catalog.keysOfMember(member.id).filter((key) => key.createdAtMs > nowMs() - DAY_MS).length
  if (recent >= MAX_KEYS) return refuse('forbidden', `You have made ${MAX_KEYS} keys within a day. Try again tomorrow.`)
  if (usableKeys(catalog, member) < MAX_KEYS) return undefined
  return refuse('forbidden', `You have ${MAX_KEYS} keys, which is as many as a member may have. Revoke one first.`)
}
