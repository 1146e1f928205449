import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isNearAddress, type FareboxLink } from '#contract/link.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Caution } from '#renderer/components/caution.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { baseUrlOf } from '#renderer/data/provider-form.ts'
import { PresetForm } from '#renderer/pages/providers/PresetForm.tsx'

type ProviderLink = Extract<FareboxLink, { action: 'add-provider' }>

/** A provider that a link proposes. Going on opens the form that every provider is added by, where its secret is asked for. */
export function ProviderPreview({ proposed }: { readonly proposed: ProviderLink }) {
  const { t } = useTranslation('link')
  const navigate = useNavigate()
  const [isGoingOn, setIsGoingOn] = useState(false)
  const presets = useApi('listPresets', {})
  const taken = (useApi('listProviders', {}).data ?? []).map(({ name }) => name)
  if (presets.data === undefined) {
    if (!presets.isError) return <Loading lines={4} />
    return (
      <ErrorState title={t('provider.failed')} onRetry={() => void presets.refetch()}>
        {presets.error.message}
      </ErrorState>
    )
  }
  const { preset: wanted = 'custom', name, dialect } = proposed
  const preset = presets.data.find(({ id }) => id === wanted)
  if (preset === undefined) return <p role="alert">{t('provider.unknown')}</p>
  const baseUrl = proposed.baseUrl ?? baseUrlOf(preset, dialect ?? preset.dialect)
  const isOther = proposed.baseUrl !== undefined && wanted !== 'custom'
  return (
    <Card title={t('provider.title')}>
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            { name: t('provider.kind'), value: preset.display_name },
            ...(name === undefined ? [] : [{ name: t('provider.name'), value: name }]),
            ...(dialect === undefined ? [] : [{ name: t('provider.dialect'), value: dialect }]),
            { name: t('provider.address'), value: <code className="font-mono text-xs break-all">{baseUrl}</code> },
          ]}
        />
        {isOther && <Caution>{t('provider.other', { name: preset.display_name })}</Caution>}
        {proposed.baseUrl !== undefined && isNearAddress(baseUrl) && <Caution>{t('near')}</Caution>}
        {baseUrl.startsWith('http:') && <Caution>{t('plain')}</Caution>}
        <p className="text-sm text-muted">{t('provider.text')}</p>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => setIsGoingOn(true)}>
            {t('provider.action')}
          </Button>
          <Button asChild>
            <Link to="/overview">{t('leave')}</Link>
          </Button>
        </div>
      </div>
      {isGoingOn && (
        <PresetForm
          preset={preset}
          given={{
            ...(name !== undefined && { name }),
            ...(dialect !== undefined && { dialect }),
            ...(baseUrl !== '' && { baseUrl }),
          }}
          taken={taken}
          onClose={() => setIsGoingOn(false)}
          onBack={() => setIsGoingOn(false)}
          onAdded={(id) => void navigate({ to: '/providers', search: { open: id } })}
        />
      )}
    </Card>
  )
}
