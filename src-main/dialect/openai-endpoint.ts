// What OpenAI's endpoints have in common for their clients, and what everybody else reads of an error: the contract's own shape.

import type { RouteFamily } from '#core/quirks.ts'
import type { Endpoint } from '#dialect/dialect.ts'
import { errorBody } from '#dialect/errors.ts'
import { openAiOverflowText } from '#dialect/overflow.ts'

type OpenAiEndpoint = Pick<Endpoint, 'paths' | 'forwardedHeaders' | 'errorBody' | 'idHeaders' | 'overflowText'> & {
  readonly path: string
}

/**
 * What a provider of OpenAI's dialects is taken to have beside conversations until something else is known: which of it a server
 * copied differs, and what is not there it refuses itself.
 */
export const OPENAI_ROUTES: readonly RouteFamily[] = [
  'completions',
  'moderations',
  'rerank',
  'images',
  'speech',
  'transcriptions',
]

/** The endpoint at a path below the base URL. Many tools have a base URL without the version. */
export function openAiEndpoint(path: string): OpenAiEndpoint {
  return {
    paths: [`/v1${path}`, path],
    path,
    forwardedHeaders: /^openai-beta$/,
    errorBody,
    idHeaders: (requestId) => ({ 'x-request-id': requestId }),
    overflowText: openAiOverflowText,
  }
}
