// A provider's answer with an error status: what it judges. The status says it for most; where it says that the provider itself is
// at fault, the words are read all the same, because some servers answer 500 to a request that they can never serve.

import { accountFailure, OUT_OF_QUOTA, REFUSING_STATUSES, UpstreamFailure } from '#core/failure.ts'
import { retryAfterMs } from '#core/retry-after.ts'
import { judgementIn, type Judgement } from '#core/judgements.ts'
import type { ReadError } from '#dialect/dialect.ts'
import { overflowWords, readOverflow } from '#dialect/overflow.ts'
import { wordsOfBody } from '#dialect/provider-words.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { UpstreamHeaders } from '#pipeline/ports.ts'

/** The request was refused; what the provider said is for the client. */
export type Refused = {
  readonly type: 'refused'
  /** With which the provider refused it, or 400 where its words say that it did and its status does not. */
  readonly status: number
  readonly body: Buffer
  /** Whether the status was the provider's, so that its bytes may be passed on as they are. */
  readonly isVerbatim: boolean
  /** What of its words is known and may be kept; undefined where none is. */
  readonly words: string | undefined
}

export type ErrorInput = {
  readonly providerName: string
  readonly status: number
  readonly headers: UpstreamHeaders
  /** What a body of an error says beside its words; undefined for dialects whose status says it all. */
  readonly readError: ReadError | undefined
}

/** Statuses with which a provider judges the request, not itself or us. */
const PASSED_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422])
/** It says that a provider does not know the model, which another one may; words about the request say more. */
const UNKNOWN_STATUS = 404
/** Of these a bare text is a reason too. With 404 it mostly says that the path is not there. */
const TEXT_STATUSES: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])
/** Those whose words are about our account, or about when to come back. */
const SETTLED_STATUSES: ReadonlySet<number> = new Set([...REFUSING_STATUSES, 408, 429])
/** Its words may say that an account has nothing left. */
const TOO_MANY = 429
const BUSY_STATUSES: ReadonlySet<number> = new Set([503, 529])
const MAX_ERROR_BYTES = 1024 * 1024
/** What says whether a request is at fault says so in its first words. */
const MAX_WORDS_BYTES = 64 * 1024
/** For so many looks, a second apart, the words of a provider that says that it is at fault are waited for. */
const MAX_LOOKS = 3

export class ErrorAnswer {
  readonly #input: ErrorInput
  /** The status alone says what there is to say, and words can only say more. */
  readonly #isSettled: boolean
  readonly #chunks: Buffer[] = []
  #length = 0
  #looks = 0

  /** Throws UpstreamFailure where the status says it all. */
  constructor(input: ErrorInput) {
    const { status, headers, readError } = input
    this.#input = input
    this.#isSettled = !PASSED_STATUSES.has(status) && readError === undefined
    // Who says when to come back says nothing against the request.
    const isBusy = BUSY_STATUSES.has(status) && headers['retry-after'] !== undefined
    const isQuota = status === TOO_MANY && headers['retry-after'] === undefined
    if (this.#isSettled && (isBusy || !(mayJudge(status) || isQuota))) throw this.#ofStatus()
  }

  /** Throws UpstreamFailure for more than an error needs. */
  push(chunk: Buffer): void {
    this.#length += chunk.length
    if (this.#isSettled && this.#length > MAX_WORDS_BYTES) throw this.#ofStatus()
    if (this.#length > MAX_ERROR_BYTES) {
      throw new UpstreamFailure('too_large', 'The provider sent too large an error.')
    }
    this.#chunks.push(chunk)
  }

  /** Called every second. Throws UpstreamFailure when words that nothing depends on have been waited for long enough. */
  look(): void {
    this.#looks += 1
    if (this.#isSettled && this.#looks >= MAX_LOOKS) throw this.#ofStatus()
  }

  /** What a connection that broke in the middle of the words comes to. */
  broken(failure: UpstreamFailure): UpstreamFailure {
    return this.#isSettled ? this.#ofStatus() : failure
  }

  /** Throws UpstreamFailure for everything but a judgement of the request. */
  end(): Refused {
    const { providerName, readError } = this.#input
    const body = Buffer.concat(this.#chunks)
    const value = parseJson(body.toString('utf8'))
    const error = readError?.(value, this.#input.headers)
    const status = error?.status ?? this.#input.status
    const isPassed = PASSED_STATUSES.has(status)
    const said = isPassed || mayJudge(status) ? wordsOfBody(body.toString('utf8'), this.#contentType) : undefined
    const judgement = said === undefined ? undefined : judgementOf(said)
    if (judgement?.about === 'secret' && status === 400) throw accountFailure(providerName, status)
    const words = judgement?.about === 'request' ? judgement.words : undefined
    if (words !== undefined && (!isPassed || status === UNKNOWN_STATUS)) {
      return { type: 'refused', status: 400, body, isVerbatim: false, words }
    }
    if (!isPassed) {
      const code = status === TOO_MANY ? this.#quotaCode(body) : undefined
      throw this.#ofStatus(status, { ...error, code, isModelOutput: judgement?.about === 'output' })
    }
    const isReason = isRecord(value) || Array.isArray(value) || (said !== undefined && TEXT_STATUSES.has(status))
    // With its status: whatever a provider has against a request is no sign that it is sick.
    if (!isReason)
      throw new UpstreamFailure('malformed', `The provider answered ${status} without a reason.`, { status })
    return { type: 'refused', status, body, isVerbatim: true, words }
  }

  get #contentType(): string {
    const value = this.#input.headers['content-type']
    return (Array.isArray(value) ? (value[0] ?? '') : (value ?? '')).toLowerCase()
  }

  /** Some say with the words of 429 that an account has nothing left, which no patience changes. */
  #quotaCode(body: Buffer): string | undefined {
    const said = wordsOfBody(body.toString('utf8'), this.#contentType)
    return said?.code === OUT_OF_QUOTA || said?.type === OUT_OF_QUOTA ? OUT_OF_QUOTA : undefined
  }

  #ofStatus(status = this.#input.status, more: FailureDetails = {}): UpstreamFailure {
    const { providerName, headers } = this.#input
    const retryAfterSeconds = more.retryAfterSeconds ?? retryAfter(headers['retry-after'])
    return statusFailure(providerName, status, { ...more, retryAfterSeconds })
  }
}

/** A failure that was told inside an answer, with the status that its words deserve. */
export function judgedFailure(failure: UpstreamFailure): UpstreamFailure {
  if (failure.kind !== 'reported' || failure.status === 400) return failure
  if (failure.status === undefined || SETTLED_STATUSES.has(failure.status)) return failure
  const { message, code, status } = failure
  switch (judgementOf({ message, code })?.about) {
    case 'request':
      return new UpstreamFailure('reported', message, { status: 400, code })
    case 'output':
      return new UpstreamFailure('reported', message, { status, code, isModelOutput: true })
    default:
      return failure
  }
}

/** What of the words that a provider reported may be kept; undefined where nothing of them is known. */
export function keptWords({ message, code }: Pick<UpstreamFailure, 'message' | 'code'>): string | undefined {
  const judgement = judgementOf({ message, code })
  return judgement?.about === 'request' ? judgement.words : undefined
}

type Said = { readonly message: string; readonly code?: string | undefined; readonly type?: string | undefined }

function judgementOf({ message, code, type }: Said): Judgement | undefined {
  const overflow = readOverflow(message, [code, type])
  if (overflow !== undefined) return { about: 'request', words: overflowWords(overflow, message) }
  return judgementIn(message)
}

/** Whether words may show that a request is at fault where the status says that it is not. */
function mayJudge(status: number): boolean {
  return status >= 400 && !SETTLED_STATUSES.has(status)
}

type FailureDetails = {
  readonly retryAfterSeconds?: number | undefined
  readonly code?: string | undefined
  readonly isModelOutput?: boolean
}

function statusFailure(providerName: string, status: number, details: FailureDetails): UpstreamFailure {
  if (REFUSING_STATUSES.has(status)) return accountFailure(providerName, status)
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  return new UpstreamFailure('status', `The provider '${providerName}' answered ${status}.${redirect}`, {
    ...details,
    status,
  })
}

/** Retry-After in whole seconds, at least one; undefined where it says no time. */
function retryAfter(value: string | string[] | undefined): number | undefined {
  const waitMs = retryAfterMs(Array.isArray(value) ? value[0] : value, Date.now())
  return waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
}
