// One candidate of a Gemini answer, whole or in pieces: turns its content parts into blocks. Signatures of texts travel in
// reasoning blocks of their own behind the text, because clients of the other formats bring those back and nothing else;
// signatures of function calls travel with the call.

import { append } from '#core/append.ts'
import { brokenOutput } from '#core/failure.ts'
import { BlockSequencer } from '#dialect/blocks.ts'
import { isFinish, readFinish } from '#dialect/gemini/finish-reasons.ts'
import { PartialArgs } from '#dialect/gemini/partial-args.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { Sealed } from '#dialect/seal.ts'
import { objectText } from '#dialect/tool-input.ts'

type Fields = Readonly<Record<string, unknown>>

/** A call whose arguments are still coming. */
type OpenCall = {
  readonly name: string
  readonly id: string | undefined
  sealed: Sealed | undefined
  args: PartialArgs
}

const MAX_CITATIONS = 1000

export class Candidate {
  readonly #choice: number
  readonly #blocks: BlockSequencer
  readonly #cited = new Set<string>()
  #calls = 0
  #openCall: OpenCall | undefined
  /** The signature of a text, held back so that sources of the same text still find it open. */
  #textSeal: Sealed | undefined
  #isText = false
  #finish: string | undefined
  /** Whether it ended at its output cap. */
  #isCut = false

  constructor(choice: number, newCallId: () => string) {
    this.#choice = choice
    this.#blocks = new BlockSequencer(choice, newCallId)
  }

  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  /** Takes a candidate, or the next piece of it. Throws UpstreamFailure where the model broke off without an answer. */
  read(candidate: Fields): AnswerPart[] {
    const parts: AnswerPart[] = []
    const content = candidate['content']
    const pieces = isRecord(content) ? content['parts'] : undefined
    if (Array.isArray(pieces)) for (const piece of pieces) if (isRecord(piece)) append(parts, this.#readPart(piece))
    append(parts, this.#readSources(candidate))
    const finish = candidate['finishReason']
    if (isFinish(finish)) {
      this.#isCut = readFinish(finish, false) === 'length'
      this.#finish = finish
    }
    return parts
  }

  /** The last parts. `blocked`: the prompt was blocked, which ends a candidate that has no end of its own. */
  end({ blocked }: { readonly blocked: boolean }): AnswerPart[] {
    const isCut = this.#isCut
    const parts = [...this.#sealText(), ...this.#closeCall({ isCut }), ...this.#blocks.end({ isCut })]
    const isBlocked = this.#finish === undefined && blocked
    const reason = isBlocked ? 'content-filter' : readFinish(this.#finish, this.#blocks.hasToolCalls)
    return [...parts, { type: 'finish', choice: this.#choice, reason }]
  }

  #readPart(part: Fields): AnswerPart[] {
    const { text, functionCall, inlineData, executableCode, codeExecutionResult } = part
    const sealed = sealOf(part)
    if (isRecord(functionCall)) return this.#readCall(functionCall, sealed)
    if (part['thought'] === true) return this.#thought(typeof text === 'string' ? text : '', sealed)
    if (typeof text === 'string') return this.#text(text, sealed)
    if (isRecord(executableCode)) return this.#text(codeText(executableCode['code'], 'python'), sealed)
    if (isRecord(codeExecutionResult)) return this.#text(codeText(codeExecutionResult['output'], ''), sealed)
    if (isRecord(inlineData)) return this.#text(mediaText(inlineData['mimeType']), sealed)
    return sealed === undefined ? [] : this.#text('', sealed)
  }

  #text(text: string, sealed: Sealed | undefined): AnswerPart[] {
    const parts: AnswerPart[] = []
    if (text !== '') {
      append(parts, [...this.#sealText(), ...this.#closeCall({ isCut: false }), ...this.#blocks.plain('text', text)])
      this.#isText = true
    }
    if (sealed !== undefined) {
      append(parts, this.#sealText())
      this.#textSeal = sealed
    }
    return parts
  }

  #thought(text: string, sealed: Sealed | undefined): AnswerPart[] {
    const parts = [...this.#sealText(), ...this.#closeCall({ isCut: false })]
    if (text === '') return sealed === undefined ? parts : [...parts, ...this.#sealedReasoning(sealed)]
    this.#isText = false
    append(parts, this.#blocks.plain('reasoning', text))
    if (sealed !== undefined) append(parts, this.#blocks.close(sealed))
    return parts
  }

  /** The signature that was held back, in a block of its own. */
  #sealText(): AnswerPart[] {
    const sealed = this.#textSeal
    this.#textSeal = undefined
    return sealed === undefined ? [] : this.#sealedReasoning(sealed)
  }

  #sealedReasoning(sealed: Sealed): AnswerPart[] {
    this.#isText = false
    return this.#blocks.sealedReasoning(sealed)
  }

  #readCall(call: Fields, sealed: Sealed | undefined): AnswerPart[] {
    const name = nonEmpty(call['name'])
    const parts = this.#sealText()
    if (name !== undefined) {
      append(parts, this.#closeCall({ isCut: false }))
      const id = nonEmpty(call['id'])
      if (call['willContinue'] !== true && call['partialArgs'] === undefined) {
        return [...parts, ...this.#call({ name, id, sealed, text: argumentsText(call['args']) })]
      }
      this.#openCall = { name, id, sealed, args: new PartialArgs() }
    }
    const open = this.#openCall
    if (open === undefined) {
      // The end of a call that is closed already: nothing is in it.
      if (Object.keys(call).length === 0) return parts
      throw brokenOutput('The provider sent a tool call without a name.')
    }
    open.sealed ??= sealed
    open.args.add(call['partialArgs'])
    if (call['willContinue'] !== true) append(parts, this.#closeCall({ isCut: false }))
    return parts
  }

  /** Sends the call whose arguments came in pieces. One that was cut off keeps an open end, so that nobody runs it. */
  #closeCall({ isCut }: { readonly isCut: boolean }): AnswerPart[] {
    const open = this.#openCall
    this.#openCall = undefined
    if (open === undefined) return []
    const { name, id, sealed } = open
    const text = open.args.text()
    return this.#call({ name, id, sealed, text: isCut ? text.slice(0, -1) : text })
  }

  #call(call: { name: string; id: string | undefined; sealed: Sealed | undefined; text: string }): AnswerPart[] {
    this.#calls += 1
    this.#isText = false
    const { name, id, sealed, text } = call
    return this.#blocks.tool({ key: String(this.#calls), id, name, arguments: text, sealed })
  }

  /** Web pages that the text before them rests on; the same ones come again with later pieces. */
  #readSources({ groundingMetadata, citationMetadata }: Fields): AnswerPart[] {
    if (!this.#isText) return []
    const chunks = isRecord(groundingMetadata) ? list(groundingMetadata['groundingChunks']) : []
    const cited = isRecord(citationMetadata) ? citationMetadata : {}
    const sources = [...chunks.map(sourceOf), ...list(cited['citationSources']), ...list(cited['citations'])]
    const parts: AnswerPart[] = []
    for (const source of sources) {
      const url = isRecord(source) ? source['uri'] : undefined
      if (!isRecord(source) || typeof url !== 'string' || !/^https?:\/\//.test(url)) continue
      if (this.#cited.has(url) || this.#cited.size >= MAX_CITATIONS) continue
      this.#cited.add(url)
      parts.push({ type: 'citation', choice: this.#choice, url, title: nonEmpty(source['title']) })
    }
    return parts
  }
}

function sealOf(part: Fields): Sealed | undefined {
  const value = nonEmpty(part['thoughtSignature'])
  return value === undefined ? undefined : { origin: 'gemini', value }
}

function argumentsText(args: unknown): string {
  if (args === undefined || args === null) return '{}'
  if (isRecord(args)) return objectText(args)
  // Proxies in front of Gemini have been seen to send the JSON text instead.
  if (typeof args === 'string' && isRecord(parseJson(args))) return args
  throw brokenOutput('The provider sent a tool call whose arguments are not an object.')
}

function codeText(code: unknown, language: string): string {
  return typeof code === 'string' && code !== '' ? `\n\`\`\`${language}\n${code.replace(/\n$/, '')}\n\`\`\`\n` : ''
}

/** No client format of ours has pictures in answers; the reader is told that there was one. */
function mediaText(mimeType: unknown): string {
  const type = typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'a file'
  return `[The model answered with ${type}, which cannot be shown here.]`
}

function sourceOf(chunk: unknown): unknown {
  return isRecord(chunk) ? (chunk['web'] ?? chunk['retrievedContext'] ?? chunk['maps']) : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
