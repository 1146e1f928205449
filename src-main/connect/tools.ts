// Connecting tools: what the command line and the dashboard ask for. Farebox writes to a tool's file when a person asks for it here, and
// at no other time: not at a start, an update, a failover or the rotation of a key.

import { existsSync } from 'node:fs'
import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS, adapterOf } from '#connect/adapters.ts'
import { applyPlans, takeBack, type TakenBack } from '#connect/apply.ts'
import {
  expandLaunch,
  expandLines,
  expandMembers,
  filled,
  pathOf,
  valuesOf,
  type Expanding,
  type Surroundings,
} from '#connect/expand.ts'
import { changedMeanwhile, Refused } from '#connect/format.ts'
import type { Gateway } from '#connect/gateway.ts'
import { findInstalled } from '#connect/installed.ts'
import { readJournal } from '#connect/journal.ts'
import { keyFileOf } from '#connect/key-file.ts'
import { chooseModels, type WantedModels } from '#connect/models.ts'
import { changeView, planFile, readValues, type ChangeView, type FilePlan, type Wanted } from '#connect/plan.ts'
import { forgetKeyValue, keyOf, obtainKey, planKey, type WantedKey } from '#connect/tool-key.ts'
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
  const plan = (expanding: Expanding) => plansOf(adapter.connect?.files ?? [], expanding, surroundings)
  const view = (plans: readonly FilePlan[], value: string) => ({
    tool,
    changes: plans.map((change) => changeView(change, [value])),
    key_name: key.name,
    next: steps.map((line) => filled(line, prepare(value).values)),
  })
  if (wish.isDryRun) {
    const isConnected = readJournal(dataDir, tool)?.state === 'connected'
    return view(isConnected ? [] : plan(prepare(NO_KEY)), NO_KEY)
  }
  // What was written before goes first, so that its copy is of the file as the tool's user left it.
  insistOnTakenBack(takeBack(dataDir, tool))
  insistOnSeen(plan(prepare(NO_KEY)), wish.seen)
  const value = await obtainKey(asking, key)
  const plans = plan(prepare(value))
  insistOnSeen(plans, wish.seen)
  if (plans.length > 0) applyPlans({ dataDir, tool, plans, at: new Date(nowMs()).toISOString() })
  return view(plans, value)
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
  const files = takeBack(workshop.dataDir, adapter.tool) ?? []
  const problems = files.flatMap(({ problem }) => problem ?? [])
  const left = files.flatMap((file) => file.left.map((member) => `${file.file}: ${member}`))
  const key = problems.length > 0 ? { name: null, next: [] } : await restKey(workshop, adapter)
  return {
    tool: adapter.tool,
    changes: files.filter(({ before_sha256: before, after_sha256: after }) => before !== after).map(changeOf),
    left,
    problems,
    key_name: key.name,
    next: [...left.map((member) => `${member} was changed by somebody since, and stays.`), ...key.next],
  }
}

/** The tools that have something to be taken back, or a key. */
export function connectedTools(dataDir: string): string[] {
  return ADAPTERS.map(({ tool }) => tool).filter((tool) => {
    const state = readJournal(dataDir, tool)?.state
    return state === 'connected' || state === 'connecting' || existsSync(keyFileOf(dataDir, tool))
  })
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
      const journal = readJournal(dataDir, adapter.tool)
      const lastRequestAt = key?.balance.last_used_at ?? null
      return {
        tool: adapter.tool,
        name: adapter.name,
        ...(await findInstalled(adapter, surroundings)),
        connected: key?.status === 'active' && lastRequestAt !== null,
        files: journal === undefined || journal.state === 'disconnected' ? [] : journal.files.map(({ file }) => file),
        last_request_at: lastRequestAt,
      }
    }),
  )
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

function plansOf(
  files: NonNullable<Adapter['connect']>['files'],
  expanding: Expanding,
  surroundings: Surroundings,
): FilePlan[] {
  return files.map((file) => planFile(wantedOf(file, expanding, surroundings)))
}

function wantedOf(
  file: NonNullable<Adapter['connect']>['files'][number],
  expanding: Expanding,
  surroundings: Surroundings,
): Wanted {
  const path = pathOf(file.places, surroundings)
  if (file.type === 'own') return { type: 'own', path, text: `${expandLines(file.lines, expanding).join('\n')}\n` }
  const values = readValues(path, file.format)
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

function insistOnSeen(plans: readonly FilePlan[], seen: ConnectWish['seen'] = {}): void {
  for (const { file } of plans) {
    if (Object.hasOwn(seen, file.path) && seen[file.path] !== file.sha256) throw changedMeanwhile(file.path)
  }
}

function insistOnTakenBack(files: readonly TakenBack[] | undefined): void {
  const problem = files?.find((file) => file.problem !== null)?.problem
  if (problem !== undefined && problem !== null) throw new Refused('changed', problem)
}

function changeOf({ file, before_sha256, after_sha256, diff }: TakenBack): ChangeView {
  return { file, before_sha256, after_sha256, diff }
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
