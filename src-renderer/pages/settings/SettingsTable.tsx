import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { DataTable, type Column } from '#renderer/components/data-table.tsx'
import { EmptyState } from '#renderer/components/states.tsx'
import { ChangeSetting, type Setting } from '#renderer/pages/settings/ChangeSetting.tsx'

type SettingsTableProps = {
  readonly settings: readonly Setting[] | undefined
  readonly error: Error | undefined
  readonly onRetry: () => void
  /** The setting that somebody came for. */
  readonly open: string | undefined
}

/** What the process runs with. What cannot change while it runs, or is fixed, is changed where it is started; the table says how. */
export function SettingsTable({ settings, error, onRetry, open }: SettingsTableProps) {
  const { t } = useTranslation('settings')
  const [changing, setChanging] = useState<Setting>()
  const columns = useColumns(open, setChanging)
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
      {changing !== undefined && <ChangeSetting setting={changing} onClose={() => setChanging(undefined)} />}
    </Card>
  )
}

function useColumns(open: string | undefined, onChange: (setting: Setting) => void): readonly Column<Setting>[] {
  const { t } = useTranslation('settings')
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('effective.name'),
        cell: (setting) => <Name setting={setting} isOpen={setting.name === open} onChange={onChange} />,
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
        cell: (setting) =>
          setting.is_changeable ? <Change setting={setting} onChange={onChange} /> : <Ways setting={setting} />,
        className: 'align-top py-2 max-md:hidden',
      },
    ],
    [onChange, open, t],
  )
}

type NameProps = ChangeProps & { readonly isOpen: boolean }

function Name({ setting, isOpen, onChange }: NameProps) {
  const { t } = useTranslation('settings')
  const ref = useRef<HTMLSpanElement>(null)
  // What has the focus is brought into sight, and read out.
  useEffect(() => {
    if (isOpen) ref.current?.focus()
  }, [isOpen])
  return (
    <>
      <span ref={ref} tabIndex={isOpen ? -1 : undefined} className="block font-mono text-xs break-all">
        {setting.name}
      </span>
      <span className="block text-xs text-muted">
        {t(`meanings.${setting.name}`, { defaultValue: setting.description })}
      </span>
      <span className="block pt-1 md:hidden">
        {setting.is_changeable ? <Change setting={setting} onChange={onChange} /> : <Ways setting={setting} />}
      </span>
    </>
  )
}

type ChangeProps = { readonly setting: Setting; readonly onChange: (setting: Setting) => void }

function Change({ setting, onChange }: ChangeProps) {
  const { t } = useTranslation('settings')
  return (
    <Button size="small" aria-label={t('change.of', { name: setting.name })} onClick={() => onChange(setting)}>
      {t('change.action')}
    </Button>
  )
}

function Ways({ setting }: { readonly setting: Setting }) {
  const ways = [setting.flag, setting.environment].filter((way) => way !== null)
  return <code className="font-mono text-xs break-all text-muted">{ways.length === 0 ? '–' : ways.join(' · ')}</code>
}
