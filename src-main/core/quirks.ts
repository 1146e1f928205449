// How providers of one dialect differ, as data: what a writer of the dialect may send and under which name. An administrator
// changes single values; presets bring them for known providers.

import type { ROUTE_FAMILIES } from '#contract/dialects.ts'

/** What a provider may have beside conversations and embeddings: endpoints whose calls are passed on as they come. */
export type RouteFamily = (typeof ROUTE_FAMILIES)[number]

/** Who serves the models of a dialect: mostly whoever made it. On Google's Vertex AI addresses and small members are others. */
export type Platform = 'own' | 'vertex'

export type Quirks = {
  readonly platform: Platform
  /** Takes `stream_options.include_usage`. */
  readonly streamUsage: boolean
  /** The member of an assistant message in which the provider wants its earlier reasoning back. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'none'
  /** What tool call ids may look like. */
  readonly toolIds: 'any' | 'alphanumeric-9'
  /** The role of instructions. */
  readonly systemRole: 'system' | 'developer'
  /** What becomes of instructions in the middle of a conversation: kept, or told as a marked text of the user. */
  readonly laterSystem: 'keep' | 'user'
  readonly parallelToolCalls: boolean
  /** Takes `cache_control` on content parts. */
  readonly cacheMarks: boolean
  readonly topK: boolean
  /** How many stop sequences are taken. */
  readonly maxStops: number
  /** Takes `response_format` with a JSON schema. */
  readonly jsonSchema: boolean
  /** Takes `reasoning_effort`. */
  readonly reasoningEffort: boolean
  /** Takes a message of the user right behind the results of tools; Mistral wants one of the assistant between them. */
  readonly userAfterTool: boolean
  /** Keeps conversations that clients of messages go on with by `thread`. One that passes over it would answer without what was said. */
  readonly keepsThreads: boolean
  /** Computes a whole answer to its end when its client leaves, and stops only streams: whole answers are asked for as streams. */
  readonly stopsStreamsOnly: boolean
  /** What it has beside conversations and embeddings. */
  readonly routes: readonly RouteFamily[]
}

/** The quirks unless a provider sets others: what most providers of chat completions take. */
export const DEFAULT_QUIRKS: Quirks = {
  platform: 'own',
  streamUsage: true,
  reasoningField: 'none',
  toolIds: 'any',
  systemRole: 'system',
  laterSystem: 'keep',
  parallelToolCalls: true,
  cacheMarks: false,
  topK: false,
  maxStops: 4,
  jsonSchema: true,
  reasoningEffort: true,
  userAfterTool: true,
  keepsThreads: false,
  stopsStreamsOnly: false,
  routes: [],
}
