import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { LedgerEntry } from '#renderer/api/use-ledger.ts'
import type { Column } from '#renderer/components/data-table.tsx'
import { Money } from '#renderer/components/money.tsx'
import { exactText, msOf } from '#renderer/data/times.ts'
import { EntryKindBadge } from '#renderer/pages/ledger/EntryKind.tsx'

/** Every digit: whoever reads a ledger adds it up. */
export function useLedgerColumns(): readonly Column<LedgerEntry>[] {
  const { t } = useTranslation('ledger')
  return useMemo(
    () => [
      {
        id: 'time',
        header: t('column.time'),
        cell: (entry) => <ExactTime at={entry.created_at} />,
        className: 'whitespace-nowrap max-sm:hidden',
      },
      {
        id: 'key',
        header: t('column.key'),
        cell: (entry) => <span className="break-words">{entry.key}</span>,
        className: 'max-sm:hidden',
      },
      { id: 'kind', header: t('column.kind'), cell: (entry) => <Kind entry={entry} /> },
      {
        id: 'amount',
        header: <span title={t('amountText')}>{t('column.amount')}</span>,
        cell: (entry) => <Amount entry={entry} />,
        align: 'right',
      },
      {
        id: 'charge',
        header: <span title={t('chargeText')}>{t('column.charge')}</span>,
        cell: (entry) =>
          entry.charge_credits === null ? null : <Money credits={entry.charge_credits} detail="full" hasUnit={false} />,
        align: 'right',
        className: 'max-md:hidden',
      },
      {
        id: 'available',
        header: <span title={t('availableText')}>{t('column.available')}</span>,
        cell: (entry) => <Available credits={entry.available_credits} />,
        align: 'right',
        className: 'max-sm:hidden',
      },
      {
        id: 'about',
        header: t('column.about'),
        cell: (entry) => <About entry={entry} />,
        className: 'max-md:hidden',
      },
    ],
    [t],
  )
}

/** To the second: whoever reads a ledger looks for what happened when. */
function ExactTime({ at }: { readonly at: string }) {
  const { i18n } = useTranslation('ledger')
  const atMs = msOf(at)
  return <time dateTime={at}>{atMs === undefined ? '–' : exactText(atMs, i18n.language)}</time>
}

/** In a narrow window with what the hidden columns say. */
function Kind({ entry }: { readonly entry: LedgerEntry }) {
  return (
    <>
      <EntryKindBadge kind={entry.kind} />
      <span className="mt-0.5 block text-xs break-words text-muted sm:hidden">
        {entry.key} · <ExactTime at={entry.created_at} /> <About entry={entry} />
      </span>
    </>
  )
}

/** In a narrow window with what it left below it. */
function Amount({ entry }: { readonly entry: LedgerEntry }) {
  const { t } = useTranslation('ledger')
  return (
    <>
      <span className="whitespace-nowrap">
        {entry.amount_credits > 0 && '+'}
        <Money credits={entry.amount_credits} detail="full" hasUnit={false} />
      </span>
      <span className="block text-xs text-muted sm:hidden" title={t('availableText')}>
        <span className="sr-only">{t('column.available')}</span>
        <span aria-hidden>= </span>
        <Available credits={entry.available_credits} />
      </span>
    </>
  )
}

function Available({ credits }: { readonly credits: number | null }) {
  const { t } = useTranslation('common')
  if (credits === null) return <span className="text-muted">{t('package.unlimited')}</span>
  return <Money credits={credits} detail="full" hasUnit={false} />
}

/** The receipt of the request that it belongs to, or the reason that was given. */
function About({ entry }: { readonly entry: LedgerEntry }) {
  const { t } = useTranslation('ledger')
  if (entry.request_id === null) return <span className="break-words">{entry.reason}</span>
  return (
    <Link
      to="/requests"
      search={{ open: entry.request_id }}
      title={t('receipt', { id: entry.request_id })}
      className="wrap-anywhere text-accent underline underline-offset-2"
    >
      {entry.model ?? t('request')}
    </Link>
  )
}
