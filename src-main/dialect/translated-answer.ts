// Reads an answer in a provider's dialect and writes it in the client's, through the parts between them.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { MAX_ANSWER_BYTES, type AnswerReader, type WireBytes } from '#dialect/answer.ts'
import type { AnswerContext, ClientDialect, PartReader, ProviderDialect, StreamWriter } from '#dialect/dialect.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart, Block } from '#dialect/part.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import { StreamText } from '#dialect/stream-text.ts'
import type { AnswerRestorer } from '#dialect/tools.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

export type Translation = {
  readonly client: Pick<ClientDialect, 'newStreamWriter' | 'writeAnswer'>
  readonly provider: Pick<ProviderDialect, 'newPartReader' | 'readAnswer'>
  readonly context: AnswerContext
  readonly restorer: AnswerRestorer
}

/** Text in which every character is one byte anyway, as nearly every event is, need not be encoded. */
function wireBytes(text: string): WireBytes {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text)
}

export class TranslatedStream implements AnswerReader {
  readonly #writer: StreamWriter
  readonly #reader: PartReader
  readonly #restorer: AnswerRestorer
  readonly #text = new StreamText()
  readonly #splitter = new EventSplitter()
  readonly generated = new GeneratedText('utf8')
  readonly reported = new ReportedUsage(this.generated)
  #length = 0
  #rest = ''
  readonly #choiceCount: number
  /** For each choice that was begun, the block that is open. */
  readonly #open = new Map<number, Block['type'] | undefined>()
  readonly #finished = new Set<number>()

  constructor({ client, provider, context, restorer }: Translation) {
    this.#choiceCount = context.request.choices
    this.#writer = client.newStreamWriter(context)
    this.#reader = provider.newPartReader(() => restorer.newCallId(), this.generated)
    this.#restorer = restorer
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  get isComplete(): boolean {
    return this.#reader.isComplete
  }

  get droppedPieces(): number {
    return this.#reader.droppedPieces ?? 0
  }

  push(chunk: Buffer): WireBytes | undefined {
    if (this.isComplete) return undefined
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES) throw new UpstreamFailure('too_large', 'The provider sent too long a stream.')
    let text = ''
    for (const event of this.#splitter.push(this.#text.decode(chunk))) text += this.#read(event)
    return text === '' ? undefined : wireBytes(text)
  }

  end(): void {
    // Some servers leave out the blank line behind their last event.
    if (!this.isComplete && this.#splitter.rest.trim() !== '') this.#rest += this.#read(`${this.#splitter.rest}\n\n`)
    this.#rest += this.#write(this.#reader.end())
  }

  final(usage: TokenUsage): Buffer {
    return Buffer.from(this.#rest + this.#writer.end(usage))
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return Buffer.from(this.#writer.fail(refusal, requestId))
  }

  /** What is open is closed and every choice finishes; a call whose arguments are not complete is cut, so that nobody runs it. */
  cutShort(usage: TokenUsage): Buffer {
    const parts: AnswerPart[] = []
    for (const [choice, block] of this.#open) {
      if (block !== undefined) parts.push({ type: 'close', choice, isCut: block === 'tool-call' })
    }
    const wanted = Array.from({ length: this.#choiceCount }, (_, choice) => choice)
    for (const choice of new Set([...this.#open.keys(), ...wanted])) {
      if (!this.#finished.has(choice)) parts.push({ type: 'finish', choice, reason: 'length' })
    }
    return Buffer.from(this.#rest + this.#write(parts) + this.#writer.end(usage))
  }

  keepAlive(): Buffer {
    return Buffer.from(this.#writer.keepAlive())
  }

  #read(event: string): string {
    if (this.isComplete) return ''
    const data = eventData(event)
    return data === undefined ? '' : this.#write(this.#reader.read(data, eventName(event)))
  }

  #write(parts: readonly AnswerPart[]): string {
    let text = ''
    const { isComplete, hasEnded } = this.#reader
    for (const part of parts) {
      if (part.type === 'usage') this.reported.note(part.usage)
      if (part.type !== 'delta') this.#follow(part)
      for (const restored of this.#restorer.restore(part)) text += this.#writer.write(restored)
    }
    if (isComplete) this.reported.noteComplete()
    else if (hasEnded && this.#open.size >= this.#choiceCount) this.reported.noteEnd()
    return text
  }

  #follow(part: AnswerPart): void {
    if (part.type === 'open') this.#open.set(part.choice, part.block.type)
    else if (part.type === 'close') this.#open.set(part.choice, undefined)
    else if (part.type === 'finish') this.#finished.add(part.choice)
  }
}

export class TranslatedWhole implements AnswerReader {
  readonly #translation: Translation
  readonly #whole = new WholeAnswer()
  readonly generated = new GeneratedText('utf8')
  readonly reported = new ReportedUsage(this.generated)
  #parts: AnswerPart[] = []
  isComplete = false

  constructor(translation: Translation) {
    this.#translation = translation
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    const { provider, restorer } = this.#translation
    const newCallId = () => restorer.newCallId()
    for (const part of provider.readAnswer(this.#whole.json(), newCallId, this.generated)) {
      if (part.type === 'usage') this.reported.note(part.usage)
      append(this.#parts, restorer.restore(part))
    }
    this.reported.noteComplete()
    this.isComplete = true
  }

  final(usage: TokenUsage): Buffer {
    const { client, context } = this.#translation
    return Buffer.from(client.writeAnswer(this.#parts, usage, context))
  }
}
