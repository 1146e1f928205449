// What the pipeline needs of any answer, streamed or whole, passed through or translated: which bytes may go to the client
// now, when the answer is complete, and what it used.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage, Units } from '#core/usage.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { ReportedUsage } from '#dialect/reported-usage.ts'

/** Bytes, or text in which each character is one byte (latin1), ready to be written as they are. */
export type WireBytes = Buffer | string

/**
 * Reads one upstream answer as it arrives. Methods throw UpstreamFailure when the answer is not what its dialect asks for,
 * or is cut short: an incomplete answer must never look complete to a client.
 */
export interface AnswerReader {
  /** Takes what arrived; returns what may be sent on now, if anything. */
  push(chunk: Buffer): WireBytes | undefined
  /** Takes the upstream's end. */
  end(): void
  /** After `end`: the last bytes, to be sent only once the charge is on disk. `usage` is what the exchange is charged for. */
  final(usage: TokenUsage): WireBytes
  /** True once the dialect's terminal event was read: the rest of the upstream's bytes does not matter. */
  readonly isComplete: boolean
  /** True where the answer ended as its dialect asks for, and says itself that it failed. */
  readonly hasFailed?: boolean
  /** Streams only: how many pieces belonged to nothing and were left out. */
  readonly droppedPieces?: number
  /** What the upstream reported so far, counts that still run included; undefined while it has reported none. */
  readonly usage: TokenUsage | undefined
  /** The same, and which of it is the provider's last word. */
  readonly reported: ReportedUsage
  /** What was generated so far (content, reasoning, tool arguments), for an estimate where no count is the last one. */
  readonly generated: GeneratedText
  /** Units that nobody counted, as the whole answer lets one conclude them, such as seconds from the times of subtitles. */
  readonly likelyUnits?: Units | undefined
  /** Streams only: the event that tells the client that its answer broke off. */
  fail?(refusal: Refusal, requestId: string): WireBytes
  /**
   * Streams only: the valid end of an answer that Farebox ends here, as if it had met its output cap: what is open is closed and
   * every choice finishes. `usage` is what the exchange is charged for.
   */
  cutShort?(usage: TokenUsage): WireBytes
  /** Streams only: an event that shows the client that its stream is alive; undefined in the middle of an event. */
  keepAlive?(): WireBytes | undefined
}

/** Upper bound of one upstream answer that is kept in memory or passed through. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024
