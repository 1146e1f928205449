// What a provider says about the usage of one answer, and how far that goes. Many count along while they generate, some send 0
// or 1 with every event, and of an answer that breaks off nothing but such a count is there. So each reader notes here what it
// is told and when the answer has ended; nobody else judges whether a count is the last one.
//
// The end of an answer is, in each dialect: in chat completions the finish reason of every choice, or `[DONE]`; in messages a
// stop reason, or `message_stop`; in responses `response.completed`, `response.incomplete` or `response.failed`; in Gemini the
// finish reason of every candidate. A whole answer ends with its body.

import {
  isLikelyOutput,
  isPossibleInput,
  isPossibleOutput,
  isPossiblePart,
  type UsageBounds,
} from '#core/possible-usage.ts'
import { inputTotal, someDetails, type ReportedCounts, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import { laterDetails } from '#dialect/usage-details.ts'

const NO_BOUNDS: UsageBounds = {
  inputTokens: Infinity,
  cappedTokens: Infinity,
  contextTokens: Infinity,
  units: Infinity,
  echoedBytes: Infinity,
}

export class ReportedUsage {
  readonly #generated: GeneratedText
  #bounds = NO_BOUNDS
  #usage: TokenUsage | undefined
  /** A later report had no possible count of the output. */
  #isContradicted = false
  /** How much was generated when the present count of the output came first, and when it came last. */
  #sinceBytes = -1
  #untilBytes = -1
  #hasEnded = false
  #isComplete = false

  constructor(generated: GeneratedText) {
    this.#generated = generated
  }

  /** What is possible of this call, from now on. */
  limit(bounds: UsageBounds): void {
    this.#bounds = bounds
  }

  /** True once the provider said that nothing more of the answer comes. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * The latest possible counts. A class of which nothing possible was said keeps what was said before, and 0 does not replace a
   * count.
   */
  get usage(): TokenUsage | undefined {
    return this.#usage
  }

  /** True where the input is what the provider says. Every call has one, so that 0 is no count of it. */
  get isInputFinal(): boolean {
    if (this.#usage?.inputTokens === undefined || !(this.#isComplete || this.isOutputFinal)) return false
    return inputTotal(this.#usage) > 0
  }

  /**
   * True where the output is what the provider says: the answer has ended, and nothing was generated behind the count. As long as
   * the stream is not complete, the count must also be a new one: whoever said the same all along was not counting.
   */
  get isOutputFinal(): boolean {
    const { outputTokens } = this.#usage ?? {}
    const { bytes } = this.#generated
    if (!this.#hasEnded || outputTokens === undefined || (outputTokens === 0 && bytes > 0)) return false
    if (this.#isContradicted && !isLikelyOutput(outputTokens, this.#generated)) return false
    return (this.#isComplete ? this.#untilBytes : this.#sinceBytes) === bytes
  }

  /** Takes counts that the provider sent, behind whatever was generated in the same event. */
  note(told: ReportedCounts | undefined): void {
    if (told === undefined) return
    const before = this.#usage
    const usage = this.#possible(told)
    const saysInput =
      before === undefined || inputTotal(usage) > 0 || (inputTotal(before) === 0 && usage.inputTokens !== undefined)
    const { outputTokens } = usage
    const saysOutput = outputTokens !== undefined && (outputTokens > 0 || (before?.outputTokens ?? 0) === 0)
    if (outputTokens === undefined) this.#isContradicted = before?.outputTokens !== undefined
    if (saysOutput) {
      this.#isContradicted = false
      this.#untilBytes = this.#generated.bytes
      if (outputTokens !== before?.outputTokens) this.#sinceBytes = this.#untilBytes
    }
    const input = saysInput ? usage : before
    const output = saysOutput || before === undefined ? usage : before
    this.#usage = {
      inputTokens: input.inputTokens,
      cacheReadTokens: input.cacheReadTokens,
      cacheWriteTokens: input.cacheWriteTokens,
      outputTokens: output.outputTokens,
      reasoningTokens: output.reasoningTokens,
      details: laterDetails(before?.details, usage.details),
    }
  }

  /** The provider said that nothing more of the answer comes. */
  noteEnd(): void {
    this.#hasEnded = true
  }

  /** The answer has its valid end, as its dialect asks for. */
  noteComplete(): void {
    this.#hasEnded = true
    this.#isComplete = true
  }

  /** The same counts without those that are impossible. */
  #possible(told: ReportedCounts): TokenUsage {
    const { reasoningTokens, details } = told
    const isInput = isPossibleInput(told, this.#bounds)
    const outputTokens = this.#possibleOutput(told)
    const isReasoning = reasoningTokens === undefined || isPossiblePart(reasoningTokens, this.#generated, this.#bounds)
    const units = this.#possibleUnits(details)
    const isWhole = isInput && isReasoning && outputTokens === told.outputTokens && units === details?.units
    if (isWhole) return told
    return {
      inputTokens: isInput ? told.inputTokens : undefined,
      cacheReadTokens: isInput ? told.cacheReadTokens : undefined,
      cacheWriteTokens: isInput ? told.cacheWriteTokens : undefined,
      outputTokens,
      reasoningTokens: isReasoning && outputTokens !== undefined ? reasoningTokens : undefined,
      details: details && someDetails({ ...details, units }),
    }
  }

  #possibleOutput({ outputTokens: told, totalTokens }: ReportedCounts): number | undefined {
    const before = this.#usage
    // A total alone says how much of it is output where the input is known. It takes nothing back.
    const inputTokens = before === undefined ? 0 : inputTotal(before)
    const isDerived = told === undefined && totalTokens !== undefined && inputTokens > 0
    const tokens = isDerived ? Math.max(totalTokens - inputTokens, before?.outputTokens ?? 0) : told
    if (tokens === undefined || tokens === 0) return tokens
    return isPossibleOutput(tokens, this.#generated, this.#bounds) ? tokens : undefined
  }

  #possibleUnits(details: UsageDetails | undefined): UsageDetails['units'] {
    const units = details?.units
    if (units === undefined || Object.values(units).every((count) => count <= this.#bounds.units)) return units
    const possible = Object.entries(units).filter(([, count]) => count <= this.#bounds.units)
    return possible.length === 0 ? undefined : Object.fromEntries(possible)
  }
}
