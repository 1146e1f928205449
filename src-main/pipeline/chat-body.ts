// A conversation as its client sent it, and as it is where it goes to: earlier answers that it names are put into it wherever they
// are not known by their names.

import type { Provider } from '#core/entities.ts'
import type { InputSize } from '#core/estimate.ts'
import { wireDialect } from '#core/provider-dialect.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { countableOf, type Countable } from '#dialect/count.ts'
import type { AskedInPath, ClientDialect, ClientRequest, KeptAnswers, StaysNamed } from '#dialect/dialect.ts'
import type { BodyText } from '#dialect/request-body.ts'

/** A request with the format that it is in, which is not always that of its endpoint. */
export type GivenChat = { readonly client: ClientDialect; readonly request: ClientRequest }

export type ChatBody = GivenChat & {
  /** With all that it names in words, or why there is no such thing; in `request`, what a provider may know stays named. */
  readonly said: ClientRequest | Refusal
  /** The account at a provider that gave an answer which the request names. */
  readonly keeperId: string | undefined
  /** The answers of its caller; undefined where there are none. */
  readonly kept: KeptAnswers | undefined
}

/** Reads a body, or refuses it with the member that is wrong. */
export function readGiven(
  client: ClientDialect,
  text: BodyText,
  byteLength: number,
  asked?: AskedInPath,
): GivenChat | Refusal {
  const request = client.readRequest(text, byteLength, asked)
  if (!isRefusal(request)) return { client, request }
  if (client.other?.fits(request, text) !== true) return request
  const { format } = client.other
  const other = format.readRequest(text, byteLength)
  return isRefusal(other) ? request : { client: format, request: other }
}

/** Where the request goes is not known yet: what a provider may know stays named until then. */
export function recalled(given: GivenChat, kept: KeptAnswers | undefined): ChatBody | Refusal {
  let keeperId: string | undefined
  const request = recall(given, kept, ({ providerId }) => {
    keeperId = providerId ?? keeperId
    return providerId !== undefined
  })
  if (isRefusal(request)) return request
  const named = { ...given, request, keeperId, kept }
  return { ...named, said: keeperId === undefined ? request : recall(named, kept, () => false) }
}

/** What any provider reads. Where that is too long to be put into words, it can only go to who knows its names. */
export function sizeOf({ request, said }: ChatBody): InputSize {
  return (isRefusal(said) ? request : said).body.size
}

/** Whether a provider is sent the client's own bytes. */
export function isPassedTo(
  { client }: { readonly client: Pick<ClientDialect, 'passesTo'> },
  { dialect }: Pick<Provider, 'dialect'>,
): boolean {
  return client.passesTo.includes(wireDialect(dialect))
}

/** The request as a provider gets it: what that one knows by its name stays named. */
export function requestFor(
  chat: ChatBody,
  { provider, account }: { readonly provider: Pick<Provider, 'dialect'>; readonly account: string },
): ClientRequest | Refusal {
  if (chat.keeperId === undefined) return chat.request
  const isPassed = isPassedTo(chat, provider)
  return recall(chat, chat.kept, ({ providerId }) => isPassed && providerId === account)
}

/** What has to be counted of a conversation, or why it cannot be read. */
export function countableIn({ client, said }: ChatBody): Countable | Refusal {
  const conversation = isRefusal(said) ? said : client.readConversation(said)
  return isRefusal(conversation) ? conversation : countableOf(conversation)
}

function recall({ client, request }: GivenChat, kept: KeptAnswers | undefined, stays: StaysNamed) {
  return kept === undefined || client.naming === undefined ? request : client.naming.recall(request, kept, stays)
}
