// What the body thread does with a large conversation. It is asked one question at a time, each of which can be answered from the body
// alone, so that a thread that forgot it, or is a new one, gives the same answer.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { ClientDialect } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import type { ReadText } from '#dialect/request-body.ts'
import { adapted, removableMembers } from '#pipeline/adapt.ts'
import type { BodyAnswer, BodyKind, BodyQuestion, RequestFacts } from '#pipeline/body-questions.ts'
import { readCountBody, writeCount } from '#pipeline/count-request.ts'
import { affinityOf, conversationOf } from '#pipeline/conversation-name.ts'
import { countableIn, readChat, type ChatBody } from '#pipeline/endpoints.ts'
import { countedTexts, inputFacts } from '#pipeline/input-bounds.ts'
import { prepareText, type PreparedText, type PrepareTarget } from '#pipeline/prepare.ts'

/** One body, read once. */
export class BodyWork {
  readonly #own: ClientDialect
  readonly #chat: ChatBody | Refusal
  /** The last one, which is the one that is written. */
  #prepared: { readonly name: string; readonly text: PreparedText | Refusal } | undefined

  constructor({ format, isCount }: BodyKind, text: ReadText, byteLength: number) {
    this.#own = CLIENT_DIALECTS[format]
    const read = isCount ? readCountBody : readChat
    this.#chat = read(this.#own, text, byteLength)
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
      case 'write-count':
        return writeCount(this.#chat, question.target)
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
