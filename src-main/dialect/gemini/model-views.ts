// The list of models as Gemini's clients read it.

import type { Model } from '#core/entities.ts'
import type { ModelViews } from '#dialect/model-views.ts'
import { modelAbilities } from '#dialect/model-abilities.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What may be asked of a model, by its kind. */
const METHODS: Readonly<Partial<Record<Model['kind'], readonly string[]>>> = {
  chat: ['generateContent', 'countTokens'],
  embedding: ['embedContent', 'batchEmbedContents'],
}

export const GEMINI_KEY_HEADER = 'x-goog-api-key'

export const GEMINI_MODELS: ModelViews = {
  path: '/v1beta/models',
  isFor: ({ headers }) => headers[GEMINI_KEY_HEADER] !== undefined,
  // On one page, whatever size of pages is asked for: without a token nobody asks for a second one.
  list: (models) => ({ models: models.map(modelView) }),
  show: modelView,
}

function modelView(model: Model): JsonObject {
  const { id, kind, displayName, contextWindow, maxOutputTokens } = model
  const efforts = kind === 'chat' ? modelAbilities(model)?.efforts : undefined
  return {
    name: `models/${id}`,
    version: '001',
    displayName,
    ...(contextWindow > 0 ? { inputTokenLimit: contextWindow } : {}),
    ...(maxOutputTokens > 0 ? { outputTokenLimit: maxOutputTokens } : {}),
    supportedGenerationMethods: METHODS[kind] ?? [],
    ...(efforts === undefined ? {} : { thinking: efforts.length > 0 }),
  }
}
