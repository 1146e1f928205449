// Connecting tools: what the command line and the dashboard ask for. Farebox writes to a tool's file when a person asks for it here, and
// at no other time: not at a start, an update, a failover or the rotation of a key.

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS, adapterOf } from '#connect/adapters.ts'
import {
  applyChanges,
  insistOnTakenBack,
  planChanges,
  planTakingBack,
  takeBack,
  type Change,
  type TakingBack,
} from '#connect/apply.ts'
import {
  expandLaunch,
  expandLines,
  expandMembers,
  filled,
  pathOf,
  shellQuoted,
  valuesOf,
  type Expanding,
  type Surroundings,
} from '#connect/expand.ts'
import { changedMeanwhile, Refused } from '#connect/format.ts'
import type { Gateway } from '#connect/gateway.ts'
import { isOpenConnection, journalState } from '#connect/journal.ts'
import { keyFileOf, readKeyValue } from '#connect/key-file.ts'
import { chooseModels, type WantedModels } from '#connect/models.ts'
import { changeView, planFile, readValues, type FilePlan, type ReadFile, type Wanted } from '#connect/plan.ts'
import { forgetKeyValue, keyOf, obtainKey, planKey, restKeys, withKey, type WantedKey } from '#connect/tool-key.ts'
import { valueAt } from '#connect/values.ts'
import type { FileChange, SeenChange, ToolConnection, ToolDisconnection } from '#contract/tools.ts'

export type Workshop = {
  readonly dataDir: string
  readonly surroundings: Surroundings
  readonly gateway: Gateway
  readonly nowMs: () => number
  /** Keeps everybody else from changing connections until it is released; undefined where somebody else is at it. */
  readonly lock: () => Promise<{ release(): void } | undefined>
}

export type ConnectWish = {
  readonly tool: string
  readonly key: WantedKey
  readonly models: WantedModels
  readonly isDryRun: boolean
  /** The changes of the preview that somebody agreed to; any other is refused. */
  readonly seen?: readonly SeenChange[]
}

/** Stands for the key in a preview, where there is none yet. */
const NO_KEY = 'the-key-of-this-tool'

/** Connects a tool, or shows what that would write. Throws a Refused. */
export function connectTool(workshop: Workshop, wish: ConnectWish): Promise<ToolConnection> {
  return wish.isDryRun ? connect(workshop, wish) : alone(workshop, () => connect(workshop, wish))
}

/** Two connections at a time could each take the other's files for somebody's own. */
export async function alone<Done>({ lock }: Workshop, work: () => Promise<Done>): Promise<Done> {
  const held = await lock()
  if (held === undefined) {
    throw new Refused('busy', 'A tool is being connected or disconnected just now. Try again in a moment.')
  }
  try {
    return await work()
  } finally {
    held.release()
  }
}

async function connect(workshop: Workshop, wish: ConnectWish): Promise<ToolConnection> {
  const { dataDir, surroundings, gateway, nowMs } = workshop
  const adapter = knownAdapter(wish.tool)
  const { tool } = adapter
  const steps = nextSteps(adapter)
  const asking = { dataDir, tool, gateway }
  const key = await planKey(asking, wish.key)
  const choice = chooseModels(await gateway.models(), key.package, wish.models)
  const url = await gateway.url()
  const prepare = (value: string) => expandingOf(workshop, adapter, { url, key: value, ...choice })
  const plan = (value: string, readFile: ReadFile) =>
    plansOf(adapter.connect?.files ?? [], { expanding: prepare(value), surroundings, readFile })
  const held = readKeyValue(dataDir, tool)
  // A preview is only looked at: it has the steps, and never the key that is in use.
  const filling = (value: string) => prepare(wish.isDryRun ? NO_KEY : value).values
  const view = (changes: readonly Change[], value: string) => ({
    tool,
    changes: changes.map((change) => shown(change, [value, held ?? value])).filter(isChange),
    key_name: key.name,
    next: [...steps.map((line) => filled(line, filling(value))), ...openFiles(changes, value, surroundings)],
  })
  // It is all worked out before anything is done: a file that is refused leaves the tool and its key as they were.
  const known = (key.previous === undefined ? held : undefined) ?? NO_KEY
  const changesFor = (value: string) => planChanges(dataDir, tool, (readFile) => plan(value, readFile))
  const seen = changesFor(known)
  const preview = view(seen, known)
  insistOnSeen(preview.changes, wish.seen)
  if (wish.isDryRun) return preview
  return withKey(asking, key, (value) => {
    const changes = changesFor(value)
    insistOnSame(changes, seen)
    // What an interrupted connection wrote is known only as long as its journal is there.
    const isInterrupted = journalState(dataDir, tool) === 'connecting'
    if (isInterrupted) insistOnTakenBack(takeBack(dataDir, tool))
    const told = { url, model: choice.model.id, small_model: choice.small.id }
    const at = new Date(nowMs()).toISOString()
    applyChanges({ dataDir, tool, changes: isInterrupted ? changesFor(value) : changes, at, told })
    return view(changes, value)
  })
}

/** Takes a tool's connection back. It needs no gateway: where none can be asked, the key stays and that is said. */
export function disconnectTool(workshop: Workshop, tool: string): Promise<ToolDisconnection> {
  return alone(workshop, () => disconnect(workshop, tool))
}

/** Takes a connection back that was interrupted; undefined where it is none any more. */
export function disconnectHalfDone(workshop: Workshop, tool: string): Promise<ToolDisconnection | undefined> {
  return alone(workshop, async () =>
    journalState(workshop.dataDir, tool) === 'connecting' ? disconnect(workshop, tool) : undefined,
  )
}

async function disconnect(workshop: Workshop, tool: string): Promise<ToolDisconnection> {
  const adapter = knownAdapter(tool)
  // It is read before it is forgotten, so that no difference shows it.
  const secrets = secretsOf(workshop, adapter)
  const files = takeBack(workshop.dataDir, adapter.tool)
  const hasProblem = files.some(({ problem }) => problem !== null)
  const key = hasProblem ? { name: null, next: [] } : await restKey(workshop, adapter)
  return disconnection(adapter, files, { secrets, key })
}

/** Shows what taking a tool's connection back would do, and changes nothing. */
export async function previewDisconnect(workshop: Workshop, tool: string): Promise<ToolDisconnection> {
  const adapter = knownAdapter(tool)
  const { dataDir, gateway } = workshop
  const key = keyOf(dataDir, tool, await gateway.keys())
  return disconnection(adapter, planTakingBack(dataDir, tool), {
    secrets: secretsOf(workshop, adapter),
    key: { name: key?.name ?? null, next: [] },
  })
}

function secretsOf({ dataDir }: Workshop, { tool }: Adapter): string[] {
  return [readKeyValue(dataDir, tool) ?? []].flat()
}

type RestingKey = { readonly name: string | null; readonly next: readonly string[] }

function disconnection(
  { tool }: Adapter,
  files: readonly TakingBack[],
  { secrets, key }: { readonly secrets: readonly string[]; readonly key: RestingKey },
): ToolDisconnection {
  const left = files.flatMap((file) => file.left.map((member) => `${file.entry.file}: ${member}`))
  return {
    tool,
    changes: files
      .map(({ entry, file, bytes }) => changeView({ path: entry.file, before: file?.bytes, after: bytes }, secrets))
      .filter(isChange),
    left,
    problems: files.flatMap(({ problem }) => problem ?? []),
    key_name: key.name,
    next: [...left.map((member) => `${member} was changed by somebody since, and stays.`), ...key.next],
  }
}

/** Takes all connections back. What is wrong with one of them is its problem, and the others are taken back nevertheless. */
export async function disconnectAll(workshop: Workshop): Promise<ToolDisconnection[]> {
  const done: ToolDisconnection[] = []
  for (const tool of connectedTools(workshop.dataDir)) {
    done.push(await disconnectTool(workshop, tool).catch((error: unknown) => notDisconnected(tool, error)))
  }
  return done
}

function notDisconnected(tool: string, error: unknown): ToolDisconnection {
  const why = error instanceof Error ? error.message : String(error)
  const problems = [`${tool} could not be disconnected: ${why}`]
  return { tool, changes: [], left: [], problems, key_name: null, next: [] }
}

/** The tools that have something to be taken back, or a key. */
export function connectedTools(dataDir: string): string[] {
  return ADAPTERS.map(({ tool }) => tool).filter(
    (tool) => isOpenConnection(dataDir, tool) || existsSync(keyFileOf(dataDir, tool)),
  )
}

export type LaunchView = { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> }

/** What a tool is started with; writes to no file of it. */
export function launchTool(workshop: Workshop, wish: Omit<ConnectWish, 'isDryRun'>): Promise<LaunchView> {
  return alone(workshop, () => launch(workshop, wish))
}

async function launch(workshop: Workshop, wish: Omit<ConnectWish, 'isDryRun'>): Promise<LaunchView> {
  const adapter = knownAdapter(wish.tool)
  if (adapter.launch === undefined) {
    const why = adapter.impossible ?? `Connect it with 'farebox connect ${adapter.tool}'.`
    throw new Refused('uneditable', `${adapter.name} cannot be started with settings of its own. ${why}`)
  }
  const asking = { dataDir: workshop.dataDir, tool: adapter.tool, gateway: workshop.gateway }
  const key = await planKey(asking, wish.key)
  if (key.previous !== undefined && isOpenConnection(workshop.dataDir, adapter.tool)) {
    throw new Refused(
      'taken',
      `${adapter.name} is connected with the key '${key.previous.name}'. Leave --key out, or give it another one with 'farebox connect'.`,
    )
  }
  const choice = chooseModels(await workshop.gateway.models(), key.package, wish.models)
  const url = await workshop.gateway.url()
  const value = await obtainKey(asking, key)
  return expandLaunch(adapter.launch, expandingOf(workshop, adapter, { url, key: value, ...choice }))
}

function knownAdapter(tool: string): Adapter {
  const adapter = adapterOf(tool)
  if (adapter !== undefined) return adapter
  throw new Refused('missing', `Farebox knows no tool '${tool}'. 'farebox connect --list' has those that it knows.`)
}

/** What is to be done when it is connected, or instead of that. */
function nextSteps({ tool, name, connect, copy, launch, impossible }: Adapter): readonly string[] {
  if (connect !== undefined) return connect.next
  if (copy !== undefined) return [copy.place, ...copy.lines]
  const why = impossible ?? (launch && `${name} has no settings for this. Start it with 'farebox launch ${tool}'.`)
  throw new Refused('uneditable', why ?? `${name} cannot be connected.`)
}

type Choosing = Pick<Parameters<typeof valuesOf>[0], 'url' | 'key' | 'model' | 'small' | 'models'>

function expandingOf({ dataDir, surroundings, nowMs }: Workshop, adapter: Adapter, chosen: Choosing): Expanding {
  const keyFile = keyFileOf(dataDir, adapter.tool)
  const values = valuesOf({ ...chosen, keyFile, surroundings, nowMs: nowMs() })
  const paths = (adapter.connect?.files ?? []).map(
    ({ places }, index) => [`fileWord${index}`, shellQuoted(pathOf(places, surroundings))] as const,
  )
  return { values: { ...values, ...Object.fromEntries(paths) }, models: chosen.models }
}

type Planning = {
  readonly expanding: Expanding
  readonly surroundings: Surroundings
  readonly readFile: ReadFile
}

function plansOf(files: NonNullable<Adapter['connect']>['files'], planning: Planning): FilePlan[] {
  return files.map((file) => planFile(wantedOf(file, planning), planning.readFile))
}

function wantedOf(
  file: NonNullable<Adapter['connect']>['files'][number],
  { expanding, surroundings, readFile }: Planning,
): Wanted {
  const path = pathOf(file.places, surroundings)
  // From elsewhere it would be another file, and here perhaps one of a project.
  if (!isAbsolute(path))
    throw new Refused('not_a_file', `${path} is no whole path. Set the variable that it comes from to one.`)
  if (file.type === 'own') return { type: 'own', path, text: `${expandLines(file.lines, expanding).join('\n')}\n` }
  const values = readValues(path, file.format, readFile)
  if (values === undefined && file.mustExist !== undefined) {
    throw new Refused('not_a_file', `${path} is not there yet. ${file.mustExist}`)
  }
  const members = expandMembers(file.members, expanding)
  return {
    type: 'members',
    path,
    format: file.format,
    members: members.filter((member) => member.ifPresent !== true || valueAt(values, member.path) !== undefined),
  }
}

/** What a person sees change: a file as it is now, and as it will be. */
function shown({ now, plan }: Change, secrets: readonly string[]): FileChange {
  return changeView({ path: now.path, before: now.bytes, after: plan.after }, secrets)
}

function isChange({ before_sha256: before, after_sha256: after }: FileChange): boolean {
  return before !== after
}

/** Only what somebody looked at is written: these files, as they were, to what was shown. */
function insistOnSeen(changes: readonly FileChange[], seen: ConnectWish['seen']): void {
  if (seen === undefined) return
  const other = changes.find(
    ({ file, before_sha256: before, after_sha256: after }) =>
      !seen.some((one) => one.file === file && one.before_sha256 === before && one.after_sha256 === after),
  )
  if (other !== undefined) throw changedMeanwhile(other.file)
}

/** The key was made meanwhile, and the files have to be those that were looked at before that. */
function insistOnSame(changes: readonly Change[], before: readonly Change[]): void {
  const other = changes.find(({ now }, index) => now.sha256 !== before[index]?.now.sha256)
  if (other !== undefined) throw changedMeanwhile(other.now.path)
}

/** What to do about files that others of this machine can read, where the key is in them. */
function openFiles(changes: readonly Change[], key: string, { platform }: Surroundings): string[] {
  const open = changes.filter(
    ({ now: { mode = 0 }, plan }) => platform !== 'win32' && (mode & 0o044) !== 0 && plan.after.includes(key),
  )
  return open.map(({ now: { path } }) => `${path} can be read by others: chmod 600 ${shellQuoted(path)}`)
}

/** The key of a tool that is disconnected rests; its value is no longer on the disk. */
async function restKey(
  { dataDir, gateway }: Workshop,
  { tool }: Adapter,
): Promise<{ name: string | null; next: string[] }> {
  forgetKeyValue(dataDir, tool)
  try {
    const key = await restKeys({ dataDir, tool, gateway })
    return { name: key?.name ?? null, next: [] }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { name: null, next: [`The key of the tool could not be suspended: ${why}`] }
  }
}
