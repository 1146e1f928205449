// Each format is one operation in the words of the OpenTelemetry conventions, or the kind of its model where they have none.

import { expect, it } from 'vitest'
import { ENDPOINTS, operationOf } from '#dialect/dialects.ts'

const OPERATIONS: Readonly<Record<string, string>> = {
  chat: 'chat',
  messages: 'chat',
  responses: 'chat',
  gemini: 'generate_content',
  embeddings: 'embeddings',
  'gemini-embeddings': 'embeddings',
  completions: 'text_completion',
  moderations: 'moderation',
  rerank: 'rerank',
  images: 'image',
  'image-edits': 'image',
  'image-variations': 'image',
  speech: 'speech',
  transcriptions: 'transcription',
  translations: 'transcription',
}

it.each(ENDPOINTS.map(([name]) => name))('%s', (name) => {
  expect(operationOf(name)).toBe(OPERATIONS[name])
})
