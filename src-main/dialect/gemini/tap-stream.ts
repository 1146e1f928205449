// What the chunks of a stream in the Gemini format say, for passing it on. There is no terminal event: what has come when every candidate
// has ended is kept until the provider's end, so that no client has a complete answer before its charge is on disk.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { geminiErrorOf, reportedFailure } from '#dialect/gemini/errors.ts'
import { isBlocked, isFinish } from '#dialect/gemini/finish-reasons.ts'
import { addBeside, addGeneratedCandidate } from '#dialect/gemini/measure.ts'
import { StreamFrame } from '#dialect/gemini/stream-frame.ts'
import { readGeminiUsage, writeGeminiUsage } from '#dialect/gemini/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { StreamTap } from '#dialect/pass-stream.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { eventData } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Far more than the API allows; a bound on what an answer makes us keep. */
const MAX_CANDIDATES = 128

export class GeminiTap implements StreamTap {
  readonly #frame: StreamFrame
  readonly #choiceCount: number
  /** For each candidate that was begun, whether it has its finish reason. */
  readonly #candidates = new Map<number, boolean>()
  #isBlocked = false
  /** What came since every candidate had ended. It gets its place in the frame when it goes out, because it may never do so. */
  #held: string[] = []
  /** What all chunks of an answer have in common. */
  #head: JsonObject = {}
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  readonly #asides = new AsideMembers(this.generated)
  /** Each chunk says what was used so far, so that none says nothing but a text. */
  readonly said = undefined
  hasBegun = false
  isComplete = false

  constructor({ streamType, choices }: Pick<ClientRequest, 'streamType' | 'choices'>) {
    this.#frame = new StreamFrame(streamType)
    this.#choiceCount = choices
  }

  read(event: string, chunk: JsonObject): string {
    const data = eventData(event) ?? ''
    if (geminiErrorOf(chunk) !== undefined) {
      throw reportedFailure(parseJson(Buffer.from(data, 'latin1').toString('utf8')))
    }
    this.hasBegun = true
    this.#note(chunk)
    this.#held.push(this.#frame.isArray ? data : event)
    return this.#isFinished() ? '' : this.#release()
  }

  again(event: string): string {
    return event
  }

  /** Proxies in front of Gemini have been seen to send it; it ends nothing. */
  readDone(): void {}

  end(): string | undefined {
    if (!this.#isFinished()) return undefined
    this.isComplete = true
    return this.#release() + this.#frame.end()
  }

  fail(refusal: Refusal, requestId: string): Buffer {
    return Buffer.from(this.#frame.fail(refusal, requestId))
  }

  /** Every candidate that was asked for ends, also one that had not begun. */
  cutShort(usage: TokenUsage): string {
    const usageMetadata = writeGeminiUsage(usage)
    const wanted = Array.from({ length: this.#choiceCount }, (_, index) => index)
    let text = this.#release()
    for (const index of new Set([...this.#candidates.keys(), ...wanted])) {
      if (this.#candidates.get(index) === true) continue
      const candidate = { content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'MAX_TOKENS', index }
      text += this.#frame.chunk(JSON.stringify({ candidates: [candidate], usageMetadata, ...this.#head }))
    }
    return text + this.#frame.end()
  }

  keepAlive(): string | undefined {
    return this.hasBegun ? this.#frame.keepAlive() : undefined
  }

  #release(): string {
    const held = this.#held
    this.#held = []
    return (this.#frame.isArray ? held.map((data) => this.#frame.chunk(data)) : held).join('')
  }

  #note(chunk: JsonObject): void {
    const { candidates, modelVersion, responseId } = chunk
    this.#head = { modelVersion, responseId }
    this.#isBlocked ||= isBlocked(chunk)
    if (!this.reported.hasEnded) addBeside(this.#asides, chunk)
    if (Array.isArray(candidates))
      for (const [at, candidate] of candidates.entries()) this.#noteCandidate(candidate, at)
    this.reported.note(readGeminiUsage(chunk['usageMetadata']))
    const isEnd = this.#isFinished() && (this.#isBlocked || this.#candidates.size >= this.#choiceCount)
    if (isEnd) this.reported.noteEnd()
  }

  #noteCandidate(candidate: unknown, position: number): void {
    if (!isRecord(candidate)) return
    addGeneratedCandidate(this.generated, candidate)
    const { index, finishReason } = candidate
    const choice = typeof index === 'number' ? index : position
    if (isFinish(finishReason)) this.#candidates.set(choice, true)
    else if (!this.#candidates.has(choice) && this.#candidates.size < MAX_CANDIDATES)
      this.#candidates.set(choice, false)
  }

  #isFinished(): boolean {
    if (this.#isBlocked) return true
    for (const isFinished of this.#candidates.values()) if (!isFinished) return false
    return this.#candidates.size > 0
  }
}
