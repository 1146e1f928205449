// The vocabulary of the scripted provider: what it answers (Content), how its event stream looks (StreamShape) and how
// the bytes travel (Transport). Data only, so that a test reads as a description of the provider it talks to.

export type Behaviour =
  | ({ readonly type: 'answer' } & Content & StreamShape & Transport)
  | ({ readonly type: 'embedding' } & EmbeddingContent & Transport)
  | ({ readonly type: 'status' } & StatusContent & Transport)
  | ({ readonly type: 'error-in-200'; readonly error?: ProviderError } & Transport)
  | ({ readonly type: 'error-in-stream' } & StreamError & Content & StreamShape & Transport)
  | ({ readonly type: 'broken-stream' } & StreamBreakage & Content & StreamShape & Transport)
  | ({ readonly type: 'html'; readonly text?: string } & Transport)
  | ({ readonly type: 'redirect'; readonly to: string } & Transport)
  | ({ readonly type: 'endless'; readonly event?: string | Buffer } & Content & StreamShape & Transport)
  | ({ readonly type: 'oversized'; readonly bytes: number } & Transport)
  | ({ readonly type: 'raw'; readonly parts: readonly (string | Buffer)[] } & Transport)

/** What the model says. Everything left out is an ordinary short answer. */
export type Content = {
  /** The answer's text; a stream sends it word by word. */
  readonly text?: string
  /** The text in exactly these deltas, for streams that must be cut at a known place. */
  readonly pieces?: readonly string[]
  /** Empty where the provider reasoned but shows nothing of it. */
  readonly reasoning?: string
  /** What the provider wants back with the reasoning: a signature or encrypted content. Null sends none. */
  readonly seal?: string | null
  /** A `redacted_thinking` block; messages only. */
  readonly redactedReasoning?: string
  /** Said instead of a text, unless there is one too; responses only. */
  readonly refusal?: string
  readonly toolCalls?: readonly ToolCall[]
  /** How many choices; default is the number that the request asks for, else 1. Chat completions and Gemini only. */
  readonly choices?: number
  /** In the words of the format; in the responses format, why the answer is incomplete. */
  readonly finishReason?: string
  /** The stop sequence that ended the answer; messages only. */
  readonly stopSequence?: string
  /** The model named in the answer; default is the one that was asked for. */
  readonly model?: string
  /** Sent as it is, however wrong; null sends none at all. */
  readonly usage?: WireUsage | null
}

/** The counts as a provider writes them. Loose, because a test wants to send counts that are no numbers. */
export type WireUsage = Readonly<Record<string, unknown>>

export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** A custom tool's arguments are free text; responses only, as is the namespace. */
  readonly kind?: 'function' | 'custom'
  readonly namespace?: string
}

/** How the event stream looks. The default is OpenAI's: usage only if asked, in a chunk of its own, then `[DONE]`. */
export type StreamShape = {
  /** Where chat completions report usage; the other formats have one place for it. */
  readonly usageAt?: UsagePlace
  /** Sends the closing usage this often; some providers repeat it. Chat completions only. */
  readonly usageTimes?: number
  /** What `message_start` of the messages format reports; default is the usage with one output token, null is none. */
  readonly startUsage?: WireUsage | null
  /**
   * Leaves out what ends the stream: `done` is `[DONE]`, `message_stop` or `response.completed`, and `finish` is the chunk
   * with the finish reason or `message_delta`.
   */
  readonly omit?: readonly ('finish' | 'done')[]
  /** A comment line between all events, such as `: keep-alive`. */
  readonly comment?: string
  readonly lineEnd?: '\n' | '\r\n' | '\r'
}

/** `as-asked` follows `stream_options.include_usage`; the others send usage whether it was asked for or not. */
export type UsagePlace = 'as-asked' | 'own-chunk' | 'finish-chunk' | 'every-chunk'

export type EmbeddingContent = {
  /** `as-asked` follows the request's `encoding_format`; the others ignore it, as some providers do. */
  readonly format?: 'as-asked' | 'float' | 'base64'
  readonly vectors?: readonly (readonly number[])[]
  readonly usage?: WireUsage | null
}

export type StatusContent = {
  readonly status: number
  readonly error?: ProviderError
  /** Replaces the whole body, for providers with error shapes of their own. */
  readonly body?: unknown
  /** Sent as it is: seconds, an HTTP date, or nonsense. */
  readonly retryAfter?: string | number
}

export type ProviderError = Readonly<Record<string, unknown>>

export type StreamError = {
  /** 0 makes the error the first thing in the stream. Nothing follows it but what closes a failed response. */
  readonly afterEvents: number
  readonly error?: ProviderError
}

export type StreamBreakage = {
  /** Which event is broken, counted from 0. The events after it are sound. */
  readonly atEvent: number
  readonly how: 'not-json' | 'truncated-json'
}

/** How the bytes travel, for whatever they are. */
export type Transport = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  /** Silence before the headers; Infinity never answers. */
  readonly headersAfterMs?: number
  /** Silence between two writes. */
  readonly delayMs?: number
  readonly chunking?: Chunking
  /** A silence inside the body; Infinity goes silent for good. */
  readonly stall?: { readonly at: BodyPosition; readonly ms: number }
  /**
   * Ends the connection there: `reset` with an RST, `close` with an ordinary FIN. The body is always unfinished: behind its last
   * byte, too, what ends it is missing, for which an answer that would have a content-length is sent without one.
   */
  readonly cut?: { readonly at: 'before-headers' | 'after-headers' | BodyPosition; readonly how: 'reset' | 'close' }
  /** Compresses the body without having been asked to. */
  readonly encoding?: 'gzip'
  /** Chunked transfer without a content-length; event streams always do that. */
  readonly withoutLength?: boolean
}

/** A byte of the body, or the middle or the end of an event counted from 0. */
export type BodyPosition =
  { readonly byte: number } | { readonly insideEvent: number } | { readonly afterEvent: number }

/** Which writes the body is split into. `inside-characters` cuts every multi-byte character in two. */
export type Chunking =
  'per-event' | 'whole' | 'byte-by-byte' | 'inside-characters' | { readonly offsets: readonly number[] }

/** What an answer reports when the script says nothing about usage. */
export const ORDINARY_USAGE = usage(19, 10)

/** The same counts in the words of the messages format. */
export const MESSAGES_USAGE = {
  input_tokens: 19,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 10,
} satisfies WireUsage

/** The same counts in the words of the responses format. */
export const RESPONSES_USAGE = {
  input_tokens: 19,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 29,
} satisfies WireUsage

/** The same counts in the words of the Gemini API. */
export const GEMINI_USAGE = {
  promptTokenCount: 19,
  candidatesTokenCount: 10,
  totalTokenCount: 29,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 19 }],
} satisfies WireUsage

/** The same counts in the words of Converse. */
export const CONVERSE_USAGE = { inputTokens: 19, outputTokens: 10, totalTokens: 29 } satisfies WireUsage

/** Counts no ledger should trust. */
export const ODD_USAGE = {
  zero: usage(0, 0),
  negative: usage(-19, -10),
  huge: usage(1e15, 1e18),
  fractional: usage(19.5, 10.25),
} satisfies Readonly<Record<string, WireUsage>>

function usage(prompt: number, completion: number) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  } satisfies WireUsage
}
