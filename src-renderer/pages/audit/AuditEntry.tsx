import { useTranslation } from 'react-i18next'
import type { AuditView } from '#contract/audit.ts'
import { CodeSnippet } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { subjectOf } from '#renderer/data/audit-list.ts'
import { exactText, msOf } from '#renderer/data/times.ts'
import { Actor, Outcome } from '#renderer/pages/audit/columns.tsx'

type AuditEntryProps = { readonly entry: AuditView | undefined; readonly onClose: () => void }

/** One change, with what was asked for. */
export function AuditEntry({ entry, onClose }: AuditEntryProps) {
  const { t, i18n } = useTranslation('audit')
  if (entry === undefined) return null
  const atMs = msOf(entry.at)
  const lastMs = msOf(entry.last_at)
  /** Of what strangers did. */
  const originOf = ({ source, count }: AuditView) =>
    source === null
      ? []
      : [
          { name: t('source'), value: <code className="font-mono text-xs">{source}</code> },
          { name: t('howOften'), value: t('times', { count }) },
          { name: t('last'), value: lastMs === undefined ? '–' : exactText(lastMs, i18n.language) },
        ]
  const details = Object.keys(entry.details).length === 0 ? undefined : JSON.stringify(entry.details, null, 2)
  return (
    <Sheet
      isOpen
      onOpenChange={onClose}
      title={t(`actions.${entry.action}`, { defaultValue: entry.action })}
      description={t('detailsText')}
    >
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            { name: t('time'), value: atMs === undefined ? '–' : exactText(atMs, i18n.language) },
            { name: t('actor'), value: <Actor actor={entry.actor} /> },
            { name: t('subject'), value: subjectOf(entry) ?? '–' },
            { name: t('outcome'), value: <Outcome outcome={entry.outcome} /> },
            { name: t('status'), value: entry.status ?? '–' },
            ...originOf(entry),
            { name: t('name'), value: <code className="font-mono text-xs">{entry.action}</code> },
          ]}
        />
        {details === undefined ? (
          <p className="text-muted">{t('noDetails')}</p>
        ) : (
          <CodeSnippet label={t('details')} code={details} />
        )}
      </div>
    </Sheet>
  )
}
