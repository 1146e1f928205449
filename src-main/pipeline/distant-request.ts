// A request whose conversation is kept and worked on elsewhere, because that would hold up everybody else: the main thread never has
// more of it than its bytes.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import type { DistantBody, RequestFacts, WrittenBody } from '#pipeline/body-questions.ts'
import {
  answerReading,
  meteredMembers,
  type AnswerReading,
  type Destination,
  type EndpointRequest,
  type MeteredRequest,
  type Prepared,
} from '#pipeline/endpoints.ts'
import { ConversationBounds } from '#pipeline/input-bounds.ts'
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

export async function readDistant(body: DistantBody): Promise<DistantRequest | Refusal> {
  const facts = await body.ask<'read'>({ type: 'read' })
  return isRefusal(facts) ? facts : requestOf(facts, body)
}

function requestOf(facts: RequestFacts, body: DistantBody): DistantRequest {
  const { format } = body.kind
  const { asked, size, input } = facts
  const own = CLIENT_DIALECTS[format]
  const client = facts.isOther ? (own.other?.format ?? own) : own
  const texts = async () => orNothing(await body.ask<'texts'>({ type: 'texts' }))
  return {
    ...meteredMembers(format, asked, size),
    inputBounds: new ConversationBounds({ facts: () => input, texts }),
    affinity: () => facts.affinity,
    conversationName: () => facts.conversationName,
    countable: () => body.ask<'countable'>({ type: 'countable' }),
    prepare: async (destination) => {
      const wanted = plainTarget(destination.provider, destination.target)
      const prepared = await body.ask<'prepare'>({ type: 'prepare', target: wanted })
      if (isRefusal(prepared)) return prepared
      return {
        ...prepared,
        ...answerReading({ client, request: asked, size }, prepared, destination),
        write: (outputCap, untaken) => body.ask<'write'>({ type: 'write', target: wanted, outputCap, untaken }),
      }
    },
  }
}

/** Without a count, what the size alone says holds. */
function orNothing<Value>(answer: Value | Refusal): Value | undefined {
  return isRefusal(answer) ? undefined : answer
}
