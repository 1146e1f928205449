// Which key and which model a test request is sent with where nobody chose one, or what was chosen is gone.

import type { KeyView, ModelView } from '#contract/schemas.ts'
import { isEmbedding, type Format } from '#renderer/data/try-request.ts'

/** By id or name; else the first that works. */
export function keyOf(keys: readonly KeyView[], chosen: string | undefined): KeyView | undefined {
  return (
    keys.find(({ id, name }) => id === chosen || name === chosen) ??
    keys.find(({ status }) => status === 'active') ??
    keys[0]
  )
}

export function modelOf(models: readonly ModelView[], format: Format, chosen: string | undefined): string | undefined {
  const fitting = models.filter((model) => isFor(format, model))
  return (fitting.find(({ id }) => id === chosen) ?? fitting[0])?.id
}

export function isFor(format: Format, model: ModelView): boolean {
  return model.enabled && model.kind === (isEmbedding(format) ? 'embedding' : 'chat')
}
