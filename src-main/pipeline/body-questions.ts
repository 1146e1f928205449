// What the main thread asks about a conversation that it does not have, and what it is answered: all of it plain data.

import type { InputSize } from '#core/estimate.ts'
import type { Refusal } from '#core/refusal.ts'
import type { Countable } from '#dialect/count.ts'
import type { AskedRequest } from '#dialect/dialect.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { InputFacts } from '#pipeline/input-bounds.ts'
import type { PreparedFacts, PrepareTarget } from '#pipeline/prepare.ts'

/** What the main thread knows of a conversation that it does not have. */
export type RequestFacts = {
  /** Whether it is in the other format of its endpoint. */
  readonly isOther: boolean
  readonly asked: AskedRequest
  readonly size: InputSize
  readonly input: InputFacts
  readonly affinity: string | undefined
  readonly conversationName: string | undefined
}

/** A body for a provider, without the members that its target does not take. */
export type WrittenBody = {
  readonly body: string | Uint8Array
  readonly leftOut: readonly string[]
  /** The members that can be left out of it. */
  readonly removable: ReadonlySet<string>
}

/** A request to count for a provider, below its base URL. */
export type WrittenCount = { readonly path: string; readonly body: string | Uint8Array }

export type BodyQuestion =
  | { readonly type: 'read' }
  | { readonly type: 'prepare'; readonly target: PrepareTarget }
  | {
      readonly type: 'write'
      readonly target: PrepareTarget
      readonly outputCap: number | undefined
      /** Members that the target does not take. */
      readonly untaken: ReadonlySet<string>
    }
  | { readonly type: 'write-count'; readonly target: PrepareTarget }
  /** What has to be counted of it, and the texts for the bound of its input. */
  | { readonly type: 'countable' }
  | { readonly type: 'texts' }

export type BodyAnswers = {
  readonly read: RequestFacts | Refusal
  readonly prepare: PreparedFacts | Refusal
  readonly write: WrittenBody | Refusal
  readonly 'write-count': WrittenCount | Refusal | undefined
  readonly countable: Countable | Refusal
  readonly texts: readonly string[] | undefined
}

export type BodyAnswer = BodyAnswers[keyof BodyAnswers]

/** What a body is: in which format, and whether only its tokens are to be counted. */
export type BodyKind = { readonly format: ClientFormat; readonly isCount: boolean }

/** A body, and whoever works on it. A refusal says that nobody could. */
export interface DistantBody {
  readonly kind: BodyKind
  ask<Type extends keyof BodyAnswers>(
    question: Extract<BodyQuestion, { readonly type: Type }>,
  ): Promise<BodyAnswers[Type] | Refusal>
}
