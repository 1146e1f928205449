// What the main thread and the body thread send each other.

import type { ReadText } from '#dialect/request-body.ts'
import type { BodyAnswer, BodyKind, BodyQuestion } from '#pipeline/body-questions.ts'
import type { NamedAnswers } from '#pipeline/named-answers.ts'

export type BodyJob =
  /** The text of a body and what it says, in parts. With `member` what stands in that member is read as a text of its own. */
  | { readonly type: 'text'; readonly bytes: Uint8Array; readonly member: string | undefined }
  /** The next part of that. */
  | { readonly type: 'next' }
  /** A question about a conversation. */
  | BodyAsking
  /** A conversation of which nothing will be asked any more; not answered. */
  | { readonly type: 'forget'; readonly id: number }

export type BodyAsking = {
  readonly type: 'ask'
  readonly id: number
  readonly kind: BodyKind
  /** undefined where the thread knows the conversation by its id. They are sent back with the answer. */
  readonly bytes: Uint8Array | undefined
  readonly named: NamedAnswers | undefined
  readonly question: BodyQuestion
}

export type ReadParts = Omit<ReadText, 'text'>

export type BodyReply =
  | { readonly type: 'not-utf8'; readonly bytes?: Uint8Array | undefined }
  | ({ readonly type: 'read' } & ReadParts)
  | {
      readonly type: 'nested'
      readonly outer: unknown
      readonly inner: ReadParts | undefined
      /** Of the inner text on the wire. */
      readonly byteLength: number
    }
  | { readonly type: 'text'; readonly piece: string }
  | { readonly type: 'end' }
  | { readonly type: 'answer'; readonly answer: BodyAnswer; readonly bytes: Uint8Array | undefined }
  /** A mistake of ours. */
  | { readonly type: 'fault'; readonly error: unknown; readonly bytes: Uint8Array | undefined }
