// What the journey of a call is given from outside: the client's side, the upstream's side, clocks.

import type { Provider } from '#core/entities.ts'
import type { UpstreamFailure } from '#core/failure.ts'
import type { WireBytes } from '#dialect/answer.ts'
import type { UploadBody } from '#dialect/form.ts'

export type Clock = {
  /** UTC epoch milliseconds. */
  readonly nowMs: () => number
  /** Milliseconds that only ever go forward, for durations. */
  readonly monotonicMs: () => number
}

export type Headers = Readonly<Record<string, string>>

/** The client of one exchange. Nothing reaches it before `begin`; after `end` or `cut` nothing does any more. */
export interface Client {
  /** True once the client is gone. */
  readonly isCancelled: boolean
  /** Calls back at once if the client is gone already. */
  onCancel(callback: () => void): void
  /** True once anything was sent. */
  readonly hasBegun: boolean
  begin(status: number, headers: Headers): void
  /** False when the client reads too slowly to take more now; `onDrain` tells when it can. */
  write(bytes: WireBytes): boolean
  /** Calls back once, whatever was written meanwhile; of several callbacks the last. Never after `end`, or once the client is gone. */
  onDrain(callback: () => void): void
  end(bytes?: WireBytes): void
  /** Breaks the connection, so that the client sees that its answer is not complete. */
  cut(): void
}

export type UpstreamRequest = {
  readonly provider: Provider
  /** Below the base URL, such as `/chat/completions`. */
  readonly path: string
  /** JSON text, or its bytes where it was written elsewhere. */
  readonly body: string | Uint8Array
  /** A form that is sent in place of it. */
  readonly upload?: UploadBody | undefined
  /** Allow-listed headers of the client that the dialect gives a meaning to. */
  readonly headers: Headers
  /** The gateways that the call came through; undefined for one that came from a client. */
  readonly hops?: string | undefined
}

/** Callbacks of one attempt. Exactly one of `onEnd` and `onFailure` comes last. */
export interface UpstreamListener {
  onHead(status: number, headers: UpstreamHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: UpstreamFailure): void
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface UpstreamCall {
  pause(): void
  resume(): void
  /** Stops the attempt and closes its connection. No callback comes afterwards. */
  abort(): void
}

/** Sends requests to providers. `send` returns at once and never throws. */
export interface Transport {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamCall
}

/** Counts tokens where no provider does. Never rejects; what cannot be counted is estimated from its size. */
export interface TokenCounter {
  /** `patienceMs`: after this time an estimate will do; without it the counter's own limit holds. */
  count(texts: readonly string[], patienceMs?: number): Promise<number>
}

/** Counts for bounds. */
export interface BoundCounter {
  /** Like `count`, but what is not counted is taken for a token for each byte: never fewer than there are. */
  countAtMost(texts: readonly string[]): Promise<number>
}
