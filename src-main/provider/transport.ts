// Sends requests to providers over HTTP: no redirects followed, no answer decompressed, every wait limited. The provider's
// secret is added here, and taken out of whatever the provider answers: nobody behind this sees it.

import type { Dispatcher, Pool } from 'undici'
import type { Provider } from '#core/entities.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { HOP_HEADER } from '#core/provider-headers.ts'
import { unreadableSecret } from '#core/secret-failure.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { Transport, UpstreamCall, UpstreamListener, UpstreamRequest } from '#pipeline/ports.ts'
import {
  givenHeaders,
  presentToken,
  proofOf,
  readCredentialsOf,
  type NewTokens,
  type Proof,
} from '#provider/authentication.ts'
import type { EventStreamText } from '#provider/aws-event-stream.ts'
import type { ProviderClocks } from '#provider/clocks.ts'
import type { Connections } from '#provider/connections.ts'
import { AddressError } from '#provider/guarded-connector.ts'
import { bodyOf, isLong, settle, type Body } from '#provider/long-text.ts'
import type { RedactedBody } from '#provider/redacted-body.ts'
import { redactionFor, type Redaction } from '#provider/redaction.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type TransportOptions = {
  readonly secrets: Pick<SecretKeeper, 'get' | 'known'>
  readonly connections: Connections
  readonly newTokens: NewTokens
  readonly clocks: Pick<ProviderClocks, 'note'>
  readonly userAgent: string
}

type RequestHeaders = Readonly<Record<string, string>>
type Origin = {
  readonly pool: Pool
  readonly pathPrefix: string
  /** What a client's own headers take the place of. */
  readonly headers: RequestHeaders
  /** What an administrator gave the provider, which no client changes. */
  readonly given: RequestHeaders
  /** What proves each request anew; undefined for providers that are always shown the same. */
  readonly proof: ProofEachTime | undefined
  /** How binary streams are read; undefined for providers that have none. */
  readonly frames: Frames | undefined
}
type ProofEachTime = Exclude<Proof, { readonly type: 'header' }>
/** Loaded with the first provider that needs it. */
type Frames = { readonly newFrames: () => EventStreamText; readonly mediaType: string }

export class HttpTransport implements Transport {
  readonly #options: TransportOptions
  /** A provider that is changed in any way is another object, so that a new secret or address is never missed. */
  readonly #origins = new WeakMap<Provider, Origin>()
  /** Calls that come at once open it once. */
  readonly #opening = new WeakMap<Provider, Promise<Origin>>()

  constructor(options: TransportOptions) {
    this.#options = options
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamCall {
    const { provider } = request
    const redaction = () => redactionFor(this.#options.secrets.known(provider.id))
    const attempt = new Attempt({
      providerName: provider.name,
      listener,
      redaction,
      noteClock: (headers) => this.#options.clocks.note(provider, headers),
    })
    const origin = this.#origins.get(provider)
    // A pool is closed when its provider is changed; a request that was under way by then opens another one.
    const isReady = origin !== undefined && !origin.pool.closed && origin.proof === undefined
    if (!isReady || isLong(sentBody(request))) void this.#openAndDispatch(request, attempt)
    else dispatch(origin, request, { attempt })
    return attempt
  }

  async #openAndDispatch(request: UpstreamRequest, attempt: Attempt): Promise<void> {
    try {
      const body = sentBody(request)
      if (isLong(body)) await settle(body)
      const known = this.#origins.get(request.provider)
      const origin = known?.pool.closed === false ? known : await this.#opened(request.provider)
      const proved = origin.proof === undefined ? {} : await prove(request, origin.proof)
      dispatch(origin, request, { attempt, ...proved })
    } catch (error) {
      if (error instanceof UpstreamFailure) return attempt.fail(error)
      // The store's own message could name a path or a reference; the kind of trouble is enough here.
      attempt.fail(new UpstreamFailure('secret', unreadableSecret(request.provider.name, error)))
    }
  }

  #opened(provider: Provider): Promise<Origin> {
    const opening = this.#opening.get(provider) ?? this.#open(provider).finally(() => this.#opening.delete(provider))
    this.#opening.set(provider, opening)
    return opening
  }

  async #open(provider: Provider): Promise<Origin> {
    const { pathname } = new URL(provider.baseUrl)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      'user-agent': this.#options.userAgent,
      ...dialectOf(provider).headers,
    }
    const credentials = await readCredentialsOf(provider, this.#options.secrets)
    if (credentials === undefined)
      throw new UpstreamFailure('secret', `The secret of '${provider.name}' is not there any more.`)
    const { secret } = credentials
    const proof = secret === undefined ? undefined : await proofOf(provider, secret, this.#options.newTokens)
    if (proof?.type === 'header') Object.assign(headers, proof.headers)
    const origin = {
      pool: this.#options.connections.pool(provider),
      pathPrefix: pathname.replace(/(?<!\/)\/+$/, ''),
      headers,
      given: givenHeaders(provider, credentials),
      proof: proof?.type === 'header' ? undefined : proof,
      frames: dialectOf(provider).signing === undefined ? undefined : await loadFrames(),
    }
    this.#origins.set(provider, origin)
    return origin
  }
}

async function loadFrames(): Promise<Frames> {
  const { EventStreamText, EVENT_STREAM } = await import('#provider/aws-event-stream.ts')
  return { newFrames: () => new EventStreamText(), mediaType: EVENT_STREAM }
}

async function prove(request: UpstreamRequest, proof: ProofEachTime): Promise<Proved> {
  if (proof.type === 'token') {
    const token = await proof.tokens.current()
    return { proved: presentToken(token), onUnauthorized: () => proof.tokens.refused(token) }
  }
  const { provider, path } = request
  const url = new URL(provider.baseUrl.replace(/(?<!\/)\/+$/, '') + path)
  return { proved: await proof.sign({ method: 'POST', url, body: sentBody(request) }) }
}

function sentBody({ upload, body }: UpstreamRequest): Body {
  return upload ?? body
}

type Proved = { readonly proved?: RequestHeaders; readonly onUnauthorized?: () => void }

function dispatch(
  origin: Origin,
  request: UpstreamRequest,
  { attempt, proved, onUnauthorized }: Proved & { readonly attempt: Attempt },
): void {
  if (attempt.isOver) return
  attempt.framing = origin.frames
  attempt.onUnauthorized = onUnauthorized
  const { body, headers } = bodyOf(sentBody(request))
  const hops = request.hops === undefined ? undefined : { [HOP_HEADER]: request.hops }
  origin.pool.dispatch(
    {
      method: 'POST',
      path: origin.pathPrefix + request.path,
      headers: { ...origin.headers, ...request.headers, ...origin.given, ...headers, ...proved, ...hops },
      body,
    },
    attempt,
  )
}

type AttemptInput = {
  readonly providerName: string
  readonly listener: UpstreamListener
  /** Asked when the answer begins: by then the secret is known that was sent. */
  readonly redaction: () => Redaction | undefined
  readonly noteClock: (headers: Record<string, string | string[] | undefined>) => void
}

/** One request on its way. undici tells it what happens; it tells the listener until it is over. */
class Attempt implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #input: AttemptInput
  readonly #listener: UpstreamListener
  #controller: Dispatcher.DispatchController | undefined
  #body: RedactedBody | undefined
  #frames: EventStreamText | undefined
  framing: Frames | undefined
  /** Called when the provider does not take what proved the request. */
  onUnauthorized: (() => void) | undefined
  isOver = false

  constructor(input: AttemptInput) {
    this.#input = input
    this.#listener = input.listener
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.isOver) this.#controller?.resume()
  }

  abort(): void {
    if (this.isOver) return
    this.isOver = true
    this.#controller?.abort(new UpstreamFailure('aborted', 'stopped by Farebox'))
  }

  fail(failure: UpstreamFailure): void {
    if (this.isOver) return
    this.isOver = true
    this.#listener.onFailure(failure)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.isOver) controller.abort(new UpstreamFailure('aborted', 'stopped by Farebox'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.isOver || status < 200) return
    if (status === 401) this.onUnauthorized?.()
    this.#input.noteClock(headers)
    const redaction = this.#input.redaction()
    this.#body = redaction?.body(status >= 300)
    const told = this.#unframed(headers)
    this.#listener.onHead(status, redaction?.headers(told) ?? told)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return
    const bytes = this.#frames === undefined ? chunk : this.#frames.push(chunk)
    this.#pass(this.#body === undefined ? bytes : this.#body.push(bytes))
    const failure = this.#frames?.failure
    if (failure === undefined || this.isOver) return
    this.fail(failure)
    this.#controller?.abort(failure)
  }

  /** The head of an answer in frames, as the event stream that is made of them. */
  #unframed(headers: Record<string, string | string[] | undefined>): Record<string, string | string[] | undefined> {
    if (this.framing === undefined) return headers
    const type = String(headers['content-type'] ?? '').toLowerCase()
    if (!type.startsWith(this.framing.mediaType)) return headers
    this.#frames = this.framing.newFrames()
    return { ...headers, 'content-type': 'text/event-stream' }
  }

  onResponseEnd(): void {
    this.#passHeld()
    if (this.isOver) return
    this.isOver = true
    this.#listener.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#passHeld()
    this.fail(failureOf(error, this.#input.providerName))
  }

  #passHeld(): void {
    if (!this.isOver) this.#pass(this.#body?.end())
  }

  #pass(bytes: Buffer | undefined): void {
    if (bytes !== undefined) this.#listener.onData(bytes)
  }
}

/** Kinds of trouble by the code that undici, Node or OpenSSL gives the error. */
function failureOf(error: Error, providerName: string): UpstreamFailure {
  if (error instanceof AddressError) {
    return new UpstreamFailure('address', `The base URL of the provider '${providerName}' ${error.message}.`)
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return new UpstreamFailure('timeout', `The provider '${providerName}' did not begin to answer in time.`)
    case 'UND_ERR_BODY_TIMEOUT':
      return new UpstreamFailure('timeout', `The provider '${providerName}' stopped in the middle of its answer.`)
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return new UpstreamFailure('timeout', `The provider '${providerName}' could not be reached in time.`)
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return new UpstreamFailure('connect', `The provider '${providerName}' could not be reached (${code}).`)
    default:
      return new UpstreamFailure('closed', `The connection to the provider '${providerName}' broke (${code}).`)
  }
}
