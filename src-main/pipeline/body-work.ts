// What the body thread does with a large conversation. It is asked one question at a time, each of which can be answered from the body
// alone, so that a thread that forgot it, or is a new one, gives the same answer.

import type { InputSize } from '#core/estimate.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { Countable } from '#dialect/count.ts'
import type { AskedRequest, ClientDialect } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, type ClientFormat } from '#dialect/dialects.ts'
import type { ReadText } from '#dialect/request-body.ts'
import { adapted, removableMembers } from '#pipeline/adapt.ts'
import { affinityOf, conversationOf } from '#pipeline/conversation-name.ts'
import { countableIn, readChat, type ChatBody } from '#pipeline/endpoints.ts'
import { countedTexts, inputFacts, type InputFacts } from '#pipeline/input-bounds.ts'
import { prepareText, type PreparedFacts, type PreparedText, type PrepareTarget } from '#pipeline/prepare.ts'

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
  /** What has to be counted of it, and the texts for the bound of its input. */
  | { readonly type: 'countable' }
  | { readonly type: 'texts' }

export type BodyAnswers = {
  readonly read: RequestFacts | Refusal
  readonly prepare: PreparedFacts | Refusal
  readonly write: WrittenBody | Refusal
  readonly countable: Countable | undefined
  readonly texts: readonly string[] | undefined
}

export type BodyAnswer = BodyAnswers[keyof BodyAnswers]

/** One body, read once. */
export class BodyWork {
  readonly #own: ClientDialect
  readonly #chat: ChatBody | Refusal
  /** The last one, which is the one that is written. */
  #prepared: { readonly name: string; readonly text: PreparedText | Refusal } | undefined

  constructor(format: ClientFormat, text: ReadText, byteLength: number) {
    this.#own = CLIENT_DIALECTS[format]
    this.#chat = readChat(this.#own, text, byteLength)
  }

  answer(question: BodyQuestion): BodyAnswer {
    if (isRefusal(this.#chat)) return this.#chat
    switch (question.type) {
      case 'read':
        return this.#facts(this.#chat)
      case 'prepare': {
        const prepared = this.#prepare(this.#chat, question.target)
        if (isRefusal(prepared)) return prepared
        const { body: _, ...facts } = prepared
        return facts
      }
      case 'write':
        return this.#write(this.#chat, question)
      case 'countable':
        return countableIn(this.#chat)
      case 'texts':
        return countedTexts(this.#chat.request.body)
    }
  }

  #facts({ client, request }: ChatBody): RequestFacts {
    const { body } = request
    // The conversation itself stays here. What answers repeat of their request are other members.
    const { messages: _, input: __, system: ___, ...value } = body.value
    return {
      isOther: client !== this.#own,
      asked: { ...request, body: { value } },
      size: body.size,
      input: inputFacts(body),
      affinity: affinityOf(body.value),
      conversationName: conversationOf(body.value),
    }
  }

  #prepare({ client, request }: ChatBody, target: PrepareTarget): PreparedText | Refusal {
    const name = JSON.stringify(target)
    if (this.#prepared?.name !== name) this.#prepared = { name, text: prepareText(client, request, target) }
    return this.#prepared.text
  }

  #write(chat: ChatBody, { target, outputCap, untaken }: Extract<BodyQuestion, { type: 'write' }>) {
    const prepared = this.#prepare(chat, target)
    if (isRefusal(prepared)) return prepared
    const { body, leftOut } = adapted(prepared.body(outputCap), untaken)
    return { body, leftOut, removable: prepared.isPassed ? NOTHING : removableMembers(body) }
  }
}

const NOTHING: ReadonlySet<string> = new Set()
