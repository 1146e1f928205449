// A request in no dialect's words: the hub between the four client formats and the five provider dialects. A reader of a
// client format makes a `Conversation` of a body, a writer of a provider dialect makes a body of it. Pure data: what a
// format has and the hub has no place for is named in `dropped` by the reader; what the hub has and a dialect cannot carry
// is named in `dropped` by the writer. Nothing is lost in silence.

import type { Sealed } from '#dialect/seal.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export type Conversation = {
  /** In the order of the request. Readers need not repair it; `repairTurns` does, before a writer sees it. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** Tools that the provider would run itself (web search, code execution), by the type that the client named. */
  readonly hostedTools: readonly string[]
  readonly toolChoice: ToolChoice | undefined
  /** undefined: the client did not say. */
  readonly allowsParallelTools: boolean | undefined
  readonly outputCap: number | undefined
  readonly stop: readonly string[]
  readonly sampling: Sampling
  readonly reasoning: ReasoningWish
  readonly format: OutputFormat | undefined
  /** How many answers are asked for. */
  readonly choices: number
  /** An identifier of the end user, as the client sent it. */
  readonly user: string | undefined
  /** Members that chat completions and responses share by name and meaning, such as `service_tier`; nobody else has them. */
  readonly shared: JsonObject
  /** Members of the request that the hub has no place for, by the name that the client used. */
  readonly dropped: readonly string[]
}

export type Turn =
  /** `system` and `developer` messages, at the start or in the middle. */
  | { readonly role: 'system'; readonly content: readonly TextContent[] }
  | { readonly role: 'user'; readonly content: readonly UserContent[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantContent[] }
  /** After `repairTurns`: follows the assistant turn whose calls it answers, with one result for each call, in their order. */
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

/** A mark up to which the provider may cache the prompt; `ttl` as the client wrote it, such as `1h`. */
export type CacheMark = { readonly ttl: string | undefined }

export type TextContent = { readonly type: 'text'; readonly text: string; readonly cacheMark?: CacheMark | undefined }

export type MediaSource =
  /** `data` is base64 without a data URL's head. */
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }

export type ImageContent = {
  readonly type: 'image'
  readonly source: MediaSource
  readonly detail?: 'auto' | 'low' | 'high' | undefined
  readonly cacheMark?: CacheMark | undefined
}

export type DocumentContent = {
  readonly type: 'document'
  /** A document of plain text has its text instead of a file. */
  readonly source: MediaSource | { readonly type: 'text'; readonly text: string }
  readonly name?: string | undefined
  readonly cacheMark?: CacheMark | undefined
}

export type AudioContent = {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  /** `wav` or `mp3`. */
  readonly format: string
}

export type UserContent = TextContent | ImageContent | DocumentContent | AudioContent

export type AssistantContent =
  | TextContent
  | { readonly type: 'refusal'; readonly text: string }
  /** `text` may be empty where the provider gave only a sealed form. */
  | { readonly type: 'reasoning'; readonly text: string; readonly sealed?: Sealed | undefined }
  | ToolCall

export type ToolCall = {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  readonly namespace?: string | undefined
  /** JSON text of an object, whatever the kind of the tool: a custom tool's input is `{"input":"..."}`. */
  readonly arguments: string
  /** What Gemini wants back with a call. */
  readonly sealed?: Sealed | undefined
  readonly cacheMark?: CacheMark | undefined
}

export type ToolResult = {
  readonly callId: string
  readonly content: readonly (TextContent | ImageContent | DocumentContent)[]
  readonly isError: boolean
  readonly cacheMark?: CacheMark | undefined
}

/**
 * How the client knows a tool. Every dialect is given functions; the answer's calls go back in the client's form.
 * `custom` tools take free text, `tool-search` is Codex's own search among deferred tools, `local-shell` runs a command.
 */
export type ToolKind = 'function' | 'custom' | 'tool-search' | 'local-shell'

export type Tool = {
  readonly name: string
  readonly namespace?: string | undefined
  readonly kind: ToolKind
  readonly description: string | undefined
  /** JSON schema of the arguments; undefined where the client gave none. */
  readonly parameters: JsonObject | undefined
  readonly isStrict: boolean | undefined
  readonly cacheMark?: CacheMark | undefined
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string; readonly namespace?: string | undefined }
  /** A hosted tool is forced, by its type. */
  | { readonly type: 'hosted'; readonly name: string }

export type Sampling = {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly seed?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

export type ReasoningWish = {
  /** undefined: the client did not say, so the provider's default holds. */
  readonly effort: Effort | undefined
  readonly budgetTokens: number | undefined
  /** Whether the client wants to see reasoning in the answer. */
  readonly isShown: boolean
  /** True for a client that does not, but gives back what seals it: only then does the provider go on where it was. */
  readonly keepsSeal?: boolean | undefined
}

export type OutputFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema'
      readonly name: string
      readonly description: string | undefined
      readonly schema: JsonObject
      readonly isStrict: boolean | undefined
    }

/** The most recent effort that a thinking budget stands for; the bounds are those that other translators use. */
export function effortOfBudget(budgetTokens: number): Effort {
  if (budgetTokens < 2048) return 'low'
  return budgetTokens < 8192 ? 'medium' : 'high'
}

/** A thinking budget for an effort; 0 for none. */
export function budgetOfEffort(effort: Effort): number {
  switch (effort) {
    case 'none':
      return 0
    case 'minimal':
    case 'low':
      return 1024
    case 'medium':
      return 4096
    case 'high':
      return 16_384
    case 'xhigh':
    case 'max':
      return 32_768
  }
}
