// What the checks of the doctor look at, put together before the first of them runs: the gateway, the machine, and each tool with what is
// in its files. Checks read nothing but this, so that each can be understood alone.

import { readFileSync, statSync } from 'node:fs'
import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS } from '#connect/adapters.ts'
import type { Surroundings } from '#connect/expand.ts'
import { Refused } from '#connect/format.ts'
import { findInstalled, type Installed } from '#connect/installed.ts'
import { readJournal, type Journal, type JournalFile } from '#connect/journal.ts'
import { readKeyValue } from '#connect/key-file.ts'
import { FORMATS, naming } from '#connect/plan.ts'
import { codeOf, decode, insistOnSettings } from '#connect/tool-file.ts'
import { keyOf } from '#connect/tool-key.ts'
import { connectedTools } from '#connect/tools.ts'
import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'

/** The gateway, or the database of one that does not run. */
export type GatewayPicture = {
  /** Where it listens or would listen, without `/v1`. */
  readonly url: string
  readonly status: StatusView
  readonly models: readonly ModelView[]
  readonly packages: readonly PackageView[]
  readonly keys: readonly KeyView[]
  /** The newest time that is in the database. */
  readonly newestAt: string | null
}

/** Each is null where nothing is wrong, or nothing can be told. */
export type MachinePicture = {
  readonly dataFolderProblem: string | null
  readonly nativeModuleProblem: string | null
  /** Where the data folder is. */
  readonly freeBytes: number | null
  /** Who listens on the gateway's port, where the gateway does not. */
  readonly portOwner: string | null
}

/** `text` is undefined where the file is not there or cannot be read, and `problem` says why where it is there. */
export type FilePicture = {
  readonly entry: JournalFile
  readonly text: string | undefined
  readonly problem: string | null
}

export type ToolPicture = {
  readonly adapter: Adapter
  readonly isAskedFor: boolean
  readonly installed: Installed
  /** undefined where nothing is written for it. */
  readonly journal: Journal | undefined
  readonly journalProblem: string | null
  readonly files: readonly FilePicture[]
  /** undefined where there is none, or the gateway could not be asked. */
  readonly key: KeyView | undefined
  readonly keyValue: string | undefined
}

export type Picture = {
  readonly dataDir: string
  readonly surroundings: Surroundings
  /** Where the doctor was called: tools read the settings of the project there. */
  readonly workingDir: string
  readonly nowMs: number
  readonly isRunning: boolean
  /** undefined where it could not be asked. */
  readonly gateway: GatewayPicture | undefined
  /** Why it could not be asked. */
  readonly notOpened: string | null
  readonly machine: MachinePicture
  readonly tools: readonly ToolPicture[]
}

export type Looking = Omit<Picture, 'tools'> & {
  /** The one tool that was asked for; otherwise all that are connected are looked at. */
  readonly tool: string | undefined
}

/** Looks at the tools, and puts the picture together. Writes nothing. */
export async function takePicture({ tool: askedFor, ...picture }: Looking): Promise<Picture> {
  const names = askedFor === undefined ? connectedTools(picture.dataDir) : [askedFor]
  const adapters = ADAPTERS.filter(({ tool }) => names.includes(tool))
  if (askedFor !== undefined && adapters.length === 0) {
    const list = "'farebox connect --list' has those that it knows."
    throw new Refused('missing', `Farebox knows no tool '${askedFor}'. ${list}`)
  }
  const tools = await Promise.all(adapters.map((adapter) => lookAtTool(picture, adapter, askedFor !== undefined)))
  return { ...picture, tools }
}

type Around = Pick<Picture, 'dataDir' | 'surroundings' | 'gateway'>

async function lookAtTool(
  { dataDir, surroundings, gateway }: Around,
  adapter: Adapter,
  isAskedFor: boolean,
): Promise<ToolPicture> {
  const { tool } = adapter
  const { value: journal, problem } = orRefusal(() => readJournal(dataDir, tool))
  const isOpen = journal !== undefined && journal.state !== 'disconnected'
  return {
    adapter,
    isAskedFor,
    installed: await findInstalled(adapter, surroundings),
    journal: isOpen ? journal : undefined,
    journalProblem: problem,
    files: isOpen ? journal.files.map(lookAtFile) : [],
    key: gateway && keyOf(dataDir, tool, gateway.keys),
    keyValue: readKeyValue(dataDir, tool),
  }
}

/** A file that could not be written is no trouble for the tool: this looks at what is in it alone. */
function lookAtFile(entry: JournalFile): FilePicture {
  const { value, problem } = orRefusal(() => naming(entry.file, () => textOf(entry)))
  return { entry, text: value, problem }
}

/** A text that the tool cannot read is refused. */
function textOf({ file, format }: JournalFile): string | undefined {
  const bytes = bytesOf(file)
  if (bytes === undefined) return undefined
  const text = decode(bytes)
  if (format !== 'own') FORMATS[format].read(text)
  return text
}

function bytesOf(file: string): Buffer | undefined {
  try {
    insistOnSettings(file, statSync(file))
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Refused) throw error
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    throw new Refused('unreadable', `${file} cannot be read (${code}).`)
  }
}

type Read<Value> = { readonly value: Value | undefined; readonly problem: string | null }

function orRefusal<Value>(read: () => Value): Read<Value> {
  try {
    return { value: read(), problem: null }
  } catch (error) {
    if (error instanceof Refused) return { value: undefined, problem: error.message }
    throw error
  }
}
