// Keeps a stream to its output cap, and within what is held for it. A provider is trusted to keep its cap, which the hold pays for,
// until it delivers more text than any tokenizer can make of the cap: until then the test for each chunk is one comparison.
// Where the provider is known to ignore caps, or reports more input than was held, tokens are counted: a token is at least one byte,
// so that there is nothing to decide until as many bytes were delivered as tokens are paid for. Beyond that the hold grows, where
// there is plenty; where there is not, the tokenizer follows the stream, which waits rather than be more than one step ahead of what
// was counted.

import type { Price } from '#core/price.ts'
import {
  dearestInputMicro,
  dearestOutputMicro,
  priceOf,
  TOKENS_PER_PRICE,
  worstUnitsMicro,
  type Worst,
} from '#core/pricing.ts'
import { denseBytesOf, type Generated } from '#core/possible-usage.ts'
import { bytesOfTokens } from '#core/token-bounds.ts'
import { inputTotal, UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { TokenCounter } from '#pipeline/ports.ts'
import type { Reservation } from '#pipeline/reservation.ts'

export type GuardInput = {
  readonly spending: Pick<Reservation, 'heldMicro' | 'growthLeftMicro' | 'grow'>
  readonly price: Price
  /** What was held for; a provider can say that there are more input tokens. */
  readonly worst: Omit<Worst, 'outputTokens'>
  /** The most output that the provider was told to generate, over all choices. */
  readonly outputCap: number
  /** Of a target that is known to ignore its caps; undefined for any other. */
  readonly ignoring?: { readonly bytesPerToken: number } | undefined
  /** Bytes of the text that repeat the request. */
  readonly echoedBytes?: number
  readonly counter: TokenCounter
}

/** `wait`: no more may be delivered before the tokens so far were counted. */
export type GuardVerdict = 'go' | 'wait' | 'stop'

/** The output tokens by which a stream can be ahead of what is paid for when it is ended; one event can be larger than that. */
export const STEP_TOKENS = 64
/** The part of a step that may be delivered and not be counted yet. */
const BLIND_TOKENS = 32
/** No smaller pieces of a stream are looked at by themselves. */
const MIN_PIECE_BYTES = 32
/** By how many output tokens a hold grows at a time where there is plenty. */
const GROWTH_TOKENS = 4096
/** There is plenty where a hold grows by no more than this part of what it can grow by. */
const SMALL_PART = 1 / 8
/** Counts differ: some providers count marks of their own, and our tokenizer is not theirs. */
const CAP_TOLERANCE = 1 / 4
const CAP_TOLERANCE_TOKENS = 16
/** Ordinary text has at least so many, so that nothing is counted before it may be beyond the cap. */
const BYTES_PER_TOKEN = 3
/** In characters. What is longer is no word, and is counted as it comes. */
const LONGEST_WORD = 24

/** A guard for one stream; undefined where output costs nothing. */
export function creditGuard(input: GuardInput): CreditGuard | undefined {
  return dearestOutputMicro(input.price, input.worst) === 0 ? undefined : new CreditGuard(input)
}

/** How many tokens an answer may be reported to have that keeps to its cap. */
export function mostTokensAt(outputCap: number): number {
  return outputCap + Math.ceil(outputCap * CAP_TOLERANCE) + CAP_TOLERANCE_TOKENS
}

/** From so many dense bytes of text on an answer is beyond its cap, whatever its tokenizer. */
export function bytesBeyondCap(outputCap: number, echoedBytes = 0): number {
  return bytesOfTokens(outputCap + CAP_TOLERANCE_TOKENS) + echoedBytes
}

/** Whether an answer is beyond its cap, whatever its tokenizer. */
export function isBeyondCap(generated: Generated, outputCap: number, echoedBytes?: number): boolean {
  const most = bytesBeyondCap(outputCap, echoedBytes)
  return generated.textBytes >= most && denseBytesOf(generated) >= most
}

export class CreditGuard {
  readonly #input: GuardInput
  /** More output tokens than this are not what the provider was told. */
  readonly #mostTokens: number
  /** Whether a stream that must stop went beyond its cap, and not out of credits. */
  isOverCap = false
  /** What the input and whatever is not tokens cost at most. */
  readonly #fixedMicro: number
  /** The price without the least that a call costs, which output is paid from as well. */
  readonly #price: Price
  /** What a million tokens of the output cost at most. */
  #outputMicro: number
  /** Bytes of text before which a tokenizer may make no more of it than the cap. */
  #beyondBytes: number
  /** What the provider had reported at the last look. */
  #usage: TokenUsage | undefined
  /** Bytes of output other than text at the last look. */
  #otherBytes = 0
  /** The bytes of text that were looked at by the tokenizer. Of these, the beginning of a word may wait for its end. */
  #seenBytes = 0
  #seenTokens = 0
  #countedTokens = 0
  #beginning = ''
  #isCounting = false
  #whenCounted: (() => void) | undefined
  /** Bytes of output from which on there is something to decide. */
  #nextLookBytes: number

  constructor(input: GuardInput) {
    this.#input = input
    this.#mostTokens = mostTokensAt(input.outputCap)
    this.#beyondBytes = bytesBeyondCap(input.outputCap, input.echoedBytes)
    const { price, worst } = input
    const { minimumMicro, ...ofCounts } = price
    this.#price = minimumMicro === undefined ? price : ofCounts
    const inputMicro = (worst.inputTokens * dearestInputMicro(price, worst)) / TOKENS_PER_PRICE
    this.#fixedMicro = inputMicro + worstUnitsMicro(price, worst)
    this.#outputMicro = dearestOutputMicro(price, worst)
    // Nothing is decided before there is any output: what the input costs is spent by then.
    const paidTokens = this.#paidTokens(undefined)
    this.#nextLookBytes = Math.max(
      1,
      this.#isTrusted(paidTokens) ? this.#beyondBytes : Math.min(paidTokens, this.#capBytes()),
    )
  }

  /** How many bytes of a stream may be read before `look` is asked again. */
  roomBytes({ generated }: AnswerReader): number {
    return Math.max(MIN_PIECE_BYTES, this.#nextLookBytes - generated.bytes)
  }

  /** Whether the stream may go on after what was delivered. */
  look(reader: AnswerReader): GuardVerdict {
    const { usage } = reader
    const { bytes, otherBytes } = reader.generated
    const hasMore = otherBytes !== this.#otherBytes || (usage !== this.#usage && this.#isMore(usage))
    return bytes < this.#nextLookBytes && !hasMore ? 'go' : this.#decide(reader)
  }

  /** Calls back once when what was sent to be counted is counted. */
  onCounted(callback: () => void): void {
    this.#whenCounted = callback
  }

  #decide(reader: AnswerReader): GuardVerdict {
    this.#usage = reader.usage
    // The answer has ended, whatever it comes to.
    if (reader.reported.isOutputFinal) return 'go'
    const { bytes, textBytes, otherBytes } = reader.generated
    this.#otherBytes = otherBytes
    const isBeyondCap = this.#isBeyondCap(reader)
    const mostTokens = this.#tokensAtMost(reader)
    this.#growWherePlenty(mostTokens, reader.usage)
    const paidTokens = this.#paidTokens(reader.usage)
    const toCapBytes = this.#toCapBytes(reader)
    if (mostTokens <= paidTokens && toCapBytes > 0 && !isBeyondCap) {
      this.#lookAgainAt(
        bytes,
        this.#isTrusted(paidTokens - reader.generated.otherTokens)
          ? toCapBytes
          : Math.min(paidTokens - mostTokens + 1, toCapBytes),
      )
      return 'go'
    }
    if (textBytes === this.#seenBytes || isBeyondCap) return this.#judge(reader)
    this.#count(reader)
    const blindTokens = paidTokens + BLIND_TOKENS - mostTokens
    this.#lookAgainAt(bytes, blindTokens)
    return blindTokens > 0 && toCapBytes > 0 ? 'go' : 'wait'
  }

  /** Whether the provider reports more than at the last look, or more input than was held. */
  #isMore(usage: TokenUsage | undefined): boolean {
    if (usage === undefined) return false
    const inputTokens = Math.max(this.#input.worst.inputTokens, inputTotal(this.#usage ?? UNKNOWN_USAGE))
    return inputTotal(usage) > inputTokens || outputOf(usage) > outputOf(this.#usage)
  }

  /** A provider that is not known to ignore its cap, which is paid for. */
  #isTrusted(paidTokens: number): boolean {
    return this.#input.ignoring === undefined && paidTokens >= this.#input.outputCap
  }

  /** More than any tokenizer makes of the cap, more by the provider's own count, or by ours where it is known to ignore caps. */
  #isBeyondCap({ generated, usage }: AnswerReader): boolean {
    if (this.#isBeyondAny(generated) || outputOf(usage) > this.#mostTokens) return true
    const { ignoring } = this.#input
    const { textBytes } = generated
    if (ignoring === undefined || textBytes > this.#seenBytes) return false
    return this.#seenTokens > this.#mostTokens && textBytes > this.#mostTokens * ignoring.bytesPerToken
  }

  /** Everything was counted: the stream ends where it is beyond its cap, or what is held does not pay for it. */
  #judge(reader: AnswerReader): GuardVerdict {
    const { spending } = this.#input
    const tokens = this.#tokensAtMost(reader)
    const missingMicro = this.#costOf(tokens + STEP_TOKENS - this.#paidTokens(reader.usage))
    if (missingMicro > 0) spending.grow(Math.min(missingMicro, spending.growthLeftMicro))
    const paidTokens = this.#paidTokens(reader.usage)
    const leftTokens = paidTokens + BLIND_TOKENS - tokens
    // The size of what is no text proves nothing about a cap: no tokenizer counts it.
    const isBeyondCap = this.#isBeyondCap(reader)
    this.isOverCap = isBeyondCap && tokens <= paidTokens
    if (leftTokens < 0 || isBeyondCap) return 'stop'
    this.#lookAgainAt(reader.generated.bytes, Math.min(leftTokens, this.#toCapBytes(reader)))
    return 'go'
  }

  #isBeyondAny(generated: Generated): boolean {
    if (generated.textBytes < this.#beyondBytes) return false
    const { outputCap, echoedBytes } = this.#input
    const leftBytes = bytesBeyondCap(outputCap, echoedBytes) - denseBytesOf(generated)
    if (leftBytes > 0) this.#beyondBytes = generated.textBytes + Math.ceil(leftBytes)
    return leftBytes <= 0
  }

  /** How much text there must be at least before it may be beyond the cap. */
  #capBytes(): number {
    const { ignoring } = this.#input
    if (ignoring === undefined) return this.#beyondBytes
    const leftBytes = Math.max(0, this.#mostTokens - this.#seenTokens) * BYTES_PER_TOKEN
    return Math.min(
      this.#beyondBytes,
      Math.max(this.#seenBytes + leftBytes, this.#mostTokens * ignoring.bytesPerToken + 1),
    )
  }

  #toCapBytes({ generated }: AnswerReader): number {
    return this.#capBytes() - generated.textBytes
  }

  /**
   * What was counted, and of the rest of the text each byte as a token, but no more than the cap of a provider that is not known to
   * ignore it. Output other than text comes on top. More if the provider has reported more.
   */
  #tokensAtMost({ generated, usage }: AnswerReader): number {
    const { textBytes, otherTokens } = generated
    const counted = this.#seenTokens + textBytes - this.#seenBytes
    const { ignoring, outputCap } = this.#input
    const beyondTokens = textBytes < this.#beyondBytes ? 0 : CAP_TOLERANCE_TOKENS
    const textTokens = ignoring === undefined ? Math.min(counted, outputCap + beyondTokens) : counted
    return Math.max(textTokens + otherTokens, outputOf(usage))
  }

  #growWherePlenty(mostTokens: number, usage: TokenUsage | undefined): void {
    const { spending } = this.#input
    if (mostTokens <= this.#paidTokens(usage)) return
    const wantedMicro = this.#costOf(mostTokens + GROWTH_TOKENS - this.#paidTokens(usage))
    if (wantedMicro <= spending.growthLeftMicro * SMALL_PART) spending.grow(wantedMicro)
  }

  #count(reader: AnswerReader): void {
    if (this.#isCounting) return
    this.#isCounting = true
    const { textBytes } = reader.generated
    const fresh = reader.generated.takeNew()
    // Of a very long answer only the beginning was kept; the rest is taken to be like it.
    const scale = fresh === '' ? 1 : Math.max(1, (textBytes - this.#seenBytes) / Buffer.byteLength(fresh))
    const text = this.#beginning + fresh
    const end = endOfWords(text)
    void this.#input.counter.count([text.slice(0, end)]).then((tokens) => {
      this.#beginning = text.slice(end)
      this.#countedTokens += Math.ceil(tokens * scale)
      this.#seenTokens = this.#countedTokens + Math.ceil(Buffer.byteLength(this.#beginning) / BYTES_PER_TOKEN)
      this.#seenBytes = textBytes
      this.#isCounting = false
      this.#nextLookBytes = 0
      const callback = this.#whenCounted
      this.#whenCounted = undefined
      callback?.()
    })
  }

  #lookAgainAt(bytes: number, moreBytes: number): void {
    this.#nextLookBytes = bytes + Math.max(1, Math.floor(moreBytes))
  }

  #costOf(outputTokens: number): number {
    return Math.max(0, Math.ceil((outputTokens * this.#outputMicro) / TOKENS_PER_PRICE))
  }

  /** How many output tokens are paid for after the input; less than 0 where not even that is. */
  #paidTokens(usage: TokenUsage | undefined): number {
    const { spending, worst } = this.#input
    // What is reported while a stream runs may be less than the last word: only more than was held is believed.
    const reportedMicro = usage === undefined ? 0 : priceOf({ ...usage, outputTokens: 0 }, this.#price)
    if (usage !== undefined && inputTotal(usage) > worst.inputTokens) {
      this.#outputMicro = dearestOutputMicro(this.#price, { ...worst, inputTokens: inputTotal(usage) })
    }
    const costMicro = Math.max(this.#fixedMicro, reportedMicro)
    return Math.floor(((spending.heldMicro - costMicro) * TOKENS_PER_PRICE) / this.#outputMicro)
  }
}

/** What the provider says that it has generated so far. */
function outputOf(usage: TokenUsage | undefined): number {
  return usage?.outputTokens ?? 0
}

/** Words are counted with the space in front of them, and in one piece: in pieces a text has more tokens than as a whole. */
function endOfWords(text: string): number {
  const space = text.lastIndexOf(' ')
  return space > 0 && text.length - space <= LONGEST_WORD ? space : text.length
}
