// What OpenAI's endpoints have in common for their clients, and what everybody else reads of an error: the contract's own shape.

import type { ClientDialect } from '#dialect/dialect.ts'
import { errorBody } from '#dialect/errors.ts'
import { openAiOverflowText } from '#dialect/overflow.ts'

type OpenAiEndpoint = Pick<
  ClientDialect,
  'paths' | 'path' | 'forwardedHeaders' | 'errorBody' | 'idHeaders' | 'overflowText'
>

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
