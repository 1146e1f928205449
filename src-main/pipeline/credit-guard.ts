// Keeps a stream within its credits: its hold grows while the stream runs past it, and when the balance cannot carry more the
// stream is ended. The test for each chunk is one comparison; everything else happens a few times in a long answer.

import { estimateOutputBytes, estimateOutputTokens } from '#core/estimate.ts'
import { microCredits } from '#core/money.ts'
import { priceOf, TOKENS_PER_PRICE, type Price } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { Ledger } from '#ledger/ledger.ts'

export type GuardInput = {
  readonly ledger: Pick<Ledger, 'extend'>
  readonly hold: OpenHold
  readonly price: Price
  /** Taken until the provider has said how many they are. */
  readonly worstInputTokens: number
  /** The most output that the provider was told to generate, over all choices. */
  readonly outputCap: number
}

/** By how many output tokens a hold grows at a time. */
const STEP_TOKENS = 4096
/** A hold is asked to grow when it pays for fewer output tokens than this beyond what was delivered. */
const MARGIN_TOKENS = 1024
/**
 * Where the hold pays for all output that the provider was told to generate, the provider's own limit is the better guard: text
 * of few tokens for its length must not be cut off. Only a provider that goes far beyond it is stopped.
 */
const CAP_SLACK = 4

/** A guard for one stream; undefined where nothing can run out. */
export function creditGuard(input: GuardInput): CreditGuard | undefined {
  if (input.hold.isUnlimited || input.price.outputMicro === 0) return undefined
  return new CreditGuard(input)
}

export class CreditGuard {
  readonly #input: GuardInput
  /** Bytes of output from which on there is something to decide. */
  #nextLookBytes: number

  constructor(input: GuardInput) {
    this.#input = input
    const paidTokens = this.#paidTokens(undefined)
    const { outputCap } = input
    const lookAt = paidTokens >= outputCap ? Math.max(paidTokens, outputCap * CAP_SLACK) : paidTokens - MARGIN_TOKENS
    // Nothing is decided before there is any output: what the input costs is spent by then.
    this.#nextLookBytes = Math.max(1, estimateOutputBytes(lookAt))
  }

  /** True when the stream must end: what it delivered uses up all that its key can pay. */
  mustStop(reader: AnswerReader): boolean {
    return reader.generated.bytes >= this.#nextLookBytes && !this.#grow(reader)
  }

  /** Lets the hold grow; false when it does not even pay for what was delivered. */
  #grow(reader: AnswerReader): boolean {
    const { ledger, hold, price } = this.#input
    const deliveredTokens = estimateOutputTokens(reader.generated.bytes)
    const missingTokens = deliveredTokens + STEP_TOKENS - this.#paidTokens(reader.usage)
    const wantedMicro = microCredits(Math.max(0, Math.ceil((missingTokens * price.outputMicro) / TOKENS_PER_PRICE)))
    const hasAll = wantedMicro === 0 || ledger.extend(hold, wantedMicro) === wantedMicro
    const paidTokens = this.#paidTokens(reader.usage)
    // A balance that did not give all that was wanted is asked once more when that is used up.
    this.#nextLookBytes = Math.max(1, estimateOutputBytes(hasAll ? paidTokens - MARGIN_TOKENS : paidTokens))
    return deliveredTokens < paidTokens
  }

  /** How many output tokens the hold pays for after the input; less than 0 where it does not even pay for that. */
  #paidTokens(usage: TokenUsage | undefined): number {
    const { hold, price, worstInputTokens } = this.#input
    const { inputMicro, cacheReadMicro, cacheWriteMicro, outputMicro } = price
    const costMicro =
      usage?.inputTokens === undefined
        ? (worstInputTokens * Math.max(inputMicro, cacheReadMicro, cacheWriteMicro)) / TOKENS_PER_PRICE
        : priceOf({ ...usage, outputTokens: 0 }, price)
    return Math.floor(((hold.amountMicro + hold.grownMicro - costMicro) * TOKENS_PER_PRICE) / outputMicro)
  }
}
