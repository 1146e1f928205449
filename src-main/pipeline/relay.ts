// Relays one attempt: sends the request upstream and passes the answer to the client as it comes, never faster than the client
// reads. It ends exactly once, in one of the ways of `RelayEnd`, and then touches neither side any more.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal } from '#core/refusal.ts'
import type { AnswerReader, WireBytes } from '#dialect/answer.ts'
import type { ReadError } from '#dialect/dialect.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { CreditGuard } from '#pipeline/credit-guard.ts'
import type { Drain } from '#pipeline/drains.ts'
import { ErrorAnswer, judgedFailure, type Refused } from '#pipeline/error-answer.ts'
import type { Client, Transport, UpstreamCall, UpstreamHeaders, UpstreamRequest } from '#pipeline/ports.ts'

export type RelayEnd =
  /** The answer is complete; its reader's `final` is sent once its charge is on disk. */
  | { readonly type: 'complete' }
  | Refused
  | { readonly type: 'failed'; readonly failure: UpstreamFailure }
  /** `delivered` is what the client had got by then, where the rest of the answer was read without it. */
  | { readonly type: 'client-gone'; readonly isDrained: boolean; readonly delivered: Delivered | undefined }
  /** What is held could not carry the stream any further, or it went beyond its output cap. */
  | { readonly type: 'out-of-credits'; readonly isOverCap: boolean }
  /** Farebox stopped it: the key was blocked, the time was up, the program ends. */
  | { readonly type: 'stopped'; readonly refusal: Refusal }
  /** A mistake of ours. */
  | { readonly type: 'fault'; readonly error: unknown }

/** What a client had got: how much text, the text itself as far as it was kept, and output of any other form. */
export type Delivered = Pick<GeneratedText, 'textBytes' | 'otherTokens' | 'media'> & { readonly text: string }

export type RelayInput = {
  readonly transport: Transport
  readonly request: UpstreamRequest
  readonly providerName: string
  readonly isStream: boolean
  /** The media types of an answer that is neither JSON nor events. */
  readonly mediaTypes?: RegExp | undefined
  readonly reader: AnswerReader
  readonly client: Client
  /** What a body of an error says beside its words; undefined for dialects whose status says it all. */
  readonly readError: ReadError | undefined
  /** Sends the client its status and headers. Called once, right before the first byte of the answer. */
  readonly begin: (upstreamHeaders: UpstreamHeaders) => void
  readonly monotonicMs: () => number
  /** Keeps a stream to its cap and within its credits; undefined where its output costs nothing. */
  readonly guard: CreditGuard | undefined
  /** Begins to read on without the client; undefined where the provider's setting is to cancel. */
  readonly beginDrain: ((giveUp: () => void) => Drain | undefined) | undefined
}

/** After so many looks, a second apart, at a stream that brought nothing its client is shown that it is alive. */
const QUIET_LOOKS = 15

export class Relay {
  readonly #input: RelayInput
  readonly #finish: (end: RelayEnd) => void
  #call: UpstreamCall | undefined
  #hasEnded = false
  /** What an error status came with. */
  #error: ErrorAnswer | undefined
  #quietLooks = 0
  #isAnswering = false
  #waitsForClient = false
  /** What arrived and is not read yet, because what came before it is being counted; undefined while nothing is. */
  #waiting: Buffer[] | undefined
  #endsAfterWaiting = false
  #drain: Drain | undefined
  #delivered: Delivered | undefined
  /** Resolves at the end; never rejects. */
  readonly ended: Promise<RelayEnd>
  /** True from the commit point on: the client has the first bytes of an answer. */
  hasBegun = false
  firstByteAtMs: number | undefined
  /** The upstream's status, once it came. */
  status: number | undefined
  /** The upstream's headers, empty until they came. */
  headers: UpstreamHeaders = {}

  constructor(input: RelayInput) {
    this.#input = input
    const { promise, resolve } = Promise.withResolvers<RelayEnd>()
    this.ended = promise
    this.#finish = resolve
  }

  /** Sends the request, unless the relay was stopped before. */
  start(): void {
    if (this.#hasEnded) return
    if (this.#input.client.isCancelled) return this.#clientGone()
    this.#guard(() => {
      this.#call = this.#input.transport.send(this.#input.request, {
        onHead: (status, headers) => this.#guard(() => this.#onHead(status, headers)),
        onData: (chunk) => this.#guard(() => this.#onData(chunk)),
        onEnd: () => this.#guard(() => this.#onEnd()),
        onFailure: (failure) => this.#end({ type: 'failed', failure: this.#error?.broken(failure) ?? failure }),
      })
    })
    this.#input.client.onCancel(() => this.#guard(() => this.#onClientGone()))
  }

  /** Ends the relay from outside. The client is told why. */
  stop(refusal: Refusal): void {
    this.#abort({ type: 'stopped', refusal })
  }

  /** The request is stopped, or read on to what the provider reports, as its setting says. */
  #onClientGone(): void {
    if (this.#hasEnded) return
    const { beginDrain, reader } = this.#input
    this.#drain = beginDrain?.(() => this.#clientGone())
    if (this.#drain === undefined) return this.#clientGone()
    this.#delivered = this.hasBegun ? deliveredOf(reader.generated) : NOTHING_DELIVERED
    this.#waitsForClient = false
    this.#resume()
  }

  #clientGone(): void {
    this.#abort({ type: 'client-gone', isDrained: false, delivered: this.#delivered })
  }

  /** Called every second: shows the client of a stream that has been silent for a while that it is alive. */
  look(): void {
    const error = this.#error
    if (error !== undefined) this.#guard(() => error.look())
    if (this.#hasEnded || !this.#isAnswering || this.#waitsForClient || this.#drain !== undefined) return
    this.#quietLooks += 1
    if (this.#quietLooks < QUIET_LOOKS) return
    this.#guard(() => {
      const bytes = this.#input.reader.keepAlive?.()
      // Sending nothing would still begin the answer, which can fail as a whole until then.
      if (bytes === undefined || bytes.length === 0) return
      this.#quietLooks = 0
      this.#send(bytes)
    })
  }

  #onHead(status: number, headers: UpstreamHeaders): void {
    this.status = status
    this.headers = headers
    if (status >= 200 && status < 300) {
      checkContentType(headers, this.#input)
      this.#isAnswering = true
      return
    }
    const { providerName, readError } = this.#input
    this.#error = new ErrorAnswer({ providerName, status, headers, readError })
  }

  #onData(chunk: Buffer): void {
    if (this.#hasEnded) return this.#call?.abort()
    this.firstByteAtMs ??= this.#input.monotonicMs()
    if (this.#error !== undefined) return this.#error.push(chunk)
    if (this.#waiting !== undefined) this.#waiting.push(chunk)
    else this.#read(chunk)
  }

  /** Reads what arrived, in pieces where the stream is near the end of what it may cost. */
  #read(chunk: Buffer): void {
    const { reader, guard } = this.#input
    if (guard === undefined) return this.#pass(chunk)
    for (let from = 0; from < chunk.length && !this.#hasEnded;) {
      const to = Math.min(chunk.length, from + guard.roomBytes(reader))
      this.#pass(to - from === chunk.length ? chunk : chunk.subarray(from, to))
      from = to
      const verdict = this.#hasEnded || !this.hasBegun ? 'go' : guard.look(reader)
      if (verdict === 'stop') return this.#outOfCredits(guard)
      if (verdict === 'wait') return this.#waitForCount(guard, chunk.subarray(to))
    }
  }

  #pass(chunk: Buffer): void {
    const { reader } = this.#input
    const bytes = reader.push(chunk)
    if (this.#drain?.take(chunk.length) === false) return this.#clientGone()
    if (bytes !== undefined) {
      this.#quietLooks = 0
      this.#send(bytes)
    }
    if (reader.isComplete) this.#complete()
  }

  #waitForCount(guard: CreditGuard, rest: Buffer): void {
    this.#waiting = [rest]
    this.#call?.pause()
    guard.onCounted(() => this.#guard(() => this.#onCounted(guard)))
  }

  #onCounted(guard: CreditGuard): void {
    if (this.#hasEnded) return
    const verdict = guard.look(this.#input.reader)
    if (verdict === 'stop') return this.#outOfCredits(guard)
    const waiting = this.#waiting ?? []
    if (verdict === 'wait') return this.#waitForCount(guard, Buffer.concat(waiting))
    this.#waiting = undefined
    this.#read(Buffer.concat(waiting))
    if (this.#isWaiting() || this.#hasEnded) return
    this.#resume()
    if (this.#endsAfterWaiting) this.#onEnd()
  }

  #outOfCredits({ isOverCap }: CreditGuard): void {
    this.#abort({ type: 'out-of-credits', isOverCap })
  }

  /** What a look may have begun meanwhile. */
  #isWaiting(): boolean {
    return this.#waiting !== undefined
  }

  /** Lets the provider go on, unless its client or a count has to come first. */
  #resume(): void {
    if (!this.#waitsForClient && this.#waiting === undefined) this.#call?.resume()
  }

  #onEnd(): void {
    if (this.#hasEnded) return
    if (this.#waiting !== undefined) {
      this.#endsAfterWaiting = true
      return
    }
    if (this.#error === undefined) this.#complete()
    else this.#end(this.#error.end())
  }

  #complete(): void {
    this.#input.reader.end()
    this.#end({ type: 'complete' })
    // A client that was too slow for the last bytes says no more when it has them, and the connection would be held back for ever.
    this.#call?.resume()
  }

  /** Whatever ends a request whose client left: the client left. Only a mistake of ours is told apart, to be reported. */
  #endOfDrain(end: RelayEnd): RelayEnd {
    if (this.#drain === undefined || end.type === 'fault') return end
    return { type: 'client-gone', isDrained: end.type === 'complete', delivered: this.#delivered }
  }

  /** Passes bytes on, after the client's head if it has not been sent yet. */
  #send(bytes: WireBytes): void {
    if (this.#drain !== undefined) return
    const { client } = this.#input
    if (!this.hasBegun) {
      this.hasBegun = true
      this.#input.begin(this.headers)
    }
    if (client.write(bytes)) return
    this.#waitsForClient = true
    this.#call?.pause()
    client.onDrain(() => {
      this.#waitsForClient = false
      this.#resume()
    })
  }

  /** Runs a callback; what it throws ends the relay, and the upstream with it. */
  #guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#abort(
        error instanceof UpstreamFailure ? { type: 'failed', failure: judgedFailure(error) } : { type: 'fault', error },
      )
    }
  }

  #abort(end: RelayEnd): void {
    if (this.#hasEnded) return
    this.#end(end)
    this.#call?.abort()
  }

  #end(end: RelayEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#drain?.close()
    this.#finish(this.#endOfDrain(end))
  }
}

const NOTHING_DELIVERED: Delivered = { textBytes: 0, otherTokens: 0, media: undefined, text: '' }

export function deliveredOf(generated: GeneratedText): Delivered {
  const { textBytes, otherTokens, media } = generated
  return { textBytes, otherTokens, media, text: generated.text() }
}

/** An HTML page with status 200 is no answer, and neither is a whole answer where a stream was asked for. */
function checkContentType(
  headers: UpstreamHeaders,
  { isStream, mediaTypes }: Pick<RelayInput, 'isStream' | 'mediaTypes'>,
): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new UpstreamFailure('malformed', 'The provider compressed its answer though it was not asked to.')
  }
  if (mediaTypes !== undefined) {
    if (mediaTypes.test(contentType(headers))) return
    throw new UpstreamFailure('malformed', 'The provider did not answer with what was asked for.')
  }
  if (isStream ? !contentType(headers).startsWith('text/event-stream') : !isJsonType(headers)) {
    const expected = isStream ? 'a stream of events' : 'JSON'
    throw new UpstreamFailure('malformed', `The provider did not answer with ${expected}.`)
  }
}

function isJsonType(headers: UpstreamHeaders): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(contentType(headers))
}

function contentType(headers: UpstreamHeaders): string {
  const value = headers['content-type']
  return (Array.isArray(value) ? (value[0] ?? '') : (value ?? '')).toLowerCase()
}
