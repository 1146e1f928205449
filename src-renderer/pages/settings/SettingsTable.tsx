import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { SettingsView } from '#contract/audit.ts'
import { Badge } from '#renderer/components/badge.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable, type Column } from '#renderer/components/data-table.tsx'
import { EmptyState } from '#renderer/components/states.tsx'

type Setting = SettingsView['settings'][number]
type SettingsTableProps = {
  readonly settings: readonly Setting[] | undefined
  readonly error: Error | undefined
  readonly onRetry: () => void
}

/** What the process runs with. It is changed where it is started, so the table says how. */
export function SettingsTable({ settings, error, onRetry }: SettingsTableProps) {
  const { t } = useTranslation('settings')
  const columns = useColumns()
  return (
    <Card title={t('effective.title')} isFlush className="lg:col-span-2">
      <p className="px-4 pb-2 text-muted">{t('effective.text')}</p>
      <DataTable
        label={t('effective.title')}
        columns={columns}
        items={settings}
        idOf={(setting) => setting.name}
        heightClass="max-h-none"
        empty={<EmptyState title={t('effective.empty')} />}
        error={error === undefined ? undefined : { title: t('failed'), text: error.message, onRetry }}
      />
    </Card>
  )
}

function useColumns(): readonly Column<Setting>[] {
  const { t } = useTranslation('settings')
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('effective.name'),
        cell: (setting) => <Name setting={setting} />,
        className: 'align-top py-2',
      },
      {
        id: 'value',
        header: t('effective.value'),
        cell: ({ value }) => <code className="font-mono text-xs break-all">{value ?? '–'}</code>,
        className: 'align-top py-2 max-sm:w-1/3',
      },
      {
        id: 'source',
        header: t('effective.source'),
        cell: ({ source }) => (
          <Badge tone={source === 'default' ? 'calm' : 'live'}>{t(`effective.sources.${source}`)}</Badge>
        ),
        className: 'align-top py-2 max-sm:hidden',
      },
      {
        id: 'change',
        header: t('effective.change'),
        cell: (setting) => <Ways setting={setting} />,
        className: 'align-top py-2 max-md:hidden',
      },
    ],
    [t],
  )
}

function Name({ setting }: { readonly setting: Setting }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <span className="block font-mono text-xs break-all">{setting.name}</span>
      <span className="block text-xs text-muted">
        {t(`meanings.${setting.name}`, { defaultValue: setting.description })}
      </span>
      <span className="block pt-1 md:hidden">
        <Ways setting={setting} />
      </span>
    </>
  )
}

function Ways({ setting }: { readonly setting: Setting }) {
  const ways = [setting.flag, setting.environment].filter((way) => way !== null)
  return <code className="font-mono text-xs break-all text-muted">{ways.length === 0 ? '–' : ways.join(' · ')}</code>
}
