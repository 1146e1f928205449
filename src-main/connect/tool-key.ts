// The key of a tool: made by its connection, kept in a file of Farebox's own that this user alone reads, and suspended when the tool is
// disconnected, so that its package, its credits and its history are there when it comes back.

import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { Refused } from '#connect/format.ts'
import type { Gateway, KeyLabels } from '#connect/gateway.ts'
import {
  connectionFolder,
  heldCopyOf,
  keyFileOf,
  readKeyRecord,
  readKeyValue,
  recordFileOf,
  writeKeyRecord,
  type KeyRecord,
} from '#connect/key-file.ts'
import { makePrivateFolder, writePrivate } from '#connect/tool-file.ts'
import type { KeyView, PackageView } from '#contract/schemas.ts'

export type WantedKey = {
  readonly name?: string | undefined
  readonly package?: string | undefined
  /** What is not said stays as it is. */
  readonly labels?: KeyLabels
}
export type KeyPlan = {
  readonly name: string
  readonly package: PackageView
  readonly labels: KeyLabels
  /** The key that the tool has already. */
  readonly known: KeyView | undefined
  /** The key that it has had until now, where it is to have another. */
  readonly previous: KeyView | undefined
  /** All keys that it had before, of interrupted connections too. */
  readonly replaced: readonly KeyView[]
}

type Asking = { readonly dataDir: string; readonly tool: string; readonly gateway: Gateway }

/** Which key it will be. Changes nothing; throws a Refused where it cannot be. */
export async function planKey({ dataDir, tool, gateway }: Asking, wanted: WantedKey): Promise<KeyPlan> {
  const [keys, packages] = await Promise.all([gateway.keys(), gateway.packages()])
  const usable = keys.filter(({ status }) => status !== 'revoked')
  const record = readKeyRecord(dataDir, tool)
  const own = ownKey(record, usable)
  const earlier = usable.filter(({ id }) => record?.replaced.includes(id) === true)
  const isOwn = wanted.name === undefined || wanted.name === own?.name
  const known = isOwn
    ? own
    : usable.find((key) => key.name === wanted.name && (earlier.includes(key) || isUnused(key, tool)))
  if (wanted.name !== undefined && known === undefined && usable.some(({ name }) => name === wanted.name)) {
    throw new Refused(
      'taken',
      `There is a key '${wanted.name}' already, which is not this tool's. Choose another name.`,
    )
  }
  const name = known?.name ?? wanted.name ?? freeName(tool, usable)
  const previous = own?.id === known?.id ? undefined : own
  const replaced = [...earlier, previous ?? []].flat().filter(({ id }) => id !== known?.id)
  const { labels = {} } = wanted
  return { name, package: packageOf(packages, wanted.package ?? known?.package), labels, known, previous, replaced }
}

/** Carries the plan out and resolves with the key's value. */
export async function obtainKey({ dataDir, tool, gateway }: Asking, plan: KeyPlan): Promise<string> {
  makePrivateFolder(connectionFolder(dataDir, tool))
  const { known, name } = plan
  const record = { name, replaced: plan.replaced.map((key) => key.id) }
  const before = readKeyRecord(dataDir, tool)
  if (known !== undefined && known.package !== plan.package.name) await gateway.moveKey(known.id, plan.package.name)
  if (known !== undefined && isSaid(plan.labels)) await gateway.editKey(known.id, plan.labels)
  const held = readKeyValue(dataDir, tool)
  if (known?.status === 'active' && held !== undefined && isValueOf(known, held, before)) return held
  // Written before, so that a key whose value was lost on the way is found again by its name, and no other value is taken for its own.
  if (known === undefined || before?.id !== known.id) writeKeyRecord(dataDir, tool, { ...record, id: null })
  const { id, key: value } = await (known === undefined
    ? gateway.createKey({ name, package: plan.package.name, tool, ...plan.labels })
    : gateway.rotateKey(known.id))
  writePrivate(keyFileOf(dataDir, tool), value)
  writeKeyRecord(dataDir, tool, { ...record, id })
  if (known?.status === 'suspended') await gateway.resumeKey(known.id)
  return value
}

/** Whether the value on the disk is the key's: one that was rotated or replaced when somebody was interrupted is not. */
function isValueOf({ id, hint }: KeyView, value: string, record: KeyRecord | undefined): boolean {
  return record?.id === id && value.endsWith(hint)
}

/**
 * Uses a tool's key, and puts everything as it was where that fails: a key that was made or woken for it rests again, and the one that
 * the tool had before is its key again. Where it goes well, that one rests.
 */
export async function withKey<Done>(asking: Asking, plan: KeyPlan, use: (value: string) => Done): Promise<Done> {
  const { gateway } = asking
  if (plan.previous !== undefined) hold(asking)
  let done: Done
  try {
    done = use(await obtainKey(asking, plan))
  } catch (error) {
    await changeBack(gateway, plan)
    if (plan.known?.status !== 'active') await rest(asking, plan.previous)
    if (plan.previous !== undefined) holdAgain(asking)
    throw error
  }
  await restReplaced(asking, plan.replaced)
  letGo(asking)
  return done
}

/** The keys that a tool had before rest, and nothing more has to be kept in mind of them. */
async function restReplaced({ dataDir, tool, gateway }: Asking, replaced: readonly KeyView[]): Promise<void> {
  for (const { id, status } of replaced) if (status === 'active') await gateway.suspendKey(id)
  const record = readKeyRecord(dataDir, tool)
  if (record !== undefined && record.replaced.length > 0) writeKeyRecord(dataDir, tool, { ...record, replaced: [] })
}

/** A key that was changed for what failed is as it was. */
async function changeBack(gateway: Gateway, { known, package: { name }, labels }: KeyPlan): Promise<void> {
  if (known === undefined) return
  const { id, project, tags } = known
  // A gateway that cannot be asked just now must not hide why it failed.
  if (known.package !== name) await gateway.moveKey(id, known.package).catch(() => undefined)
  if (isSaid(labels)) await gateway.editKey(id, { project, tags }).catch(() => undefined)
}

function isSaid({ project, tags }: KeyLabels): boolean {
  return project !== undefined || tags !== undefined
}

/** Copies the key that the tool has, before anything changes: it is put back by renaming, for which a full disk has room. */
function hold(asking: Asking): void {
  letGo(asking)
  try {
    for (const file of keyFilesOf(asking)) {
      if (existsSync(file)) writePrivate(heldCopyOf(file), readFileSync(file))
    }
  } catch (error) {
    letGo(asking)
    throw error
  }
}

function letGo(asking: Asking): void {
  for (const file of keyFilesOf(asking)) rmSync(heldCopyOf(file), { force: true })
}

function holdAgain(asking: Asking): void {
  for (const file of keyFilesOf(asking)) {
    if (existsSync(heldCopyOf(file))) renameSync(heldCopyOf(file), file)
  }
}

function keyFilesOf({ dataDir, tool }: Pick<Asking, 'dataDir' | 'tool'>): readonly string[] {
  return [keyFileOf(dataDir, tool), recordFileOf(dataDir, tool)]
}

/** The key that was made or woken rests, and its value is no longer on the disk. It may be that none was made, and the record is of another. */
async function rest({ dataDir, tool, gateway }: Asking, previous: KeyView | undefined): Promise<void> {
  rmSync(keyFileOf(dataDir, tool), { force: true })
  const id = readKeyRecord(dataDir, tool)?.id
  if (id === undefined || id === null || id === previous?.id) return
  // A gateway that cannot be asked just now must not hide why the key is of no use.
  await gateway.suspendKey(id).catch(() => undefined)
}

/** The tool's key, where it has one. */
export function keyOf(dataDir: string, tool: string, keys: readonly KeyView[]): KeyView | undefined {
  return ownKey(readKeyRecord(dataDir, tool), keys)
}

/** Takes the values away from the disk. */
export function forgetKeyValue(dataDir: string, tool: string): void {
  const file = keyFileOf(dataDir, tool)
  for (const value of [file, heldCopyOf(file), heldCopyOf(recordFileOf(dataDir, tool))]) rmSync(value, { force: true })
}

/** The keys of a tool that is disconnected rest: its own, and those that it had before. Resolves with its own. */
export async function restKeys(asking: Asking): Promise<KeyView | undefined> {
  const { dataDir, tool, gateway } = asking
  const keys = await gateway.keys()
  const own = keyOf(dataDir, tool, keys)
  if (own?.status === 'active') await gateway.suspendKey(own.id)
  const replaced = readKeyRecord(dataDir, tool)?.replaced ?? []
  await restReplaced(
    asking,
    keys.filter(({ id }) => replaced.includes(id)),
  )
  return own
}

/** Where the key that was to be made was not, it is the one that the tool had before. */
function ownKey(record: KeyRecord | undefined, keys: readonly KeyView[]): KeyView | undefined {
  if (record === undefined) return undefined
  const usable = keys.filter(({ status }) => status !== 'revoked')
  if (record.id !== null) return keys.find(({ id }) => id === record.id)
  return usable.find(({ name }) => name === record.name) ?? usable.findLast(({ id }) => record.replaced.includes(id))
}

/** Whether a key was made for a connection of the tool that then failed: it rests, and nobody has or had a use for it. */
function isUnused({ status, owner, tool: madeFor, balance }: KeyView, tool: string): boolean {
  return status === 'suspended' && owner === null && madeFor === tool && balance.last_used_at === null
}

function freeName(tool: string, keys: readonly KeyView[]): string {
  const names = new Set(keys.map(({ name }) => name))
  let name = tool
  for (let number = 2; names.has(name); number++) name = `${tool}-${number}`
  return name
}

function packageOf(packages: readonly PackageView[], wanted: string | undefined): PackageView {
  const found = wanted === undefined ? packages[0] : packages.find(({ id, name }) => name === wanted || id === wanted)
  if (found !== undefined) return found
  const why = wanted === undefined ? 'There is no package yet.' : `There is no package '${wanted}'.`
  throw new Refused('missing', `${why} Add one with 'farebox package add', for the key that the tool gets.`)
}
