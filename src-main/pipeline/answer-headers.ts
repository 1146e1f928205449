// The headers of an answer that comes from a provider, besides those of every answer.

import type { AttemptNote } from '#pipeline/settle.ts'
import type { Headers, UpstreamHeaders } from '#pipeline/ports.ts'

export type AnswerHeaderInput = {
  readonly isStream: boolean
  /** The media type of a stream that is not one of events. */
  readonly streamType?: string | undefined
  /** The media types of an answer that is neither JSON nor events, which its provider chooses. */
  readonly mediaTypes?: RegExp | undefined
  /** Whether the provider's answer is passed on as it is. */
  readonly isPassed: boolean
  readonly adjusted: string | undefined
  readonly dropped: readonly string[]
  /** The attempts that came before the one that answers. */
  readonly failed: readonly AttemptNote[]
}

/** Headers of providers that say something about the answer and nothing about our account there. */
const PASSED_HEADERS = ['openai-processing-ms', 'openai-version']

export function answerHeaders(input: AnswerHeaderInput, upstream: UpstreamHeaders): Headers {
  const headers: Record<string, string> = {
    'content-type': contentType(input, upstream),
    'x-farebox-attempts': attemptList(input.failed, ANSWERED),
  }
  if (input.isStream) {
    headers['cache-control'] = 'no-cache, no-transform'
    headers['x-accel-buffering'] = 'no'
  }
  if (input.adjusted !== undefined) headers['x-farebox-adjusted'] = input.adjusted
  if (input.dropped.length > 0) headers['x-farebox-dropped'] = headerList(input.dropped)
  if (!input.isPassed) return headers
  for (const name of PASSED_HEADERS) {
    const value = upstream[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

function contentType({ isStream, streamType, mediaTypes }: AnswerHeaderInput, upstream: UpstreamHeaders): string {
  const given = upstream['content-type']
  if (mediaTypes !== undefined && typeof given === 'string') return given
  return isStream ? (streamType ?? 'text/event-stream; charset=utf-8') : 'application/json'
}

/** What became of a request that was not answered, for its error. */
export function attemptHeaders(notes: readonly AttemptNote[]): Headers {
  return notes.length === 0 ? {} : { 'x-farebox-attempts': attemptList(notes, undefined) }
}

const ANSWERED = 'answered'

/** Such as `failed;status=503, answered`. It names no provider: those are nobody's business but the administrator's. */
function attemptList(notes: readonly AttemptNote[], last: string | undefined): string {
  if (notes.length === 0) return last ?? ''
  const words = notes.map(({ outcome, status }) => (status === null ? outcome : `${outcome};status=${status}`))
  return (last === undefined ? words : [...words, last]).join(', ')
}

const MAX_HEADER_LENGTH = 2000

/** Names in a header: as many as fit, without the characters that a header must not have. */
function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replaceAll(/[^\x21-\x7e]+/g, '_').replaceAll(',', '_'))
    .join(', ')
    .slice(0, MAX_HEADER_LENGTH)
}
