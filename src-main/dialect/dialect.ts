// What a client format and a provider dialect have to be able to do. The pipeline knows these two interfaces and the table of
// those who implement them (dialects.ts); it never asks which dialect it has before it.

import type { OutputCapField } from '#core/entities.ts'
import type { ProviderDialect as ProviderDialectName } from '#core/provider-dialect.ts'
import type { Quirks } from '#core/quirks.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { StreamFold } from '#dialect/folded-answer.ts'
import type { Mended } from '#dialect/mended.ts'
import type { AnswerPart } from '#dialect/part.ts'
import type { BodyText, RequestBody } from '#dialect/request-body.ts'
import type { Conversation, JsonObject } from '#dialect/turn.ts'

/** What routing and metering need of a request in a client format. */
export type ClientRequest = {
  readonly model: string
  readonly isStream: boolean
  readonly outputCap: number | undefined
  /** The member that caps the output, as the client named it or would have. */
  readonly outputCapName: string
  /** How many answers are asked for. */
  readonly choices: number
  /** Whether the client asked for usage in its stream; formats that always have it say true. */
  readonly wantsUsage: boolean
  readonly body: RequestBody
}

/** What is edited in a request that is passed on in its own dialect. */
export type PassEdits = {
  readonly upstreamModel: string
  /** The cap to send; undefined leaves the request without one. */
  readonly outputCap: number | undefined
  /** The member that the provider takes, used where the client gave no cap and the dialect has more than one. */
  readonly outputCapField: OutputCapField
  readonly quirks: Quirks
  /** Whether a whole answer is asked for as a stream. */
  readonly isFolded?: boolean
  /** What `mendPass` found. */
  readonly mended: Mended
}

/** Where a request is passed on to. */
export type PassTarget = Pick<PassEdits, 'upstreamModel' | 'quirks'>

/** What a writer of answers knows about the exchange. */
export type AnswerContext = {
  readonly request: ClientRequest
  /** The id of the exchange, a UUID; ids in the answer are made from it. */
  readonly exchangeId: string
  readonly createdAtS: number
  /** An estimate for formats that name the input before anybody counted it. */
  readonly likelyInputTokens: number
}

/** Writes one answer as a stream in a client format. Texts that it returns are complete events. */
export interface StreamWriter {
  /** What can be sent for a part now; empty for parts that only the end needs (`usage`, `finish`). */
  write(part: AnswerPart): string
  /** The events that end the stream. `usage` is what the exchange is charged for; counts nobody knows are undefined. */
  end(usage: TokenUsage): string
  /** The event that tells that the answer broke off, before or after any part. */
  fail(refusal: Refusal, requestId: string): string
  /** An event that changes nothing but shows the client that its stream is alive. */
  keepAlive(): string
}

/** A client format. */
export interface ClientDialect {
  /** Providers of these dialects are sent the client's own bytes. */
  readonly passesTo: readonly ProviderDialectName[]
  /** Where they take it, below the base URL. */
  readonly path: string
  /** Checks the contract's rules, or refuses with the member that is wrong. `byteLength` is the size on the wire. */
  readRequest(text: BodyText, byteLength: number): ClientRequest | Refusal
  /** What a provider of the same dialect cannot be asked, as a refusal; undefined for dialects that pass everything on. */
  readonly checkPass?: (request: ClientRequest, quirks: Quirks) => Refusal | undefined
  /** What a provider of the same dialect would refuse because another provider gave it to the client. */
  mendPass(request: ClientRequest, target: PassTarget): Mended
  /** The request's text for a provider of the same dialect. */
  editRequest(request: ClientRequest, edits: PassEdits): string
  /** Reads an answer of the same dialect that is passed through. */
  newPassReader(request: ClientRequest): AnswerReader
  /** The request in no dialect's words, or a refusal that names what cannot be carried. */
  readConversation(request: ClientRequest): Conversation | Refusal
  newStreamWriter(context: AnswerContext): StreamWriter
  /** A whole answer as JSON text. */
  writeAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string
}

export type WriteTarget = {
  readonly upstreamModel: string
  readonly isStream: boolean
  readonly outputCapField: OutputCapField
  readonly quirks: Quirks
}

/** A request in a provider's dialect, but for the output cap, which is known only when the call is admitted. */
export type WrittenRequest = {
  /** Below the base URL, such as `/chat/completions`. */
  readonly path: string
  /** What the dialect or the provider cannot take, by names that a client understands. */
  readonly dropped: readonly string[]
  /** The body as JSON text. */
  body(outputCap: number): string
}

/** Reads one provider's stream into parts. Methods throw UpstreamFailure for what is not of the dialect. */
export interface PartReader {
  /** Takes the data of one event, and the event's name where it has one. */
  read(data: string, event: string | undefined): readonly AnswerPart[]
  /** The upstream's end. Throws UpstreamFailure where the answer was not complete. */
  end(): readonly AnswerPart[]
  /** True once every choice that began has its finish reason; counts and the terminal event may still follow. */
  readonly hasEnded: boolean
  /** True once the dialect's terminal event was read. */
  readonly isComplete: boolean
  /** Pieces that belonged to no block and said nothing by themselves. */
  readonly droppedPieces?: number
}

export type ProviderError = {
  /** The HTTP status that the error deserves, where the body says. */
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined
}

/** A provider dialect. */
export interface ProviderDialect {
  writeRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal
  newPartReader(newCallId: () => string): PartReader
  /** The parts of a whole answer. Throws UpstreamFailure for what is no answer of the dialect. */
  readAnswer(answer: JsonObject, newCallId: () => string): readonly AnswerPart[]
  /** Adds a stream up to a whole answer, for dialects whose whole answers can be asked for as streams. */
  readonly newFold?: () => StreamFold
  /** No provider of the dialect takes a smaller output cap. */
  readonly leastOutputCap?: number
  /** What an error body says beside its words, for dialects whose HTTP status does not say it all. */
  readonly readError?: (body: unknown) => ProviderError | undefined
  /** Counts input tokens before a request, where the dialect's providers do that. */
  readonly count?: {
    write(conversation: Conversation, target: WriteTarget): { readonly path: string; readonly body: string } | Refusal
    read(answer: JsonObject): number | undefined
  }
}
