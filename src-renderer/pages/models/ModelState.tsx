import { MODEL_KINDS } from '#contract/dialects.ts'
import { useTranslation } from 'react-i18next'
import type { ModelView } from '#contract/schemas.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'
import { stateOf, type ModelState } from '#renderer/data/model-list.ts'

const TONES = { enabled: 'live', disabled: 'calm', unpriced: 'low' } as const satisfies Record<ModelState, Tone>

export function ModelStatus({ model }: { readonly model: ModelView }) {
  const { t } = useTranslation('models')
  const state = stateOf(model)
  return <Status tone={TONES[state]}>{t(`state.${state}`)}</Status>
}

export function ModelKind({ kind }: { readonly kind: string }) {
  const { t } = useTranslation('models')
  const known = MODEL_KINDS.find((one) => one === kind)
  return known === undefined ? kind : t(`kind.${known}`)
}
