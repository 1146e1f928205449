// Makes a conversation ready for one target: as it came, or translated through the hub. What is found is plain data, because a
// large conversation is made ready by the body thread; the answer is read on the main thread all the same.

import type { Provider, Target } from '#core/entities.ts'
import type { Platform } from '#core/quirks.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { accountId } from '#core/secret-pool.ts'
import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { AnswerContext, AskedRequest, ClientDialect, ClientRequest, ProviderPath } from '#dialect/dialect.ts'
import { dialectOf, quirksOf } from '#dialect/dialects.ts'
import { FoldedAnswer, type StreamFold } from '#dialect/folded-answer.ts'
import { repairTurns } from '#dialect/repair.ts'
import { AnswerRestorer, ToolNames, withWireNames, type KnownTools } from '#dialect/tools.ts'
import { TranslatedStream, TranslatedWhole } from '#dialect/translated-answer.ts'
import type { Conversation } from '#dialect/turn.ts'
import { isPassedTo, requestFor, type ChatBody, type GivenChat } from '#pipeline/chat-body.ts'

/** What decides how a request is written for a target. */
export type PrepareTarget = {
  readonly provider: Pick<Provider, 'dialect' | 'quirks' | 'outputCapField'>
  /** Whose answers it may know by their names. */
  readonly account: string
  readonly upstreamModel: string
}

export function plainTarget(provider: Provider, { upstreamModel }: Pick<Target, 'upstreamModel'>): PrepareTarget {
  const { dialect, quirks, outputCapField } = provider
  return { provider: { dialect, quirks, outputCapField }, account: accountId(provider), upstreamModel }
}

/** What is known of a request that is ready for a target. */
export type PreparedFacts = {
  /** True where the client's bytes are passed on, and the provider's back. */
  readonly isPassed: boolean
  /** Below the provider's base URL. */
  readonly path: string
  /** What could not be carried to the provider, for the `x-farebox-dropped` header. */
  readonly dropped: readonly string[]
  /** Whether the provider is asked for a stream. */
  readonly isStream: boolean
  /** What the reader of a translated answer has to know of the conversation. */
  readonly translation: TranslationFacts | undefined
}

type TranslationFacts = {
  readonly tools: KnownTools
  /** The ids by which the client knows the calls of its conversation. */
  readonly callIds: readonly string[]
  readonly showsReasoning: boolean
  readonly keepsSeals: boolean
}

export type PreparedText = PreparedFacts & {
  /** As this target gets it. */
  readonly request: ClientRequest
  /** Writes the body, which waits for the output cap that the call is admitted with. */
  readonly body: (outputCap: number | undefined) => string
}

/** Makes a request ready for a target, or refuses what its provider cannot be asked. */
export function prepareText(chat: ChatBody, target: PrepareTarget): PreparedText | Refusal {
  const { client } = chat
  const request = requestFor(chat, target)
  if (isRefusal(request)) return request
  const isUnderstood = client.isUnderstood?.(request, target.upstreamModel) ?? true
  const isPassed = isUnderstood && isPassedTo(chat, target.provider)
  return (isPassed ? pass : translate)({ client, request }, target)
}

function pass({ client, request }: GivenChat, { provider, upstreamModel }: PrepareTarget): PreparedText | Refusal {
  const quirks = quirksOf(provider)
  const refusal = client.checkPass?.(request, quirks)
  if (refusal !== undefined) return refusal
  const isFolded = foldOf(request, provider) !== undefined
  const mended = client.mendPass(request, { upstreamModel, quirks })
  const { outputCapField } = provider
  const isStream = request.isStream || isFolded
  return {
    request,
    isPassed: true,
    isStream,
    path: pathAt(client.path, { upstreamModel, isStream, platform: quirks.platform }),
    dropped: mended.dropped,
    translation: undefined,
    body: (outputCap) =>
      client.editRequest(request, { upstreamModel, outputCap, outputCapField, quirks, isFolded, mended }),
  }
}

/** Where a provider of the client's own dialect is asked. */
export function pathAt(path: ProviderPath, { upstreamModel, isStream, platform }: AskedAt): string {
  return typeof path === 'string' ? path : path(upstreamModel, isStream, platform)
}

type AskedAt = { readonly upstreamModel: string; readonly isStream: boolean; readonly platform: Platform }

function translate({ client, request }: GivenChat, { provider, upstreamModel }: PrepareTarget): PreparedText | Refusal {
  const read = client.readConversation(request)
  if (isRefusal(read)) return read
  const names = new ToolNames(read.tools)
  const conversation = forProvider(read, names)
  if (!hasContent(conversation)) {
    const param = ['messages', 'contents'].find((name) => name in request.body.value) ?? 'input'
    return refuse('invalid_request', `'${param}' holds nothing that can be sent. Send at least one text.`, { param })
  }
  const isStream = request.isStream || foldOf(request, provider) !== undefined
  const { outputCapField } = provider
  const target = { upstreamModel, isStream, outputCapField, quirks: quirksOf(provider) }
  const written = dialectOf(provider).writeRequest(conversation, target)
  if (isRefusal(written)) return written
  const { isShown, keepsSeal = false } = conversation.reasoning
  return {
    request,
    isPassed: false,
    isStream,
    path: written.path,
    dropped: [...new Set([...conversation.dropped, ...written.dropped])],
    translation: { tools: names.table, callIds: callIdsIn(read), showsReasoning: isShown, keepsSeals: keepsSeal },
    body: (outputCap) => {
      if (outputCap === undefined) throw new Error('a translated request has no output cap')
      return written.body(outputCap)
    },
  }
}

/** The answer of a target that a request was made ready for. */
export type ExpectedAnswer = {
  readonly client: ClientDialect
  readonly provider: Provider
  readonly translation: TranslationFacts | undefined
  readonly context: AnswerContext
}

export function newReader({ client, provider, translation, context }: ExpectedAnswer): AnswerReader {
  const { request, exchangeId, keep } = context
  const newFold = foldOf(request, provider)
  if (translation === undefined) return folded(client.newPassReader(request, keep), newFold)
  const { tools, callIds, showsReasoning, keepsSeals } = translation
  const options = { showsReasoning, keepsSeals, callIds: new AnswerCallIds(exchangeId, callIds) }
  const restorer = new AnswerRestorer({ table: tools }, options)
  const translating = { client, provider: dialectOf(provider), context, restorer }
  return request.isStream ? new TranslatedStream(translating) : folded(new TranslatedWhole(translating), newFold)
}

/** How a whole answer is made of a stream that is asked for in its place; undefined where it is asked for as it is. */
function foldOf({ isStream }: AskedRequest, provider: PrepareTarget['provider']): (() => StreamFold) | undefined {
  const isWanted = !isStream && quirksOf(provider).stopsStreamsOnly
  return isWanted ? dialectOf(provider).newFold : undefined
}

function folded(reader: AnswerReader, newFold: (() => StreamFold) | undefined): AnswerReader {
  return newFold === undefined ? reader : new FoldedAnswer(reader, newFold())
}

function callIdsIn({ turns }: Conversation): readonly string[] {
  return turns.flatMap((turn) => {
    if (turn.role === 'tool') return turn.results.map(({ callId }) => callId)
    return turn.content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))
  })
}

/** Whether anything is left to be sent: empty texts are not, and reasoning alone says nothing. */
function hasContent({ turns }: Conversation): boolean {
  return turns.some((turn) => turn.role !== 'assistant' || turn.content.some((part) => part.type !== 'reasoning'))
}

/** The conversation in the order that every provider accepts, with names that it takes. */
export function forProvider(conversation: Conversation, names: ToolNames): Conversation {
  return withWireNames({ ...conversation, turns: repairTurns(conversation.turns) }, names)
}
