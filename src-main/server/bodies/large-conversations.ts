// The large conversations of calls that are served. The main thread has their bytes and asks the body thread about them, which keeps what
// it read of some for the next question; whatever it has forgotten it reads again.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { BodyAnswers, BodyKind, BodyQuestion, DistantBody } from '#pipeline/body-questions.ts'
import type { NamedAnswers } from '#pipeline/named-answers.ts'
import type { BodyAsking, BodyReply } from '#server/bodies/body-jobs.ts'
import { transferable, type BodyWorker, type Job } from '#server/bodies/body-worker.ts'
import { release } from '#server/bodies/garbage.ts'
import { tooLittle } from '#server/bodies/memory-guard.ts'

/** What the thread keeps at a time, by the length of the bodies. It has them several times over, as text and as what that says. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** What an object, a list or a text takes beside its characters, counted as so much of a body. */
const PART_BYTES = 128

export class LargeConversations {
  readonly #worker: Pick<BodyWorker, 'run' | 'tell'>
  /** What the thread knows, the one that was asked about last at the end. */
  readonly #kept = new Set<LargeConversation>()
  #lastId = 0

  constructor(worker: Pick<BodyWorker, 'run' | 'tell'>) {
    this.#worker = worker
  }

  /** `parts`: of how many objects, lists and texts it is made, where somebody counted. */
  open(bytes: Uint8Array, kind: BodyKind, parts = 0): LargeConversation {
    this.#lastId += 1
    const weight = bytes.byteLength + parts * PART_BYTES
    return new LargeConversation({ id: this.#lastId, kind, bytes, weight }, this)
  }

  /** The thread that knew them is gone. */
  lose(): void {
    this.#kept.clear()
  }

  run(job: Job): Promise<boolean> {
    return this.#worker.run(job)
  }

  /** Whether the thread knows a conversation. From now on it does, and forgets others for it. */
  keep(conversation: LargeConversation): boolean {
    const isKnown = this.#kept.delete(conversation)
    this.#kept.add(conversation)
    let bytes = [...this.#kept].reduce((sum, { weight }) => sum + weight, 0)
    for (const oldest of this.#kept) {
      if (bytes <= MAX_KEPT_BYTES || oldest === conversation) break
      bytes -= oldest.weight
      this.forget(oldest)
    }
    return isKnown
  }

  forget(conversation: LargeConversation): void {
    if (this.#kept.delete(conversation)) this.#worker.tell({ type: 'forget', id: conversation.id })
  }
}

type Body = {
  readonly id: number
  readonly kind: BodyKind
  readonly bytes: Uint8Array
  /** How much of what the thread may keep it takes. */
  readonly weight: number
}

class LargeConversation implements DistantBody {
  readonly id: number
  readonly kind: BodyKind
  readonly weight: number
  readonly #all: LargeConversations
  /** undefined while the thread has them, or when it was lost with them. */
  #bytes: Uint8Array | undefined
  #named: NamedAnswers | undefined

  constructor({ id, kind, bytes, weight }: Body, all: LargeConversations) {
    this.id = id
    this.kind = kind
    this.weight = weight
    this.#bytes = bytes
    this.#all = all
  }

  recall(named: NamedAnswers): void {
    this.#named = named
  }

  async ask<Type extends keyof BodyAnswers>(
    question: Extract<BodyQuestion, { readonly type: Type }>,
  ): Promise<BodyAnswers[Type] | Refusal> {
    if (this.#bytes === undefined) return tooLittle()
    let last: BodyReply | undefined
    const isDone = await this.#all.run({
      begin: () => this.#begin(question),
      take: (reply) => {
        last = reply
        return true
      },
    })
    if (!isDone || last === undefined) return tooLittle()
    if ('bytes' in last) this.#bytes ??= last.bytes
    // What is asked decides what is answered.
    if (last.type === 'answer') return last.answer as BodyAnswers[Type]
    // Whether the thread knows it now is not certain.
    this.forget()
    if (last.type === 'not-utf8') return notUtf8()
    throw last.type === 'fault' ? last.error : new Error(`the body thread answered '${last.type}' to a question`)
  }

  /** The thread need not know it any more. */
  forget(): void {
    this.#all.forget(this)
  }

  /** The call is over, and nothing is asked any more. */
  end(): void {
    this.forget()
    if (this.#bytes !== undefined) release(this.#bytes)
    this.#bytes = undefined
  }

  #begin(question: BodyQuestion): ReturnType<Job['begin']> {
    const { id, kind } = this
    const bytes = this.#all.keep(this) ? undefined : this.#bytes
    const message: BodyAsking = { type: 'ask', id, kind, bytes, named: this.#named, question }
    if (bytes === undefined) return { message, transfer: [] }
    const transfer = transferable(bytes)
    if (transfer.length > 0) this.#bytes = undefined
    return { message, transfer }
  }
}

export function notUtf8(): Refusal {
  return refuse('invalid_request', 'The body is not valid UTF-8.')
}
