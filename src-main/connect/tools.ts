// Connecting tools: what the command line and the dashboard ask for. Farebox writes to a tool's file when a person asks for it here, and
// at no other time: not at a start, an update, a failover or the rotation of a key.

import { existsSync } from 'node:fs'
import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS, adapterOf } from '#connect/adapters.ts'
import { applyPlans, planTakingBack, takeBack, type TakingBack } from '#connect/apply.ts'
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
import { findInstalled } from '#connect/installed.ts'
import { isOpenConnection, journalState, readJournal } from '#connect/journal.ts'
import { keyFileOf, readKeyValue } from '#connect/key-file.ts'
import { chooseModels, type WantedModels } from '#connect/models.ts'
import {
  changeView,
  planFile,
  readValues,
  type ChangeView,
  type FilePlan,
  type ReadFile,
  type Wanted,
} from '#connect/plan.ts'
import { readToolFile, sha256Of, type ToolFile } from '#connect/tool-file.ts'
import { forgetKeyValue, keyOf, obtainKey, planKey, withKey, type WantedKey } from '#connect/tool-key.ts'
import { valueAt } from '#connect/values.ts'

export type Workshop = {
  readonly dataDir: string
  readonly surroundings: Surroundings
  readonly gateway: Gateway
  readonly nowMs: () => number
}

export type ConnectWish = {
  readonly tool: string
  readonly key: WantedKey
  readonly models: WantedModels
  readonly isDryRun: boolean
  /** The hashes of the files that somebody looked at before they agreed; another one is refused. */
  readonly seen?: Readonly<Record<string, string | null>>
}

export type ConnectView = {
  readonly tool: string
  readonly changes: readonly ChangeView[]
  readonly key_name: string
  readonly next: readonly string[]
}

/** Stands for the key in a preview, where there is none yet. */
const NO_KEY = 'the-key-of-this-tool'

/** Connects a tool, or shows what that would write. Throws a Refused. */
export async function connectTool(workshop: Workshop, wish: ConnectWish): Promise<ConnectView> {
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
  const view = (changes: readonly Change[], value: string) => ({
    tool,
    changes: changes.map((change) => changeView(change, [value, held ?? value])).filter(isChange),
    key_name: key.name,
    next: [...steps.map((line) => filled(line, prepare(value).values)), ...openFiles(changes, value, surroundings)],
  })
  // It is all worked out before anything is done: a file that is refused leaves the tool and its key as they were.
  const known = (key.previous === undefined ? held : undefined) ?? NO_KEY
  const seen = lookedAt(dataDir, tool, (readFile) => plan(known, readFile))
  insistOnSeen(seen, wish.seen)
  if (wish.isDryRun) return view(seen, known)
  return withKey(asking, key, (value) => {
    const changes = lookedAt(dataDir, tool, (readFile) => plan(value, readFile))
    insistOnSeen(changes, wish.seen)
    // What was written before goes first, so that its copy is of the file as the tool's user left it.
    insistOnTakenBack(takeBack(dataDir, tool))
    const plans = plan(value, readToolFile)
    const told = { url, model: choice.model.id, small_model: choice.small.id }
    if (plans.length > 0) applyPlans({ dataDir, tool, plans, at: new Date(nowMs()).toISOString(), told })
    return view(changes, value)
  })
}

export type DisconnectView = {
  readonly tool: string
  readonly changes: readonly ChangeView[]
  /** Members that somebody changed since, and that stay as they are. */
  readonly left: readonly string[]
  readonly problems: readonly string[]
  readonly key_name: string | null
  readonly next: readonly string[]
}

/** Takes a tool's connection back. It needs no gateway: where none can be asked, the key stays and that is said. */
export async function disconnectTool(workshop: Workshop, tool: string): Promise<DisconnectView> {
  const adapter = knownAdapter(tool)
  // It is read before it is forgotten, so that no difference shows it.
  const secrets = [readKeyValue(workshop.dataDir, adapter.tool) ?? []].flat()
  const files = takeBack(workshop.dataDir, adapter.tool)
  const problems = files.flatMap(({ problem }) => problem ?? [])
  const left = files.flatMap((file) => file.left.map((member) => `${file.entry.file}: ${member}`))
  const key = problems.length > 0 ? { name: null, next: [] } : await restKey(workshop, adapter)
  return {
    tool: adapter.tool,
    changes: files
      .map(({ entry, file, bytes }) => changeView({ path: entry.file, before: file?.bytes, after: bytes }, secrets))
      .filter(isChange),
    left,
    problems,
    key_name: key.name,
    next: [...left.map((member) => `${member} was changed by somebody since, and stays.`), ...key.next],
  }
}

/** Takes all connections back. What is wrong with one of them is its problem, and the others are taken back nevertheless. */
export async function disconnectAll(workshop: Workshop): Promise<DisconnectView[]> {
  const done: DisconnectView[] = []
  for (const tool of connectedTools(workshop.dataDir)) {
    done.push(await disconnectTool(workshop, tool).catch((error: unknown) => notDisconnected(tool, error)))
  }
  return done
}

function notDisconnected(tool: string, error: unknown): DisconnectView {
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
export async function launchTool(workshop: Workshop, wish: Omit<ConnectWish, 'isDryRun'>): Promise<LaunchView> {
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

export type ToolView = {
  readonly tool: string
  readonly name: string
  readonly installed: boolean
  readonly version: string | null
  /** A request with the tool's key came. */
  readonly connected: boolean
  /** What Farebox wrote, and has not taken back. */
  readonly files: readonly string[]
  readonly last_request_at: string | null
}

export async function listTools({ dataDir, surroundings, gateway }: Workshop): Promise<ToolView[]> {
  const keys = await gateway.keys()
  return Promise.all(
    ADAPTERS.map(async (adapter) => {
      const key = keyOf(dataDir, adapter.tool, keys)
      const lastRequestAt = key?.balance.last_used_at ?? null
      return {
        tool: adapter.tool,
        name: adapter.name,
        ...(await findInstalled(adapter, surroundings)),
        connected: key?.status === 'active' && lastRequestAt !== null,
        files: writtenFiles(dataDir, adapter.tool),
        last_request_at: lastRequestAt,
      }
    }),
  )
}

/** None where the journal cannot be read: what is wrong with it is said by whoever is to take it back. */
function writtenFiles(dataDir: string, tool: string): readonly string[] {
  const state = journalState(dataDir, tool)
  if (state === 'unreadable' || state === 'disconnected') return []
  return readJournal(dataDir, tool)?.files.map(({ file }) => file) ?? []
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
  const values = valuesOf({ ...chosen, keyFile, platform: surroundings.platform, nowMs: nowMs() })
  const paths = (adapter.connect?.files ?? []).map(
    ({ places }, index) => [`file${index}`, pathOf(places, surroundings)] as const,
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
type Change = {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer
  readonly mode: Mode
}
type Mode = ToolFile['mode']

/** The changes of a connection, where what was written for an earlier one is taken back first. Nothing is written. */
export function lookedAt(
  dataDir: string,
  tool: string,
  plan: (readFile: ReadFile) => readonly FilePlan[],
): readonly Change[] {
  const files = planTakingBack(dataDir, tool)
  insistOnTakenBack(files)
  const readFile = (path: string): ToolFile => {
    const back = files.find(({ entry }) => entry.file === path)
    const file = back?.file ?? readToolFile(path)
    if (back === undefined) return file
    const mode = back.bytes === undefined ? undefined : file.mode
    return { ...file, bytes: back.bytes, sha256: sha256Of(back.bytes), mode }
  }
  return plan(readFile).map(({ file: { path, mode }, after }) => {
    const now = files.find(({ entry }) => entry.file === path)?.file ?? readToolFile(path)
    return { path, before: now.bytes, after, mode }
  })
}

function isChange({ before_sha256: before, after_sha256: after }: ChangeView): boolean {
  return before !== after
}

function insistOnSeen(changes: readonly Change[], seen: ConnectWish['seen'] = {}): void {
  for (const { path, before } of changes) {
    if (Object.hasOwn(seen, path) && seen[path] !== sha256Of(before)) throw changedMeanwhile(path)
  }
}

export function insistOnTakenBack(files: readonly TakingBack[]): void {
  const problem = files.find((file) => file.problem !== null)?.problem
  if (problem !== undefined && problem !== null) throw new Refused('changed', problem)
}

/** What to do about files that others of this machine can read, where the key is in them. */
function openFiles(changes: readonly Change[], key: string, { platform }: Surroundings): string[] {
  const open = changes.filter(
    ({ after, mode = 0 }) => platform !== 'win32' && (mode & 0o044) !== 0 && after.includes(key),
  )
  return open.map(({ path }) => `${path} can be read by others: chmod 600 ${shellQuoted(path)}`)
}

/** The key of a tool that is disconnected rests; its value is no longer on the disk. */
async function restKey(
  { dataDir, gateway }: Workshop,
  { tool }: Adapter,
): Promise<{ name: string | null; next: string[] }> {
  forgetKeyValue(dataDir, tool)
  try {
    const key = keyOf(dataDir, tool, await gateway.keys())
    if (key?.status === 'active') await gateway.suspendKey(key.id)
    return { name: key?.name ?? null, next: [] }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { name: null, next: [`The key of the tool could not be suspended: ${why}`] }
  }
}
