// The tools of this machine: how each is connected, and what connecting or disconnecting it changes.

import { Type, type Static } from 'typebox'
import {
  KnownName,
  Label,
  Labels,
  ModelName,
  NullableCredits,
  NullableText,
  NullableTimestamp,
  strict,
} from '#contract/fields.ts'

/** A path as the system has it. */
const File = Type.String({ minLength: 1, maxLength: 4096 })
const Hash = Type.String({ minLength: 64, maxLength: 64, pattern: '^[0-9a-f]+$' })
/** null where there is no file. */
const NullableHash = Type.Union([Hash, Type.Null()])

export const ToolView = strict({
  tool: Type.String(),
  name: Type.String(),
  installed: Type.Boolean(),
  version: NullableText,
  /** A request with the tool's key came since it was connected. */
  connected: Type.Boolean(),
  /** What Farebox wrote, and has not taken back. */
  files: Type.Array(File),
  last_request_at: NullableTimestamp,
  /** When Farebox wrote its files. */
  connected_at: NullableTimestamp,
  /**
   * `waiting`: connected, and no request came yet; `keyless`: connected with a key that is blocked or gone; `unfinished`: a connection
   * that was broken off, which disconnecting takes back.
   */
  state: Type.Enum(['none', 'waiting', 'connected', 'keyless', 'unfinished']),
  /** The key that the tool has, or will have again. */
  key_name: NullableText,
  package: NullableText,
  /** The same files with the members in them that are Farebox's. A file that is Farebox's own has none. */
  written: Type.Array(strict({ file: File, members: Type.Array(Type.String()) })),
  /** The ways in which it can be connected, the best first; none where it cannot be. */
  ways: Type.Array(Type.Enum(['launch', 'connect', 'copy'])),
  /** Why it cannot be connected. */
  impossible: NullableText,
  /** The versions that this was read for, and the page that it was read from. */
  versions: Type.String(),
  page: Type.String(),
})

export const FileChange = strict({
  file: File,
  before_sha256: NullableHash,
  after_sha256: NullableHash,
  /** Without secrets. */
  diff: Type.String(),
})

const { file, before_sha256, after_sha256 } = FileChange.properties
const SeenChange = strict({ file, before_sha256, after_sha256 })

/** What is not said is chosen. */
export const ToolConnect = strict({
  package: Type.Optional(KnownName),
  model: Type.Optional(ModelName),
  small_model: Type.Optional(ModelName),
  /** What its calls are counted to, whatever the tool says. */
  project: Type.Optional(Label),
  tags: Type.Optional(Labels),
  /** Shows what would change, and changes nothing. */
  dry_run: Type.Optional(Type.Boolean()),
  /** The changes that a preview showed. Nothing else is written; needed where it is no preview. */
  seen: Type.Optional(Type.Array(SeenChange, { maxItems: 10 })),
})

export const ToolConnection = strict({
  tool: Type.String(),
  changes: Type.Array(FileChange),
  key_name: Type.String(),
  /** What a person does next, in sentences or lines; of tools that are set up by hand, the lines with the key in them. */
  next: Type.Array(Type.String()),
})

export const ToolDisconnect = strict({ dry_run: Type.Optional(Type.Boolean()) })

export const ToolDisconnection = strict({
  tool: Type.String(),
  changes: Type.Array(FileChange),
  /** Members that somebody changed since, and that stay as they are. */
  left: Type.Array(Type.String()),
  problems: Type.Array(Type.String()),
  key_name: NullableText,
  next: Type.Array(Type.String()),
})

export const ToolGuideQuery = strict({
  model: Type.Optional(ModelName),
  /** Of the machine that the tool is on. */
  system: Type.Optional(Type.Enum(['linux', 'macos', 'windows'])),
})

/** How a tool of another machine is set up by hand. `YOUR_KEY` stands for the key. */
export const ToolGuide = strict({
  tool: Type.String(),
  name: Type.String(),
  /** The variable that names the file of the certificate; null where the system has to trust it. */
  certificate: NullableText,
  /** What goes into which files, beside what is there. */
  files: Type.Array(strict({ place: Type.String(), text: Type.String() })),
  /** What it is started with. */
  launch: Type.Union([
    strict({ command: Type.Array(Type.String()), env: Type.Record(Type.String(), Type.String()) }),
    Type.Null(),
  ]),
  /** What is set in its own pages: first where, then what. */
  steps: Type.Array(Type.String()),
})

/** Up to 9,999 days. */
export const ToolScanQuery = strict({ days: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,3}$' })) })

const ScanSums = {
  calls: Type.Integer(),
  input_tokens: Type.Integer(),
  cache_read_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  /** null where the price card has no price for any of it. */
  credits: NullableCredits,
}
/** `name` is empty where the logs do not say it. */
const ScanSum = strict({ name: Type.String(), ...ScanSums })
/** The dearest first, days in their order. `others` is the sum of those beyond the 4,000 that are told. */
const ScanGroup = strict({ sums: Type.Array(ScanSum), others: Type.Union([ScanSum, Type.Null()]) })

/** What tools used by their own logs. None of it is in the ledger. */
export const ToolScan = strict({
  days: Type.Integer(),
  timezone: Type.String(),
  /** The day of the price card. */
  price_card: Type.String(),
  /** How many files of each tool were read. */
  files: Type.Record(Type.String(), Type.Integer()),
  by: strict({ model: ScanGroup, day: ScanGroup, project: ScanGroup, tool: ScanGroup }),
  total: strict(ScanSums),
  /** Models that the price card has no price for: they are left out of the credits. At most 200. */
  unpriced: Type.Array(Type.String()),
  /** Lines that are too long, and files that cannot be read. */
  skipped: strict({ lines: Type.Integer(), files: Type.Integer() }),
  /** Tools that are used here and keep no counts that could be read. */
  uncounted: Type.Array(Type.String()),
  /** There are more files or folders than are looked at. */
  is_partial: Type.Boolean(),
})

export type ToolView = Static<typeof ToolView>
export type FileChange = Static<typeof FileChange>
export type SeenChange = Static<typeof SeenChange>
export type ToolConnect = Static<typeof ToolConnect>
export type ToolConnection = Static<typeof ToolConnection>
export type ToolGuide = Static<typeof ToolGuide>
export type ToolDisconnection = Static<typeof ToolDisconnection>
export type ToolScan = Static<typeof ToolScan>
