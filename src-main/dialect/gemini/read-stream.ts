// Reads a stream of the Gemini API. Each event is an answer with the next pieces of its candidates; there is no last event,
// so that only the end of the stream and the finish reasons before it tell whether the answer is complete.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import type { PartReader } from '#dialect/dialect.ts'
import { Candidate } from '#dialect/gemini/candidate.ts'
import { geminiErrorOf, reportedFailure } from '#dialect/gemini/errors.ts'
import { isBlocked } from '#dialect/gemini/finish-reasons.ts'
import { addBeside, addGeneratedCandidate } from '#dialect/gemini/measure.ts'
import { readGeminiUsage } from '#dialect/gemini/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isDone } from '#dialect/sse.ts'

/** Far more than the API allows; a bound on what an answer makes us keep. */
const MAX_CANDIDATES = 128

export class GeminiPartReader implements PartReader {
  readonly #newCallId: () => string
  readonly #candidates = new Map<number, Candidate>()
  readonly #generated: GeneratedText
  readonly #beside: AsideMembers
  #hasStarted = false
  #isBlocked = false
  isComplete = false

  constructor(newCallId: () => string, generated = new GeneratedText('utf8')) {
    this.#newCallId = newCallId
    this.#generated = generated
    this.#beside = new AsideMembers(generated)
  }

  get hasEnded(): boolean {
    if (this.#isBlocked) return true
    for (const candidate of this.#candidates.values()) if (!candidate.isFinished) return false
    return this.#candidates.size > 0
  }

  read(data: string): readonly AnswerPart[] {
    if (this.isComplete || isDone(data)) return []
    const chunk = parseJson(data)
    if (geminiErrorOf(chunk) !== undefined) throw reportedFailure(chunk)
    if (!isRecord(chunk))
      throw new UpstreamFailure('malformed', 'The provider sent an event that is not a JSON object.')
    return this.add(chunk)
  }

  /** Takes an answer, or the next piece of one. */
  add(chunk: Readonly<Record<string, unknown>>): AnswerPart[] {
    const parts: AnswerPart[] = this.#hasStarted ? [] : [{ type: 'start' }]
    this.#hasStarted = true
    const { candidates } = chunk
    if (!this.hasEnded) addBeside(this.#beside, chunk)
    if (isBlocked(chunk)) this.#isBlocked = true
    if (Array.isArray(candidates)) {
      for (const [position, candidate] of candidates.entries()) {
        if (!isRecord(candidate)) continue
        addGeneratedCandidate(this.#generated, candidate)
        append(parts, this.#candidate(candidate['index'], position).read(candidate))
      }
    }
    const usage = readGeminiUsage(chunk['usageMetadata'])
    if (usage !== undefined) parts.push({ type: 'usage', usage })
    return parts
  }

  end(): readonly AnswerPart[] {
    if (this.isComplete) return []
    if (!this.hasEnded) {
      throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
    }
    return this.finish()
  }

  /** The last parts of every candidate; a blocked prompt has one without content. */
  finish(): AnswerPart[] {
    this.isComplete = true
    if (this.#candidates.size === 0) return [{ type: 'finish', choice: 0, reason: 'content-filter' }]
    const inOrder = [...this.#candidates].sort(([left], [right]) => left - right)
    return inOrder.flatMap(([, candidate]) => candidate.end({ blocked: this.#isBlocked }))
  }

  get hasAnswer(): boolean {
    return this.#isBlocked || this.#candidates.size > 0
  }

  #candidate(index: unknown, position: number): Candidate {
    const choice = typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : position
    const known = this.#candidates.get(choice)
    if (known !== undefined) return known
    if (choice >= MAX_CANDIDATES) throw new UpstreamFailure('too_large', 'The provider sent too many candidates.')
    const candidate = new Candidate(choice, this.#newCallId)
    this.#candidates.set(choice, candidate)
    return candidate
  }
}
