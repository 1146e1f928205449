import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { PresetForm } from '#renderer/pages/first-run/PresetForm.tsx'
import { PresetModels } from '#renderer/pages/first-run/PresetModels.tsx'

type PresetPanelProps = { readonly providers: readonly ProviderView[]; readonly onDone: () => void }

/** First the provider and its secret, then which of its models to serve. */
export function PresetPanel({ providers, onDone }: PresetPanelProps) {
  const { t } = useTranslation('first-run')
  const presets = useApi('listPresets', {})
  const [tested, setTested] = useState<string>()
  if (tested !== undefined)
    return <PresetModels provider={tested} onBack={() => setTested(undefined)} onDone={onDone} />
  if (presets.data === undefined) {
    if (!presets.isError) return <Loading lines={4} />
    return (
      <ErrorState title={t('preset.failed')} onRetry={() => void presets.refetch()}>
        {presets.error.message}
      </ErrorState>
    )
  }
  return <PresetForm presets={presets.data} names={providers.map(({ name }) => name)} onTested={setTested} />
}
