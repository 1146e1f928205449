import { Link } from '@tanstack/react-router'
import { ChevronRight, CircleCheck, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { Card } from '#renderer/components/card.tsx'
import { useNow } from '#renderer/components/use-now.ts'
import { exactText, msOf, relativeText } from '#renderer/data/times.ts'
import { placeOf } from '#renderer/pages/overview/places.ts'

type Item = OverviewView['attention'][number]
type AttentionProps = { readonly items: readonly Item[]; readonly zone: string | undefined }

/** What somebody should look after, each with the page where that is done. */
export function Attention({ items, zone }: AttentionProps) {
  const { t } = useTranslation('overview')
  if (items.length === 0) {
    return (
      <Card aria-label={t('attention.title')}>
        <p className="flex items-center gap-2 text-muted">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-accent" />
          {t('attention.nothing')}
        </p>
      </Card>
    )
  }
  return (
    <Card title={t('attention.title')} isFlush>
      <ul className="pb-2">
        {items.map((item) => (
          <li key={`${item.kind} ${item.subject} ${item.text}`}>
            <AttentionLink item={item} zone={zone} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AttentionLink({ item, zone }: { readonly item: Item; readonly zone: string | undefined }) {
  const place = placeOf(item.page, item.subject)
  const shape = <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-amber" />
  const look = 'flex items-start gap-2 px-4 py-2'
  if (place === undefined) {
    return (
      <div className={look}>
        {shape}
        <AttentionText item={item} zone={zone} />
      </div>
    )
  }
  return (
    <Link {...place} className={`${look} -outline-offset-2 hover:bg-sunken`}>
      {shape}
      <AttentionText item={item} zone={zone} />
      <ChevronRight aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
    </Link>
  )
}

/** In the reader's language where the kind is known; else as the server says it. */
function AttentionText({ item, zone }: { readonly item: Item; readonly zone: string | undefined }) {
  const { t, i18n } = useTranslation('overview')
  const nowMs = useNow()
  const atMs = msOf(item.at)
  const when = atMs === undefined ? '' : relativeText(atMs, nowMs, i18n.language)
  const key = `attention.kinds.${item.kind}`
  const isKnown = i18n.exists(key, { ns: 'overview' })
  const exact = atMs === undefined ? '' : exactText(atMs, i18n.language, zone)
  return (
    <span className="min-w-0 flex-1 break-words" title={[item.text, exact].filter(Boolean).join(' · ')}>
      {isKnown ? t(`attention.kinds.${item.kind}`, { subject: item.subject ?? '', when }) : item.text}
    </span>
  )
}
