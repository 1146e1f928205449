import { useTranslation } from 'react-i18next'
import type { ToolView } from '#contract/tools.ts'
import { Status } from '#renderer/components/badge.tsx'

const TONES = { none: 'calm', waiting: 'waiting', connected: 'live', keyless: 'lost', unfinished: 'low' } as const

export function ToolState({ tool: { state, ways } }: { readonly tool: ToolView }) {
  const { t } = useTranslation('tools')
  if (state === 'none') {
    return <span className="text-muted">{t(ways.length === 0 ? 'impossible' : 'state.none')}</span>
  }
  return <Status tone={TONES[state]}>{t(`state.${state}`)}</Status>
}
