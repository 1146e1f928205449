// The endpoints whose calls are passed on as they come: one line for each.

import type { PassedName } from '#core/provider-dialect.ts'
import type { PassedDialect } from '#dialect/passed-dialect.ts'
import { COMPLETIONS } from '#dialect/passed/completions.ts'
import { IMAGE_EDITS, IMAGE_VARIATIONS, IMAGES } from '#dialect/passed/images.ts'
import { MODERATIONS } from '#dialect/passed/moderations.ts'
import { RERANK } from '#dialect/passed/rerank.ts'
import { SPEECH } from '#dialect/passed/speech.ts'
import { TRANSCRIPTIONS, TRANSLATIONS } from '#dialect/passed/transcriptions.ts'

/** By the names of `contract/dialects.ts`. */
export const PASSED_ROUTES = {
  completions: COMPLETIONS,
  moderations: MODERATIONS,
  rerank: RERANK,
  images: IMAGES,
  'image-edits': IMAGE_EDITS,
  'image-variations': IMAGE_VARIATIONS,
  speech: SPEECH,
  transcriptions: TRANSCRIPTIONS,
  translations: TRANSLATIONS,
} as const satisfies Readonly<Record<PassedName, PassedDialect>>
