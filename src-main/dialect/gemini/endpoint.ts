// What Google's endpoints have in common for their clients.

import type { Endpoint } from '#dialect/dialect.ts'
import { geminiErrorBody, geminiOverflowText } from '#dialect/gemini/errors.ts'

/** Google's SDKs ask below either version, and the AI SDK leaves out the collection where a name has a slash. */
export const BELOW = ['/v1beta', '/v1/models']

export const GEMINI_ENDPOINT: Omit<Endpoint, 'paths'> = {
  forwardedHeaders: /^x-goog-api-client$/,
  errorBody: geminiErrorBody,
  idHeaders: (requestId) => ({ 'x-request-id': requestId }),
  overflowText: geminiOverflowText,
  otherNames: (model) => [model.replace(/^models\//, '')],
}
