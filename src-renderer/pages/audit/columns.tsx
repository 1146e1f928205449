import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditView } from '#contract/audit.ts'
import { Status } from '#renderer/components/badge.tsx'
import type { Column } from '#renderer/components/data-table.tsx'
import { Time } from '#renderer/components/time.tsx'
import { subjectOf } from '#renderer/data/audit-list.ts'

export function useColumns(): readonly Column<AuditView>[] {
  const { t } = useTranslation('audit')
  return useMemo(
    () => [
      { id: 'at', header: t('time'), cell: ({ at }) => <Time at={at} />, className: 'whitespace-nowrap max-sm:hidden' },
      { id: 'actor', header: t('actor'), cell: ({ actor }) => <Actor actor={actor} />, className: 'max-sm:hidden' },
      { id: 'action', header: t('action'), cell: (entry) => <Action entry={entry} /> },
      {
        id: 'subject',
        header: t('subject'),
        cell: (entry) => subjectOf(entry) ?? <span className="text-muted">–</span>,
        className: 'max-w-60 truncate max-sm:hidden',
      },
      { id: 'outcome', header: t('outcome'), cell: (entry) => <ShortOutcome entry={entry} /> },
    ],
    [t],
  )
}

/** On narrow windows with whom and what it was about below it. */
function Action({ entry }: { readonly entry: AuditView }) {
  const { t } = useTranslation('audit')
  const subject = subjectOf(entry)
  return (
    <>
      {t(`actions.${entry.action}`, { defaultValue: entry.action })}
      <span className="block text-xs text-muted sm:hidden">
        <Time at={entry.at} /> · <Actor actor={entry.actor} />
        {subject !== undefined && ` · ${subject}`}
      </span>
    </>
  )
}

/** A member's name as it is; the others in the reader's words. */
export function Actor({ actor }: { readonly actor: string }) {
  const { t } = useTranslation('audit')
  const word = actor.replaceAll(' ', '-')
  return <>{t(`actors.${word}`, { defaultValue: actor })}</>
}

export function Outcome({ outcome }: { readonly outcome: string }) {
  const { t } = useTranslation('audit')
  const word = outcome.replaceAll('_', ' ')
  return <Status tone={outcome === 'done' ? 'live' : 'low'}>{t(`outcomes.${outcome}`, { defaultValue: word })}</Status>
}

/** In a narrow window only whether it was done; the entry itself says why it was not. */
function ShortOutcome({ entry: { outcome, count } }: { readonly entry: AuditView }) {
  const { t } = useTranslation('audit')
  return (
    <>
      <span className="max-sm:hidden">
        <Outcome outcome={outcome} />
      </span>
      <span className="sm:hidden">
        {outcome === 'done' ? <Outcome outcome={outcome} /> : <Status tone="low">{t('refused')}</Status>}
      </span>
      {count > 1 && <span className="ml-2 whitespace-nowrap text-xs text-muted">{t('times', { count })}</span>}
    </>
  )
}
