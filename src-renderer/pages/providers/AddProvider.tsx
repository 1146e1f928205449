// Adds a provider: first which, then what has to be said about it.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Preset } from '#contract/presets.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Dialog } from '#renderer/components/dialog.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { PresetForm } from '#renderer/pages/providers/PresetForm.tsx'
import { PresetList } from '#renderer/pages/providers/PresetList.tsx'

type AddProviderProps = {
  /** Names that are taken. */
  readonly taken: readonly string[]
  readonly onClose: () => void
  readonly onAdded: (id: string) => void
}

export function AddProvider({ taken, onClose, onAdded }: AddProviderProps) {
  const { t } = useTranslation('providers')
  const [preset, setPreset] = useState<Preset>()
  const presets = useApi('listPresets', {})
  if (preset !== undefined) {
    return (
      <PresetForm
        preset={preset}
        taken={taken}
        onClose={onClose}
        onBack={() => setPreset(undefined)}
        onAdded={onAdded}
      />
    )
  }
  return (
    <Dialog isOpen onOpenChange={onClose} title={t('add.action')} description={t('add.which')} className="max-w-2xl">
      {presets.data !== undefined && <PresetList presets={presets.data} onChoose={setPreset} />}
      {presets.data === undefined && !presets.isError && <Loading lines={6} />}
      {presets.data === undefined && presets.isError && (
        <ErrorState title={t('add.failed')} onRetry={() => void presets.refetch()}>
          {presets.error.message}
        </ErrorState>
      )}
    </Dialog>
  )
}
