// Test requests in the formats that clients speak: what is sent, out of a few fields.

import type { CLIENT_FORMATS } from '#contract/dialects.ts'
import type { TryBody } from '#contract/reports.ts'

export type Format = (typeof CLIENT_FORMATS)[number]

/** Where a client would send it. */
export const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/{model}:generateContent',
  embeddings: '/v1/embeddings',
  'gemini-embeddings': '/v1beta/models/{model}:embedContent',
} as const satisfies Record<Format, string>

/** Whether a format asks for embeddings, which models of another kind make. */
export function isEmbedding(format: Format): boolean {
  return format === 'embeddings' || format === 'gemini-embeddings'
}

export type RequestFields = {
  readonly format: Format
  readonly model: string
  readonly prompt: string
  readonly isStream: boolean
  /** In tokens. */
  readonly outputCap: number
}

export function requestOf({ format, model, prompt, isStream, outputCap }: RequestFields): TryBody['request'] {
  const messages = [{ role: 'user', content: prompt }]
  const stream = isStream ? { stream: true } : {}
  switch (format) {
    case 'chat':
      return {
        model,
        messages,
        max_tokens: outputCap,
        ...stream,
        ...(isStream ? { stream_options: { include_usage: true } } : {}),
      }
    case 'messages':
      return { model, max_tokens: outputCap, messages, ...stream }
    case 'responses':
      return { model, input: prompt, max_output_tokens: outputCap, ...stream }
    case 'gemini': {
      const contents = [{ role: 'user', parts: [{ text: prompt }] }]
      return { model, contents, generationConfig: { maxOutputTokens: outputCap }, ...stream }
    }
    case 'embeddings':
      return { model, input: prompt }
    case 'gemini-embeddings':
      return { model, content: { parts: [{ text: prompt }] } }
  }
}

/** What was typed as JSON; undefined for what is no object. */
export function readRequest(text: string): TryBody['request'] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // Somebody is still typing; the field says that this is no JSON object yet.
    return undefined
  }
}

function isObject(value: unknown): value is TryBody['request'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
