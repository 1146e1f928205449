// What a client format and a provider dialect have to be able to do. The other rooms know these interfaces and the table of
// those who implement them (dialects.ts); they never ask which dialect they have before them.

import type { Model, OutputCapField, SecretHeader } from '#core/entities.ts'
import type { LimitStanding } from '#core/limits.ts'
import type { WireDialect } from '#core/provider-dialect.ts'
import type { Platform, Quirks } from '#core/quirks.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { EmbeddingProvider, EmbeddingRequest, EmbeddingWish, Vector } from '#dialect/embedding.ts'
import type { StreamFold } from '#dialect/folded-answer.ts'
import type { Mended } from '#dialect/mended.ts'
import type { Form, ModelList } from '#dialect/model-list.ts'
import type { ModelViews } from '#dialect/model-views.ts'
import type { Overflow } from '#dialect/overflow.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart } from '#dialect/part.ts'
import type { BodyText, RequestBody } from '#dialect/request-body.ts'
import type { Conversation, JsonObject } from '#dialect/turn.ts'

/** What the path of a request says, in formats whose bodies do not name the model. */
export type AskedInPath = {
  readonly model: string
  /** What is asked of the model, such as `generateContent`. */
  readonly method: string
  /** Whether a stream is wanted as server-sent events. */
  readonly isEvents: boolean
}

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
  /** The media type of a stream that is not one of events. */
  readonly streamType?: string | undefined
  readonly body: RequestBody
  /** Of a request that went on from an earlier answer which was put into its body. */
  readonly wentOn?: WentOn
  /** Whether its answer may be named on the connection that it came over, though no provider keeps it. */
  readonly isOfConnection?: boolean
  /** Whether it only prepares the next request, and no answer is to be generated. */
  readonly isWarmUp?: boolean
}

/** What a request said itself, before the conversation that it goes on from was put before it. */
export type WentOn = {
  readonly previousId: string
  /** The request's own items, as JSON texts with commas between. */
  readonly asked: string
}

/** An answer that later requests may name instead of sending it. All texts are JSON in the words of its client format. */
export type KeptAnswer = {
  readonly id: string
  readonly itemIds: readonly string[]
  /** Its items, in their order. Made when they are asked for: most never are. */
  readonly items: () => readonly KeptItem[]
  /** Of what `items` is made of, in characters. */
  readonly length: number
  /** The items of its request with commas between; undefined where nobody can go on from it. */
  readonly asked: string | undefined
  /** The answer that its request went on from. */
  readonly previousId: string | undefined
  /** The account at a provider that gave the answer in these words, and may know it by the same ids. */
  readonly providerId?: string
}

export type KeptItem = { readonly id: string; readonly text: string }

/** Takes an answer once it is whole. */
export type KeepAnswer = (answer: Omit<KeptAnswer, 'asked' | 'providerId'>) => void

/** The kept answers of one key. */
export interface KeptAnswers {
  answer(id: string): KeptAnswer | undefined
  /** The answer with that item. */
  withItem(id: string): KeptAnswer | undefined
}

/** Whether an answer is known where the request goes to, so that it stays named. */
export type StaysNamed = (answer: KeptAnswer) => boolean

/** What a request names: items, and the answer that it goes on from. */
export type AskedNames = { readonly itemIds: readonly string[]; readonly previousId: string | undefined }

/** For formats whose requests may name earlier answers. */
export interface AnswerNaming {
  namesIn(request: ClientRequest): AskedNames
  /** The request with kept answers in place of what names them. What nobody knows stays as it is. */
  recall(request: ClientRequest, kept: KeptAnswers, stays: StaysNamed): ClientRequest | Refusal
  /** What a request itself asked, for those that go on from its answer; undefined where nobody can. */
  askedIn(request: ClientRequest): string | undefined
}

/** What the readers and writers of answers know of a request: all but its conversation, which can be kept elsewhere. */
export type AskedRequest = Omit<ClientRequest, 'body' | 'wentOn'> & {
  readonly body: Pick<RequestBody, 'value'>
  readonly wentOn?: Pick<WentOn, 'previousId'>
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
  readonly request: AskedRequest
  /** The id of the exchange, a UUID; ids in the answer are made from it. */
  readonly exchangeId: string
  readonly createdAtS: number
  /** An estimate for formats that name the input before anybody counted it. */
  readonly likelyInputTokens: number
  /** For formats whose clients may name the answer later; undefined where nothing is kept. */
  readonly keep?: KeepAnswer | undefined
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

type Headers = Readonly<Record<string, string>>

/** Below a provider's base URL; a function where the path names the model. */
export type ProviderPath = string | ((upstreamModel: string, isStream: boolean, platform: Platform) => string)

/** What may be asked of a model whose path is below one of `below` and ends in `:` and one of `names`; its clients may have their key in a header. */
export type PathMethods = {
  readonly below: readonly string[]
  readonly names: readonly string[]
  readonly keyHeader?: string
}

/** What the clients of one endpoint send and read around an answer. */
export interface Endpoint {
  /** Where clients send their requests. */
  readonly paths: readonly string[]
  /** Where clients ask for something special by the path alone, and what that is. */
  readonly special?: { readonly paths: readonly string[]; readonly asked: AskedInPath }
  /** For formats whose paths name the model and what is asked of it. */
  readonly methods?: PathMethods
  /** What the OpenTelemetry conventions call such a call, where the kind of its model does not say it. */
  readonly operation?: string
  /** Lists of models in another form than the common one. */
  readonly models?: ModelViews
  /** Names of headers that a provider of the same dialect may see. Everything else stays here. */
  readonly forwardedHeaders: RegExp
  /** What of these headers a platform takes, where it is not all of it. */
  readonly headersAt?: (headers: Headers, platform: Platform) => Headers
  /** The body of an error. */
  errorBody(refusal: Refusal, requestId: string): string
  /** The body of an error in the form of the stream that was asked for; left out where errors have one form. */
  readonly framedError?: (body: Buffer, asked: AskedInPath) => Buffer
  /** The request's id, under the names that the clients' SDKs read. */
  idHeaders(requestId: string): Headers
  /** A rate limit under names of the format's own, beside the standard ones. `name` is what is limited. */
  readonly limitHeaders?: (name: string, standing: LimitStanding, nowMs: number) => Headers
  /** The sentence at which clients shorten what they send. `words` are the provider's own. */
  overflowText(overflow: Overflow, words: string): string
  /** Whether clients see only inside a stream that a context is full, and give up where an error says so before one. */
  readonly readsOverflowInStream?: true
  /** A refusal as it is told, for formats whose clients take some of them amiss. */
  readonly told?: (refusal: Refusal) => Refusal
  /** What a model may be called beside its id, the nearest name first. */
  readonly otherNames?: (model: string) => readonly string[]
  /** What clients read of a model in a list beside what all of them read. */
  readonly modelMembers?: (model: Model) => JsonObject
  /** What these clients ask for beside calls and nobody here has: the paths, and what they are told, in words for a model. */
  readonly missing?: { readonly paths: readonly string[]; readonly says: string }
  /** What a message asks over a WebSocket at these paths, where clients open some. They go on without one as soon as it is refused. */
  readonly webSocket?: AskedInPath
}

/** The format of an endpoint for embeddings. */
export interface EmbeddingDialect extends Endpoint {
  /** The kind of model that serves it. */
  readonly kind: 'embedding'
  readonly family?: undefined
  /** Providers of these dialects are sent the client's own bytes. */
  readonly passesTo: readonly WireDialect[]
  /** Where a provider of the same format takes the request. */
  path(upstreamModel: string, request: EmbeddingRequest): string
  readRequest(text: BodyText, byteLength: number, asked?: AskedInPath): EmbeddingRequest | Refusal
  editRequest(request: EmbeddingRequest, upstreamModel: string): string
  /** Reads an answer of the same format that is passed through. */
  newPassReader(request: EmbeddingRequest): AnswerReader
  /** The request in no format's words, or a refusal that names what cannot be carried. */
  readWish(request: EmbeddingRequest): EmbeddingWish | Refusal
  /** An answer as JSON text. */
  writeAnswer(vectors: readonly Vector[], usage: TokenUsage, request: EmbeddingRequest): string
}

/** A client format. */
export interface ClientDialect extends Endpoint {
  /** The kind of model that serves it. */
  readonly kind: 'chat'
  readonly family?: undefined
  /** Providers of these dialects are sent the client's own bytes. */
  readonly passesTo: readonly WireDialect[]
  /** Where a provider of the same dialect takes requests. */
  readonly path: ProviderPath
  /** The format of bodies that are sent to this endpoint by clients of another one. */
  readonly other?: {
    readonly format: ClientDialect
    /** Whether a body is tried as that; else the refusal stands. */
    fits(refused: Refusal, text: BodyText): boolean
  }
  /** Counting the tokens of a request before it is sent. */
  readonly count?: CountEndpoint
  /** Checks the contract's rules, or refuses with the member that is wrong. `byteLength` is the size on the wire. */
  readRequest(text: BodyText, byteLength: number, asked?: AskedInPath): ClientRequest | Refusal
  readonly naming?: AnswerNaming
  /** What a provider of the same dialect cannot be asked, as a refusal; undefined for dialects that pass everything on. */
  readonly checkPass?: (request: ClientRequest, quirks: Quirks) => Refusal | undefined
  /** Whether a provider of the same dialect understands the request; where not it is translated. Left out: it always does. */
  readonly isUnderstood?: (request: ClientRequest, upstreamModel: string) => boolean
  /** What a provider of the same dialect would refuse because another provider gave it to the client. */
  mendPass(request: ClientRequest, target: PassTarget): Mended
  /** The request's text for a provider of the same dialect. */
  editRequest(request: ClientRequest, edits: PassEdits): string
  /** Reads an answer of the same dialect that is passed through. */
  newPassReader(request: AskedRequest, keep?: KeepAnswer): AnswerReader
  /** The request in no dialect's words, or a refusal that names what cannot be carried. */
  readConversation(request: ClientRequest): Conversation | Refusal
  newStreamWriter(context: AnswerContext): StreamWriter
  /** A whole answer as JSON text. */
  writeAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string
}

/** Where clients have the tokens of a request counted. */
export interface CountEndpoint {
  readonly paths: readonly string[]
  readonly methods?: PathMethods
  /** Where a provider of the same dialect counts, below its base URL. */
  readonly path: ProviderPath
  readRequest(text: BodyText, byteLength: number, asked?: AskedInPath): ClientRequest | Refusal
  /** The edited request as such a provider is asked to count it; undefined where it is sent as it is. */
  readonly wrap?: (request: string, upstreamModel: string, platform: Platform) => string
  /** The count in the answer of a provider of the same dialect; undefined where there is none. */
  readCount(answer: JsonObject): number | undefined
  writeAnswer(inputTokens: number): string
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

/** What a test asks a provider, where its list of models leaves something open. */
export interface Probe {
  /** What is put in front of the paths by providers of the dialect, the most frequent first. */
  readonly prefixes: readonly string[]
  /** Where a model is asked, below the base URL. */
  path(model: string, platform: Platform): string
  /** Whether that path names the model, so that without one it says nothing about the provider, and the list of models says all. */
  readonly namesModelInPath?: true
  /** A request for a few tokens. */
  body(wish: TinyWish): JsonObject
}

export type TinyWish = {
  readonly model: string
  readonly prompt: string
  readonly outputTokens: number
  readonly outputCapField: OutputCapField
  readonly platform: Platform
}

/** `headers` are those of the answer, by their names in lower case. */
export type ReadError = (
  body: unknown,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => ProviderError | undefined

/** A provider dialect. */
export interface ProviderDialect {
  /** The header in which providers take a secret unless they are told apart. */
  readonly secretHeader: SecretHeader
  /** How requests are signed with the secret, where it is not shown in a header. */
  readonly signing?: 'aws'
  /** Sent with every request unless the client's own headers say otherwise. */
  readonly headers?: Headers
  /** What the dialect's own provider does differently from most. */
  readonly quirks?: Partial<Quirks>
  /** Left out where its providers have no embeddings. */
  readonly embeddings?: EmbeddingProvider
  /** Left out where providers have no list behind their base URL. */
  readonly modelList?: ModelList
  readonly form: Form
  readonly probe: Probe
  writeRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal
  /** `generated` takes all that the model generated, as soon as it comes: parts may wait for others. */
  newPartReader(newCallId: () => string, generated: GeneratedText): PartReader
  /** The parts of a whole answer. Throws UpstreamFailure for what is no answer of the dialect. */
  readAnswer(answer: JsonObject, newCallId: () => string, generated: GeneratedText): readonly AnswerPart[]
  /** Adds a stream up to a whole answer, for dialects whose whole answers can be asked for as streams. */
  readonly newFold?: () => StreamFold
  /** No provider of the dialect takes a smaller output cap. */
  readonly leastOutputCap?: number
  /** What an error body says beside its words, for dialects whose HTTP status does not say it all. */
  readonly readError?: ReadError
  /** Counts input tokens before a request, where the dialect's providers do that. */
  readonly count?: {
    write(conversation: Conversation, target: WriteTarget): { readonly path: string; readonly body: string } | Refusal
    read(answer: JsonObject): number | undefined
  }
}
