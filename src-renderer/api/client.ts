// Calls the admin API. Where an action is comes from the contract's plain table and what it takes from the contract's types, so
// that a change there is a type error here.

import { addressOf } from '#contract/admin-address.ts'
import type { CallInput, ResponseBody } from '#contract/admin-api.ts'
import { ADMIN_ROUTES, ADMIN_STREAMS, type AdminAction, type Route } from '#contract/admin-routes.ts'
import { forgetSessionToken, sessionToken } from '#renderer/api/session-token.ts'
import { NO_ANSWER } from '#renderer/data/again.ts'

/** An answer that is not 2xx, in the words of the server; status 0 where none came. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The HTTP status as the body says it, or a word of ours. */
  readonly code: string
  /** The field that it is about. */
  readonly param: string | undefined
  /** After how many seconds it is worth trying again, where the server says so. */
  readonly retryAfterS: number | undefined

  constructor(status: number, code: string, message: string, more: { param?: string; retryAfterS?: number } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.param = more.param
    this.retryAfterS = more.retryAfterS
  }
}

/** For what is read: it is in the books of one machine, so that whoever has not answered by then will not. */
export const READ_LIMIT_MS = 60_000

/** `id` is an id or a name. Whatever was not answered whole within `limitMs` was not answered; without it nothing ends the waiting. */
export type CallOptions<Action extends AdminAction> = CallInput<Action> & {
  readonly signal?: AbortSignal
  readonly limitMs?: number
}

/** Options may be left out where the action needs none. */
export type CallArguments<Action extends AdminAction> =
  Record<never, never> extends CallOptions<Action> ? [options?: CallOptions<Action>] : [options: CallOptions<Action>]

type LooseOptions = {
  readonly id?: string | undefined
  readonly query?: object | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly limitMs?: number
}

/** Throws an ApiError for every answer that is not 2xx or breaks off; after a 401 the session is forgotten and the sign-in page asked for. */
export async function callApi<Action extends AdminAction>(
  action: Action,
  ...[options]: CallArguments<Action>
): Promise<ResponseBody<Action>> {
  const { method, path, access }: Route = ADMIN_ROUTES[action]
  const { limitMs, ...rest }: LooseOptions = options ?? {}
  const limit = limited(rest.signal, limitMs)
  try {
    const response = await send(method, path, { ...rest, ...limit.ends }, access !== 'public')
    return (await response.json()) as ResponseBody<Action>
  } catch (cause) {
    if (cause instanceof ApiError || rest.signal?.aborted === true) throw cause
    throw limit.isReached() ? new ApiError(0, 'too_late', NO_ANSWER) : new ApiError(0, 'no_answer', NO_ANSWER)
  } finally {
    limit.clear()
  }
}

function limited(signal: AbortSignal | undefined, limitMs: number | undefined) {
  if (limitMs === undefined)
    return { ends: signal === undefined ? {} : { signal }, isReached: () => false, clear: () => undefined }
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), limitMs)
  return {
    ends: { signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]) },
    isReached: () => controller.signal.aborted,
    clear: () => clearTimeout(timer),
  }
}

type StreamOptions = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Starts an action whose answer is a stream; the answer is 2xx. */
export function openStream(stream: keyof typeof ADMIN_STREAMS, options: StreamOptions): Promise<Response> {
  const { method, path } = ADMIN_STREAMS[stream]
  return send(method, path, options, true)
}

/**
 * Starts an action that hands on the answer to another request, whatever its status is. Throws an ApiError where there is no
 * answer, or no session any more.
 */
export async function openAnswer(stream: keyof typeof ADMIN_STREAMS, options: StreamOptions): Promise<Response> {
  const { method, path } = ADMIN_STREAMS[stream]
  const response = await request(method, path, options)
  // A key that was revoked is answered with 401 too; only the session itself tells whether it is still there.
  if (response.status === 401) await callApi('showSession', { signal: options.signal })
  return response
}

let whenSignedOut: () => void = () => undefined

/** What to do when the server does not know the session any more. */
export function onSignedOut(handler: () => void): void {
  whenSignedOut = handler
}

type SendOptions = LooseOptions & { readonly headers?: Readonly<Record<string, string>> }

async function send(method: string, path: string, options: SendOptions, needsSession: boolean): Promise<Response> {
  const token = sessionToken()
  const response = await request(method, path, options)
  if (response.ok) return response
  const error = errorOf(response, await response.text())
  if (response.status === 401 && needsSession && token === sessionToken()) {
    forgetSessionToken()
    whenSignedOut()
  }
  throw error
}

async function request(method: string, path: string, options: SendOptions): Promise<Response> {
  const token = sessionToken()
  const { body, signal } = options
  const address = addressOf(path, options.id, options.query)
  if (address === undefined) throw new ApiError(404, '404', 'Nothing can be reached by a name of only dots.')
  return fetch(address, {
    method,
    headers: {
      ...options.headers,
      ...(token === undefined ? {} : { 'x-farebox-session': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    cache: 'no-store',
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    throw new ApiError(0, 'no_answer', NO_ANSWER)
  })
}

function errorOf(response: Response, text: string): ApiError {
  const { message, code, param } = errorMembers(text)
  const { status } = response
  const retryAfterS = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(
    status,
    typeof code === 'number' || typeof code === 'string' ? String(code) : String(status),
    typeof message === 'string' ? message : `Farebox answered with status ${status}.`,
    {
      ...(typeof param === 'string' ? { param } : {}),
      ...(Number.isFinite(retryAfterS) && retryAfterS > 0 ? { retryAfterS } : {}),
    },
  )
}

function errorMembers(text: string): { readonly message?: unknown; readonly code?: unknown; readonly param?: unknown } {
  try {
    const body: unknown = JSON.parse(text)
    const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
    return typeof error === 'object' && error !== null ? error : {}
  } catch {
    // Something between us and Farebox answered; its status says enough.
    return {}
  }
}
