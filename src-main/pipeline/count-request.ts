// A request to count the tokens of a conversation: what a provider that counts is sent, and what has to be counted here where none does.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { Countable } from '#dialect/count.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { dialectOf, quirksOf, type AnyFormat } from '#dialect/dialects.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { ToolNames } from '#dialect/tools.ts'
import type { DistantBody, WrittenCount } from '#pipeline/body-questions.ts'
import { countableIn, isPassedTo, requestFor, type ChatBody, type GivenChat } from '#pipeline/chat-body.ts'
import { readFacts } from '#pipeline/distant-request.ts'
import type { OwnAnswers } from '#pipeline/endpoints.ts'
import { forProvider, pathAt, type PrepareTarget } from '#pipeline/prepare.ts'

export type CountRequest = {
  readonly model: string
  /** undefined for a provider that cannot be asked. */
  readonly write: (target: PrepareTarget) => WrittenCount | undefined | Promise<WrittenCount | Refusal | undefined>
  readonly countable: () => Countable | Refusal | Promise<Countable | Refusal>
}

/** Reads the body of a request to count, or refuses it with the member that is wrong. */
export function readGivenCount(
  client: AnyFormat,
  text: BodyText,
  byteLength: number,
  asked?: AskedInPath,
): GivenChat | Refusal {
  if (client.family !== undefined || client.kind !== 'chat' || client.count === undefined)
    throw new Error('a format has no way to count')
  const request = client.count.readRequest(text, byteLength, asked)
  return isRefusal(request) ? request : { client, request }
}

export function countRequest(chat: ChatBody): CountRequest {
  return {
    model: chat.request.model,
    write: (target) => writeCount(chat, target),
    countable: () => countableIn(chat),
  }
}

export async function readDistantCount(body: DistantBody, own?: OwnAnswers): Promise<CountRequest | Refusal> {
  const facts = await readFacts(body, own)
  if (isRefusal(facts)) return facts
  return {
    model: facts.asked.model,
    write: (target) => body.ask<'write-count'>({ type: 'write-count', target }),
    countable: () => body.ask<'countable'>({ type: 'countable' }),
  }
}

export function writeCount(chat: ChatBody, target: PrepareTarget): WrittenCount | undefined {
  return isPassedTo(chat, target.provider) ? passCount(chat, target) : translateCount(chat, target)
}

function passCount(chat: ChatBody, target: PrepareTarget): WrittenCount | undefined {
  const { client } = chat
  const { provider, upstreamModel } = target
  const request = requestFor(chat, target)
  if (client.count === undefined || isRefusal(request)) return undefined
  const quirks = quirksOf(provider)
  const mended = client.mendPass(request, { upstreamModel, quirks })
  const { outputCapField } = provider
  const edited = client.editRequest(request, { upstreamModel, outputCap: undefined, outputCapField, quirks, mended })
  const { platform } = quirks
  const body = client.count.wrap?.(edited, upstreamModel, platform) ?? edited
  return { path: pathAt(client.count.path, { upstreamModel, isStream: false, platform }), body }
}

function translateCount({ client, said }: ChatBody, { provider, upstreamModel }: PrepareTarget) {
  const { count } = dialectOf(provider)
  if (count === undefined || isRefusal(said)) return undefined
  const conversation = client.readConversation(said)
  if (isRefusal(conversation)) return undefined
  const names = new ToolNames(conversation.tools)
  const { outputCapField } = provider
  const writing = { upstreamModel, isStream: false, outputCapField, quirks: quirksOf(provider) }
  const written = count.write(forProvider(conversation, names), writing)
  return isRefusal(written) ? undefined : written
}
