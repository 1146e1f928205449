import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderView } from '#contract/providers.ts'
import type { KeyCreated } from '#contract/schemas.ts'
import { Tabs } from '#renderer/components/tabs.tsx'
import { isDemo } from '#renderer/data/demo.ts'
import { DemoPanel } from '#renderer/pages/first-run/DemoPanel.tsx'
import { LocalPanel } from '#renderer/pages/first-run/LocalPanel.tsx'
import { PresetPanel } from '#renderer/pages/first-run/PresetPanel.tsx'

type ProviderStepProps = {
  readonly providers: readonly ProviderView[]
  /** A first key that came with the demo. */
  readonly onKey: (key: KeyCreated) => void
  readonly onDone: () => void
}

export function ProviderStep({ providers, onKey, onDone }: ProviderStepProps) {
  const { t } = useTranslation('first-run')
  const [kind, setKind] = useState<'preset' | 'local' | 'demo'>('preset')
  const hasDemo = providers.some(isDemo)
  return (
    <Tabs
      label={t('kinds.label')}
      value={kind}
      onChange={setKind}
      tabs={[
        { value: 'preset', label: t('kinds.preset'), content: <PresetPanel providers={providers} onDone={onDone} /> },
        { value: 'local', label: t('kinds.local'), content: <LocalPanel onDone={onDone} /> },
        {
          value: 'demo',
          label: t('kinds.demo'),
          content: <DemoPanel hasDemo={hasDemo} onKey={onKey} onDone={onDone} />,
        },
      ]}
    />
  )
}
