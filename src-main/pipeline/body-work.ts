// What the body thread does with a large conversation. It is asked one question at a time, each of which can be answered from the body
// alone, so that a thread that forgot it, or is a new one, gives the same answer.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { ClientDialect } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import type { ReadText } from '#dialect/request-body.ts'
import { adapted, removableMembers } from '#pipeline/adapt.ts'
import { MAX_ASKED_LENGTH } from '#pipeline/answer-memory.ts'
import type { BodyAnswer, BodyKind, BodyQuestion, DistantFacts, RequestFacts } from '#pipeline/body-questions.ts'
import { countableIn, readGiven, recalled, sizeOf, type ChatBody, type GivenChat } from '#pipeline/chat-body.ts'
import { readGivenCount, writeCount } from '#pipeline/count-request.ts'
import { affinityOf } from '#pipeline/affinity.ts'
import { countedTexts, inputFacts } from '#pipeline/input-bounds.ts'
import { keptIn, type NamedAnswers } from '#pipeline/named-answers.ts'
import { prepareText, type PreparedText, type PrepareTarget } from '#pipeline/prepare.ts'

/** Members that hold the conversation itself, which stays here. What answers repeat of their request are other members. */
const CONVERSATION = new Set('messages input system contents systemInstruction system_instruction'.split(' '))

/** One body, read once. */
export class BodyWork {
  readonly #own: ClientDialect
  readonly #given: GivenChat | Refusal
  #chat: ChatBody | Refusal
  #hasAnswers = false
  /** The last one, which is the one that is written. */
  #prepared: { readonly name: string; readonly text: PreparedText | Refusal } | undefined

  constructor({ format, isCount, asked }: BodyKind, text: ReadText, byteLength: number) {
    this.#own = CLIENT_DIALECTS[format]
    this.#given = (isCount ? readGivenCount : readGiven)(this.#own, text, byteLength, asked)
    this.#chat = isRefusal(this.#given) ? this.#given : recalled(this.#given, undefined)
  }

  /** `named` are the answers that it names, which are the same for all questions once they are known. */
  answer(question: BodyQuestion, named: NamedAnswers | undefined): BodyAnswer {
    if (named !== undefined) this.#recall(named)
    if (isRefusal(this.#chat)) return this.#chat
    switch (question.type) {
      case 'read':
        return this.#facts(this.#chat)
      case 'prepare':
        return this.#preparedFacts(this.#chat, question.target)
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

  #recall(named: NamedAnswers): void {
    if (this.#hasAnswers || isRefusal(this.#given)) return
    this.#hasAnswers = true
    this.#prepared = undefined
    this.#chat = recalled(this.#given, keptIn(named))
  }

  #facts(chat: ChatBody): RequestFacts {
    const { client, request, keeperId } = chat
    const { body, wentOn: _, ...members } = request
    const value = Object.fromEntries(Object.entries(body.value).filter(([name]) => !CONVERSATION.has(name)))
    return {
      isOther: client !== this.#own,
      asked: { ...members, body: { value } },
      size: sizeOf(chat),
      input: inputFacts(body),
      affinity: affinityOf(body.value),
      names: this.#hasAnswers ? undefined : client.naming?.namesIn(request),
      keeperId,
    }
  }

  #preparedFacts(chat: ChatBody, target: PrepareTarget): DistantFacts | Refusal {
    const prepared = this.#prepare(chat, target)
    if (isRefusal(prepared)) return prepared
    const { body: _, request, ...facts } = prepared
    const { wentOn } = request
    const asked = chat.client.naming?.askedIn(request)
    return {
      ...facts,
      wentOn: wentOn && { previousId: wentOn.previousId },
      asked: asked !== undefined && asked.length <= MAX_ASKED_LENGTH ? asked : undefined,
    }
  }

  #prepare(chat: ChatBody, target: PrepareTarget): PreparedText | Refusal {
    const name = JSON.stringify(target)
    if (this.#prepared?.name !== name) this.#prepared = { name, text: prepareText(chat, target) }
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
