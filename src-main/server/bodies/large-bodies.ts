// Large bodies are read, and large conversations written for their providers, by a thread of their own. Small ones are read where they are
// used: handing them over would take longer than reading them.

import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { Soon } from '#core/soon.ts'
import { readNested, type BodyText, type NestedText } from '#dialect/request-body.ts'
import type { BodyKind, DistantBody } from '#pipeline/body-questions.ts'
import type { BodyReply } from '#server/bodies/body-jobs.ts'
import { BodyWorker, transferable, type BodyWorkerOptions } from '#server/bodies/body-worker.ts'
import { DENSE_PARTS } from '#server/bodies/dense-bodies.ts'
import { LargeConversations, notUtf8 } from '#server/bodies/large-conversations.ts'
import { tooLittle } from '#server/bodies/memory-guard.ts'

/** What a body says, and its text, or that of its member. */
type ReadBody = { readonly first: BodyReply; readonly text: string }

/** With the length of the inner text on the wire. */
type MeasuredText = NestedText & { readonly byteLength: number }

/** What is shorter is read in some tens of milliseconds at most, whatever it is made of. */
const LARGE_BYTES = 1024 * 1024

export class LargeBodies {
  readonly #worker: BodyWorker
  readonly #conversations: LargeConversations

  constructor(options: BodyWorkerOptions = {}) {
    this.#worker = new BodyWorker(options, () => this.#conversations.lose())
    this.#conversations = new LargeConversations(this.#worker)
  }

  /** A call's conversation where it is long or of very many parts, which stays with the thread; undefined for others. */
  conversation(body: Buffer, kind: BodyKind, parts: number): (DistantBody & { end(): void }) | undefined {
    const isSmall = body.length <= LARGE_BYTES && parts < DENSE_PARTS
    return isSmall ? undefined : this.#conversations.open(body, kind, parts)
  }

  /** The text of a call's body. What is handed over cannot be used any more. */
  text(body: Buffer): Soon<BodyText | Refusal> {
    if (body.length > LARGE_BYTES) return this.#largeText(body)
    return isUtf8(body) ? body.toString('utf8') : notUtf8()
  }

  async #largeText(body: Buffer): Promise<BodyText | Refusal> {
    const result = await this.#read(body, undefined)
    if (isRefusal(result)) return result
    const { first, text } = result
    return first.type === 'read' ? { text, scan: first.scan, value: first.value } : notUtf8()
  }

  /** A body with another text in one of its members. */
  async nested(body: Buffer, member: string): Promise<MeasuredText | Refusal> {
    if (body.length <= LARGE_BYTES)
      return isUtf8(body) ? measured(readNested(body.toString('utf8'), member)) : notUtf8()
    const result = await this.#read(body, member)
    if (isRefusal(result)) return result
    const { first, text } = result
    if (first.type !== 'nested') return notUtf8()
    const { outer, inner, byteLength } = first
    return { value: outer, byteLength, inner: inner && { text, ...inner } }
  }

  close(): Promise<void> {
    return this.#worker.close()
  }

  async #read(bytes: Buffer, member: string | undefined): Promise<ReadBody | Refusal> {
    let first: BodyReply | undefined
    let text = ''
    const isDone = await this.#worker.run({
      begin: () => ({ message: { type: 'text', bytes, member }, transfer: transferable(bytes) }),
      take(reply) {
        if (reply.type === 'text') text += reply.piece
        else if (reply.type !== 'end') first = reply
        return reply.type === 'end'
      },
    })
    if (!isDone || first === undefined) return tooLittle()
    // What was taken over in pieces becomes one piece of memory when it is first looked at. That has a turn of its own.
    text.charCodeAt(0)
    await nextTurn()
    return { first, text }
  }
}

function measured(nested: NestedText): MeasuredText {
  return { ...nested, byteLength: Buffer.byteLength(nested.inner?.text ?? '') }
}
