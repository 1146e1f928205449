// A request whose conversation is kept and worked on elsewhere, because that would hold up everybody else: the main thread never has
// more of it than its bytes.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import { searchesAsked, tierAsked } from '#dialect/asked-extras.ts'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import type { DistantBody, RequestFacts, WrittenBody } from '#pipeline/body-questions.ts'
import {
  answerReading,
  answersOf,
  meteredMembers,
  type AnswerReading,
  type Destination,
  type EndpointRequest,
  type MeteredRequest,
  type OwnAnswers,
  type Prepared,
} from '#pipeline/endpoints.ts'
import { ConversationBounds } from '#pipeline/input-bounds.ts'
import { answersNamed } from '#pipeline/named-answers.ts'
import { plainTarget, type PreparedFacts } from '#pipeline/prepare.ts'

export type DistantRequest = MeteredRequest & {
  readonly prepare: (destination: Destination) => Promise<DistantPrepared | Refusal>
}

export type DistantPrepared = PreparedFacts &
  AnswerReading & {
    /** `untaken` are members that the target does not take. */
    readonly write: (outputCap: number | undefined, untaken: ReadonlySet<string>) => Promise<WrittenBody | Refusal>
  }

/** A request as the journey sees it, wherever its conversation is. */
export type CallRequest = EndpointRequest | DistantRequest
export type ReadyRequest = Prepared | DistantPrepared

export async function readDistant(body: DistantBody, own?: OwnAnswers): Promise<DistantRequest | Refusal> {
  const facts = await readFacts(body, own)
  return isRefusal(facts) ? facts : requestOf(facts, body, own)
}

/** What is known of a conversation with the kept answers that it names, which its thread has not. */
export async function readFacts(body: DistantBody, own: OwnAnswers | undefined): Promise<RequestFacts | Refusal> {
  const facts = await body.ask<'read'>({ type: 'read' })
  const kept = answersOf(own)
  if (isRefusal(facts) || facts.names === undefined || kept === undefined) return facts
  const named = answersNamed(facts.names, kept)
  if (named === undefined) return facts
  body.recall(named)
  return body.ask<'read'>({ type: 'read' })
}

function requestOf(facts: RequestFacts, body: DistantBody, own: OwnAnswers | undefined): DistantRequest {
  const { format } = body.kind
  const { asked, size, input, affinity, keeperId } = facts
  const ownFormat = CLIENT_DIALECTS[format]
  const client = facts.isOther ? (ownFormat.other?.format ?? ownFormat) : ownFormat
  const texts = async () => orNothing(await body.ask<'texts'>({ type: 'texts' }))
  return {
    ...meteredMembers(format, asked, size),
    inputBounds: new ConversationBounds({ facts: () => input, texts }),
    searches: () => searchesAsked(asked.body.value),
    tierAt: (providers) => tierAsked(client, asked.body.value, providers),
    affinity: () => affinity,
    countable: () => body.ask<'countable'>({ type: 'countable' }),
    keeperId,
    prepare: async (destination) => {
      const wanted = plainTarget(destination.provider, destination.target)
      const prepared = await body.ask<'prepare'>({ type: 'prepare', target: wanted })
      if (isRefusal(prepared)) return prepared
      const { wentOn, asked: remembered, ...ready } = prepared
      const request = wentOn === undefined ? asked : { ...asked, wentOn }
      const sent = { client, request, size, own, askedIn: () => remembered }
      return {
        ...ready,
        ...answerReading(sent, ready, destination),
        write: (outputCap, untaken) => body.ask<'write'>({ type: 'write', target: wanted, outputCap, untaken }),
      }
    },
  }
}

/** Without a count, what the size alone says holds. */
function orNothing<Value>(answer: Value | Refusal): Value | undefined {
  return isRefusal(answer) ? undefined : answer
}
