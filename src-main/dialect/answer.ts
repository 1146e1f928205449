// What the pipeline needs of any answer, streamed or whole, in any dialect: which bytes may go to the client now, when the
// answer is complete, and what it used.

import type { TokenUsage } from '#core/usage.ts'

/** Bytes, or text in which each character is one byte (latin1), ready to be written as they are. */
export type WireBytes = Buffer | string

/**
 * Reads one upstream answer as it arrives. Methods throw UpstreamFailure when the answer is not what its dialect asks for,
 * or is cut short: an incomplete answer must never look complete to a client.
 */
export interface AnswerReader {
  /** Takes what arrived; returns what may be sent on now, if anything. */
  push(chunk: Buffer): WireBytes | undefined
  /** Takes the upstream's end; returns the last bytes, which are to be sent only once the charge is on disk. */
  end(): WireBytes
  /** True once the dialect's terminal event was read: the rest of the upstream's bytes does not matter. */
  readonly isComplete: boolean
  /** The last usage that the upstream reported; undefined while it has reported none. */
  readonly usage: TokenUsage | undefined
  /** Bytes of generated text so far (content, reasoning, tool arguments), for an estimate where usage is missing. */
  readonly textBytes: number
}

/** Upper bound of one upstream answer that is kept in memory or passed through. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024
