// A request to count the tokens of a conversation: what a provider that counts is sent, and what has to be counted here where none does.

import { wireDialect } from '#core/provider-dialect.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { Countable } from '#dialect/count.ts'
import { dialectOf, quirksOf, type AnyFormat } from '#dialect/dialects.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { ToolNames } from '#dialect/tools.ts'
import type { DistantBody, WrittenCount } from '#pipeline/body-questions.ts'
import { countableIn, type ChatBody } from '#pipeline/endpoints.ts'
import { forProvider, type PrepareTarget } from '#pipeline/prepare.ts'

export type CountRequest = {
  readonly model: string
  /** undefined for a provider that cannot be asked. */
  readonly write: (target: PrepareTarget) => WrittenCount | undefined | Promise<WrittenCount | Refusal | undefined>
  readonly countable: () => Countable | Refusal | Promise<Countable | Refusal>
}

/** Reads the body of a request to count, or refuses it with the member that is wrong. */
export function readCountBody(client: AnyFormat, text: BodyText, byteLength: number): ChatBody | Refusal {
  if (client.kind !== 'chat' || client.count === undefined) throw new Error('a format has no way to count')
  const request = client.count.readRequest(text, byteLength)
  return isRefusal(request) ? request : { client, request }
}

export function countRequest(chat: ChatBody): CountRequest {
  return {
    model: chat.request.model,
    write: (target) => writeCount(chat, target),
    countable: () => countableIn(chat),
  }
}

export async function readDistantCount(body: DistantBody): Promise<CountRequest | Refusal> {
  const facts = await body.ask<'read'>({ type: 'read' })
  if (isRefusal(facts)) return facts
  return {
    model: facts.asked.model,
    write: (target) => body.ask<'write-count'>({ type: 'write-count', target }),
    countable: () => body.ask<'countable'>({ type: 'countable' }),
  }
}

export function writeCount({ client, request }: ChatBody, target: PrepareTarget): WrittenCount | undefined {
  const { provider, upstreamModel } = target
  const { outputCapField } = provider
  const quirks = quirksOf(provider)
  if (client.passesTo.includes(wireDialect(provider.dialect))) {
    const mended = client.mendPass(request, { upstreamModel, quirks })
    const edits = { upstreamModel, outputCap: undefined, outputCapField, quirks, mended }
    return client.count && { path: client.count.path, body: client.editRequest(request, edits) }
  }
  const { count } = dialectOf(provider)
  const conversation = count && client.readConversation(request)
  if (count === undefined || conversation === undefined || isRefusal(conversation)) return undefined
  const names = new ToolNames(conversation.tools)
  const writing = { upstreamModel, isStream: false, outputCapField, quirks }
  const written = count.write(forProvider(conversation, names), writing)
  return isRefusal(written) ? undefined : written
}
