// Which key and which model a test request is sent with where nobody chose one, or what was chosen is gone.

import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import { packageOf } from '#renderer/data/key-list.ts'
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

/** The package of a key where it does not include every model. */
export function limitingPackage(
  key: KeyView | undefined,
  packages: readonly PackageView[] | undefined,
): PackageView | undefined {
  const found = key && packageOf(key, packages)
  return found?.models === 'all' ? undefined : found
}

/** What a key may ask for; everything where no package limits it. */
export function includedModels(limit: PackageView | undefined, models: readonly ModelView[]): readonly ModelView[] {
  return limit === undefined ? models : models.filter(({ id }) => limit.models.includes(id))
}

export function isFor(format: Format, model: ModelView): boolean {
  return model.enabled && model.kind === (isEmbedding(format) ? 'embedding' : 'chat')
}
