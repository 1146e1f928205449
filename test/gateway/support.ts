// What the gateway's tests have in common: a Farebox beside a scripted provider, calls as a client makes them, and the
// contract's error object as one assertion.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { PackageCreate, UsageView } from '#contract/schemas.ts'
import { setUpUpstream, startFarebox, type Farebox, type FareboxOptions } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

export type Pair = { readonly farebox: Farebox; readonly upstream: Upstream; close(): Promise<void> }

export type PairOptions = FareboxOptions & { readonly packages?: readonly PackageCreate[] }

/** Farebox with a provider named `upstream`, the models `chat` and `embed`, and a package named `plenty` unless told. */
export async function startPair({ packages, ...options }: PairOptions = {}): Promise<Pair> {
  const upstream = await startUpstream()
  const farebox = await startFarebox(options)
  await setUpUpstream(farebox, upstream.url, packages)
  const close = async () => {
    await farebox.close()
    await upstream.close()
  }
  return { farebox, upstream, close }
}

/** Begins the thread that estimates, which takes a second the first time; for tests that measure how long something takes. */
export async function warmUp({ farebox }: Pick<Pair, 'farebox'>, model = 'chat'): Promise<void> {
  const key = await farebox.newKey('plenty')
  const response = await post(farebox, { model, messages: HELLO }, { key, path: '/v1/messages/count_tokens' })
  await response.text()
}

export const CHAT_PATH = '/v1/chat/completions'
export const HELLO = [{ role: 'user', content: 'Hello' }] as const
/** 19 input tokens at 1 and 10 output tokens at 2 credits per million: what an ordinary answer costs. */
export const ORDINARY_CHARGE = 0.000039

export type CallOptions = {
  readonly path?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Posts a body: an object as JSON, text and bytes as they are. */
export function post(
  farebox: Pick<Farebox, 'url'>,
  body: object | string,
  options: CallOptions = {},
): Promise<Response> {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array
  return fetch(farebox.url + (options.path ?? CHAT_PATH), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(options.key), ...options.headers },
    body: isPlain ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

export function chat(farebox: Farebox, key: string, members: object = {}, options: CallOptions = {}) {
  return post(farebox, { model: 'chat', messages: HELLO, ...members }, { key, ...options })
}

export function get(farebox: Farebox, path: string, key?: string): Promise<Response> {
  return fetch(farebox.url + path, { headers: bearer(key) })
}

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

/** Type of the error that each status comes with. */
export const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'insufficient_credits',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  424: 'upstream_error',
  502: 'upstream_error',
  503: 'overloaded_error',
  504: 'upstream_timeout',
} as const

export type ErrorStatus = keyof typeof ERROR_TYPES

/** Holds an answer against the contract's error object: these members, `extra` ones, and no others. */
export async function expectError(response: Response, status: ErrorStatus, extra: object = {}): Promise<string> {
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} \\{`))
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const requestId = response.headers.get('x-request-id')
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  const error = errorObject(status, { request_id: requestId, ...extra })
  expect(JSON.parse(text)).toEqual({ error })
  return (JSON.parse(text) as { error: { message: string } }).error.message
}

export function errorObject(status: ErrorStatus, extra: object = {}): object {
  return {
    message: expect.stringMatching(/\S.*\.$/),
    type: ERROR_TYPES[status],
    code: status,
    request_id: expect.any(String),
    ...extra,
  }
}

/** The data of each event of a stream, in order; comments are left out. */
export function eventData(stream: string): string[] {
  return stream
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) => /^data: ?(.*)$/m.exec(event)?.[1])
    .filter((data) => data !== undefined)
}

/** The chunks of a chat stream, without `[DONE]`. */
export function chunksOf(stream: string): Record<string, unknown>[] {
  return eventData(stream)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Record<string, unknown>)
}

export type RawAnswer = { readonly status: number; readonly headers: Headers; readonly body: string }

/** Sends bytes as they are and reads until the connection ends; status 0 when nothing was answered. */
export async function sendRaw(
  farebox: Farebox,
  request: string | Buffer,
  { end = false }: { readonly end?: boolean } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(farebox.url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // A refusal may close the connection while this side still writes; what was answered before that counts.
  socket.on('error', () => {})
  socket.write(request)
  if (end) socket.end()
  await new Promise((resolve) => socket.once('close', resolve))
  return parseAnswer(Buffer.concat(chunks).toString('utf8'))
}

/** The text of a request that closes its connection. `host` is Farebox's own unless the lines name one. */
export function rawText(farebox: Farebox, first: string, lines: readonly string[] = [], body = ''): string {
  const { host } = new URL(farebox.url)
  const hasHost = lines.some((line) => /^host:/i.test(line))
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const head = [first, ...(hasHost ? [] : [`host: ${host}`]), 'connection: close', ...lines, ...length]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, Math.max(0, end)).split('\r\n')
  const headers = new Headers()
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0), headers, body: text.slice(end + 4) }
}

/** A raw answer as `fetch` would show it. */
export function asResponse({ status, headers, body }: RawAnswer): Response {
  return new Response(body, { status, headers })
}

/** Usage records, newest first; of one key when its id or name is given. */
export async function usageOf(farebox: Farebox, key?: string): Promise<UsageView[]> {
  return (await farebox.admin.call('usage', { query: key === undefined ? {} : { key } })).usage
}

/** Waits for something that has no event to wait for. */
export function soon(check: () => unknown): Promise<void> {
  return expect.poll(check).toBeTruthy()
}

/** Resolves when the head of the next request has reached Farebox. */
export function requestArrives(farebox: Farebox): Promise<void> {
  const port = Number(new URL(farebox.url).port)
  return new Promise((resolve) => {
    const note = (message: unknown) => {
      if ((message as { socket: Socket }).socket.localPort !== port) return
      unsubscribe('http.server.request.start', note)
      resolve()
    }
    subscribe('http.server.request.start', note)
  })
}

export type ManualClock = {
  nowMs(): number
  monotonicMs(): number
  advance(ms: number): void
  /** Makes one look at the wall clock throw, as a mistake of ours would: the n-th that the next request makes, the one for its id first. */
  failAt(look: number): void
}

/** A wall clock that stands still until it is told to go on. Durations are real. */
export function manualClock(iso: string): ManualClock {
  let nowMs = Date.parse(iso)
  let looksLeft = 0
  let hasBegun = false
  return {
    nowMs: () => {
      if (looksLeft > 0 && isOfRequest(hasBegun)) {
        hasBegun = true
        looksLeft -= 1
        if (looksLeft === 0) throw new RangeError('a secret detail')
      }
      return nowMs
    },
    monotonicMs: () => performance.now(),
    advance: (ms) => void (nowMs += ms),
    failAt: (look) => {
      looksLeft = look
      hasBegun = false
    },
  }
}

/** Timers look at the clock as well, and calls that are being settled. A request begins with its id. */
function isOfRequest(hasBegun: boolean): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  const { stack = '' } = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return hasBegun ? !/listOnTimeout|processTimers/.test(stack) : /getGenReqId|StraightCalls.take/.test(stack)
}
