import { useTranslation } from 'react-i18next'
import type { SettingsView } from '#contract/audit.ts'
import { Card } from '#renderer/components/card.tsx'
import { CopyButton } from '#renderer/components/copy.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { ErrorState, Loading } from '#renderer/components/states.tsx'
import { bytesText } from '#renderer/data/numbers.ts'

type InstallationProps = {
  readonly settings: SettingsView | undefined
  readonly error: Error | undefined
  readonly onRetry: () => void
}

/** What runs here, and where it keeps its things. */
export function Installation({ settings, error, onRetry }: InstallationProps) {
  const { t, i18n } = useTranslation('settings')
  if (settings === undefined) {
    return (
      <Card title={t('installation.title')}>
        {error === undefined ? (
          <Loading lines={4} />
        ) : (
          <ErrorState title={t('failed')} onRetry={onRetry}>
            {error.message}
          </ErrorState>
        )}
      </Card>
    )
  }
  return (
    <Card title={t('installation.title')}>
      <Facts
        facts={[
          { name: t('installation.version'), value: settings.version },
          { name: 'Node', value: settings.node },
          { name: t('installation.zone'), value: settings.time_zone },
          { name: t('installation.database'), value: bytesText(settings.database_bytes, i18n.language) },
          {
            name: t('installation.folder'),
            value: (
              <span className="inline-flex items-center gap-1">
                <span className="break-all">{settings.data_dir}</span>
                <CopyButton text={settings.data_dir} label={t('installation.copy')} />
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}
