import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import { Status, type Tone } from '#renderer/components/badge.tsx'

const TONES = {
  none: 'calm',
  stored: 'live',
  locked: 'low',
  missing: 'lost',
} as const satisfies Record<ProviderView['secret_state'], Tone>

export function SecretMark({ provider: { secret_state: state } }: { readonly provider: ProviderView }) {
  const { t } = useTranslation('providers')
  return <Status tone={TONES[state]}>{t(`secretState.${state}`)}</Status>
}
