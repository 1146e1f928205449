// What the main thread asks about a conversation that it does not have, and what it is answered: all of it plain data.

import type { InputSize } from '#core/estimate.ts'
import type { Refusal } from '#core/refusal.ts'
import type { Countable } from '#dialect/count.ts'
import type { AskedInPath, AskedNames, AskedRequest } from '#dialect/dialect.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { InputFacts } from '#pipeline/input-bounds.ts'
import type { NamedAnswers } from '#pipeline/named-answers.ts'
import type { PreparedFacts, PrepareTarget } from '#pipeline/prepare.ts'

/** What the main thread knows of a conversation that it does not have. */
export type RequestFacts = {
  /** Whether it is in the other format of its endpoint. */
  readonly isOther: boolean
  readonly asked: AskedRequest
  readonly size: InputSize
  readonly input: InputFacts
  readonly affinity: string | undefined
  /** What it names and does not say, as far as nobody has put it into words. */
  readonly names: AskedNames | undefined
  readonly keeperId: string | undefined
}

/** What is known of a conversation that is ready for a target. */
export type DistantFacts = PreparedFacts & {
  readonly wentOn: AskedRequest['wentOn']
  /** What it asked, for those that go on from its answer; undefined where that is too long to be remembered. */
  readonly asked: string | undefined
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
  readonly prepare: DistantFacts | Refusal
  readonly write: WrittenBody | Refusal
  readonly 'write-count': WrittenCount | Refusal | undefined
  readonly countable: Countable | Refusal
  readonly texts: readonly string[] | undefined
}

export type BodyAnswer = BodyAnswers[keyof BodyAnswers]

/** What a body is: in which format, whether only its tokens are to be counted, and what its path says where that names the model. */
export type BodyKind = {
  readonly format: ClientFormat
  readonly isCount: boolean
  readonly asked?: AskedInPath | undefined
}

/** A body, and whoever works on it. A refusal says that nobody could. */
export interface DistantBody {
  readonly kind: BodyKind
  /** From now on the answers that it names are put into it. */
  recall(named: NamedAnswers): void
  ask<Type extends keyof BodyAnswers>(
    question: Extract<BodyQuestion, { readonly type: Type }>,
  ): Promise<BodyAnswers[Type] | Refusal>
}
