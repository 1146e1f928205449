// Keys: create, show, suspend, resume, extend, move, revoke.

import { commitChanges, insistOnChanges, type CatalogContext } from '#catalog/context.ts'
import { isoOrNull, readExpiry } from '#catalog/dates.ts'
import { noPackage, termsOf } from '#catalog/packages.ts'
import { keyView } from '#catalog/views.ts'
import type { KeyCreate, KeyCreated, KeyEdit, KeyView } from '#contract/schemas.ts'
import { cleanName, cleanTags } from '#core/attribution.ts'
import type { Key, Package, StoredKeyStatus, Suspender } from '#core/entities.ts'
import { keyHint, makeKey } from '#core/key-format.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { LedgerBatch } from '#ledger/rows.ts'

/** Rotation about every 90 days is what the contract recommends. */
export const DEFAULT_EXPIRY = '90d'
export const KEY_RANDOM_BYTES = 64

/**
 * Makes a key. Its value is in the answer and nowhere else, ever again. Where the owner is a member, the key is the member's from
 * then on.
 */
export async function createKey(context: CatalogContext, input: KeyCreate): Promise<KeyCreated | Refusal> {
  const entity = context.catalog.package(input.package)
  if (entity === undefined) return noPackage(input.package)
  const made = newKey(context, entity, input)
  if (isRefusal(made)) return made
  const change = { type: 'put-key', key: made.key } as const
  await withAccount(context, made.key, entity, (batch) => commitChanges(context, [change], { batch }))
  return createdView(made)
}

type NewKey = { readonly key: Key; readonly value: string }

/** A key that is to be made in a package. Nothing knows it yet. */
export function newKey(context: CatalogContext, entity: Package, input: Omit<KeyCreate, 'package'>): NewKey | Refusal {
  const namesake = context.catalog.key(input.name)
  if (namesake !== undefined && namesake.storedStatus !== 'revoked') {
    return refuse('conflict', `There is a key named '${input.name}' already.`, { param: 'name' })
  }
  const nowMs = context.nowMs()
  const expiresAtMs = readExpiry(input.expires ?? DEFAULT_EXPIRY, entity.timeZone, nowMs)
  if (isRefusal(expiresAtMs)) return expiresAtMs
  const member = input.owner === undefined ? undefined : context.catalog.member(input.owner)
  const value = makeKey(context.randomBytes(KEY_RANDOM_BYTES))
  const key: Key = {
    id: context.newId(),
    name: input.name,
    owner: member?.name ?? input.owner,
    memberId: member?.id,
    hash: context.hashKey(value),
    hint: keyHint(value),
    packageId: entity.id,
    storedStatus: 'active',
    suspendedBy: undefined,
    expiresAtMs,
    createdAtMs: nowMs,
    valueSinceMs: nowMs,
    previous: undefined,
    ...labelsOf(input),
  }
  return { key, value }
}

/** Opens a key's account and writes both; where that fails there is no account. */
export async function withAccount<Written>(
  context: CatalogContext,
  key: Key,
  entity: Package,
  write: (batch: LedgerBatch) => Promise<Written>,
): Promise<Written> {
  const opening = context.ledger.open(key.id, termsOf(entity))
  let isWritten = false
  try {
    const written = await write(opening)
    isWritten = !isRefusal(written)
    return written
  } finally {
    if (!isWritten) context.ledger.forget(key.id)
  }
}

export function createdView({ key, value }: NewKey): KeyCreated {
  return { id: key.id, name: key.name, key: value, expires_at: isoOrNull(key.expiresAtMs) }
}

/** The keys that `isMeant`. */
export function listKeys(context: CatalogContext, isMeant: (key: Key) => boolean = () => true): KeyView[] {
  return context.catalog.keys.filter(isMeant).map((key) => viewOf(context, key))
}

export function showKey(context: CatalogContext, idOrName: string): KeyView | Refusal {
  const key = context.catalog.key(idOrName)
  return key === undefined ? noKey(idOrName) : viewOf(context, key)
}

/** What an administrator suspends only an administrator resumes, also where its member had suspended it before. */
export async function suspendKey(
  context: CatalogContext,
  idOrName: string,
  by: Suspender = 'administrator',
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  if (key.storedStatus === 'suspended' && (by === 'member' || key.suspendedBy === by)) return viewOf(context, key)
  return put(context, { ...key, storedStatus: 'suspended', suspendedBy: by })
}

export async function resumeKey(
  context: CatalogContext,
  idOrName: string,
  by: Suspender = 'administrator',
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key?.storedStatus === 'suspended' && by === 'member' && key.suspendedBy !== 'member') {
    return refuse('forbidden', `Key '${key.name}' was suspended by an administrator, who can resume it.`)
  }
  return changeStatus(context, idOrName, 'active')
}

/** Says what the calls of a key are counted to from the next request on. */
export async function editKey(context: CatalogContext, idOrName: string, edit: KeyEdit): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  return put(context, { ...key, ...labelsOf(edit) })
}

/** Those that are named alone: others stay what they are. */
function labelsOf({ tool, project, tags }: KeyEdit): Pick<Key, 'tool' | 'project' | 'tags'> {
  return {
    ...(tool === undefined ? {} : { tool: tool === null ? undefined : cleanName(tool) }),
    ...(project === undefined ? {} : { project: project === null ? undefined : cleanName(project) }),
    ...(tags === undefined ? {} : { tags: cleanTags(tags) }),
  }
}

/** Final: the key is unusable from the next request on, and its running answers end. */
export function revokeKey(context: CatalogContext, idOrName: string): Promise<KeyView | Refusal> {
  return changeStatus(context, idOrName, 'revoked')
}

/** Sets a new expiry, which also revives an expired key. */
export async function extendKey(
  context: CatalogContext,
  idOrName: string,
  expires: string,
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  const expiresAtMs = readExpiryOf(context, key, expires)
  if (isRefusal(expiresAtMs)) return expiresAtMs
  return put(context, { ...key, expiresAtMs })
}

/**
 * Gives a key another package from the next request on. Running calls end as they were admitted. Within one kind of package
 * what was used in the cycle stays counted; another kind begins a cycle of its own.
 */
export async function moveKey(
  context: CatalogContext,
  idOrName: string,
  packageIdOrName: string,
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  const entity = context.catalog.package(packageIdOrName)
  if (entity === undefined) return noPackage(packageIdOrName)
  const moved = { ...key, packageId: entity.id }
  const changes = key.packageId === entity.id ? [] : [{ type: 'put-key', key: moved } as const]
  const reason = `moved to package '${entity.name}'`
  await commitChanges(context, changes, { terms: [{ keyId: key.id, terms: termsOf(entity), reason }] })
  return viewOf(context, moved)
}

/** An expiry as it is written, in the zone of the key's package. */
export function readExpiryOf(context: CatalogContext, key: Key, expires: string): number | undefined | Refusal {
  const timeZone = context.catalog.package(key.packageId)?.timeZone ?? context.timeZone
  return readExpiry(expires, timeZone, context.nowMs())
}

async function changeStatus(
  context: CatalogContext,
  idOrName: string,
  storedStatus: StoredKeyStatus,
): Promise<KeyView | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === storedStatus) return viewOf(context, key)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  return put(context, { ...key, storedStatus, suspendedBy: undefined })
}

async function put(context: CatalogContext, key: Key): Promise<KeyView> {
  const changes = [{ type: 'put-key', key } as const]
  // A key that somebody wants blocked is blocked, also while nothing can be written.
  const notice = key.storedStatus === 'active' ? undefined : await insistOnChanges(context, changes)
  if (key.storedStatus === 'active') await commitChanges(context, changes)
  if (context.catalog.statusOf(key, context.nowMs()) !== 'active') context.keyBlocked(key.id)
  return notice === undefined ? viewOf(context, key) : { ...viewOf(context, key), notice }
}

export function viewOf(context: CatalogContext, key: Key): KeyView {
  return keyView(key, context.ledger.balance(key.id), context.catalog, context.nowMs())
}

export function noKey(idOrName: string): Refusal {
  return refuse('not_found', `There is no key '${idOrName}'.`)
}

export function revokedIsFinal(key: Key): Refusal {
  return refuse('conflict', `Key '${key.name}' is revoked, which is final. Create a new one.`)
}
