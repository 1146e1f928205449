import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Money } from '#renderer/components/money.tsx'
import { StatTile } from '#renderer/components/stat-tile.tsx'
import { useNow } from '#renderer/components/use-now.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'
import { exactText, msOf, spanText } from '#renderer/data/times.ts'

type Credits = OverviewView['credits']

/** What is left over all keys that can be used, and for how long that lasts. */
export function CreditsTile({ credits, zone }: { readonly credits: Credits; readonly zone: string }) {
  const { t } = useTranslation('overview')
  const { remaining_credits: remaining, total_credits: total } = credits
  if (remaining === null || total === null) return <NoCreditsTile credits={credits} />
  return (
    <StatTile
      label={t('tiles.credits')}
      value={
        <>
          <Money credits={remaining} />{' '}
          <span className="text-sm font-normal whitespace-nowrap text-muted">
            {t('tiles.leftOf')} <Money credits={total} hasUnit={false} />
          </span>
        </>
      }
    >
      <Bar total={total} used={usedOf(total, remaining)} held={credits.held_credits} className="mt-1 mb-2" />
      <span className="flex flex-wrap gap-x-3">
        <span title={t('tiles.heldWhy')}>
          <Money credits={credits.held_credits} hasUnit={false} /> {t('tiles.held')}
        </span>
        <RunOut at={credits.runs_out_at} zone={zone} />
      </span>
      {credits.unlimited_keys > 0 && (
        <span className="block">{t('tiles.unlimitedToo', { count: credits.unlimited_keys })}</span>
      )}
    </StatTile>
  )
}

function RunOut({ at, zone }: { readonly at: string | null; readonly zone: string }) {
  const { t, i18n } = useTranslation('overview')
  const nowMs = useNow()
  const atMs = msOf(at)
  if (atMs === undefined) return <span title={t('tiles.runOutWhy')}>{t('tiles.lasts')}</span>
  return (
    <span title={`${exactText(atMs, i18n.language, zone)} · ${t('tiles.runOutWhy')}`}>
      {t('tiles.enoughFor', { time: spanText(Math.max(0, atMs - nowMs), i18n.language) })}
    </span>
  )
}

/** Keys without limit only, or none at all. */
function NoCreditsTile({ credits }: { readonly credits: Credits }) {
  const { t } = useTranslation('overview')
  if (credits.unlimited_keys > 0) {
    return (
      <StatTile label={t('tiles.credits')} value={t('tiles.unlimited')}>
        {t('tiles.unlimitedKeys', { count: credits.unlimited_keys })}
      </StatTile>
    )
  }
  return (
    <StatTile label={t('tiles.credits')} value={<Money credits={null} />}>
      {t('tiles.noKeys')}{' '}
      <Link to="/keys" className="text-accent underline">
        {t('tiles.toKeys')}
      </Link>
    </StatTile>
  )
}

function usedOf(total: number, remaining: number): string {
  return creditsText((microOf(total) ?? 0n) - (microOf(remaining) ?? 0n))
}
