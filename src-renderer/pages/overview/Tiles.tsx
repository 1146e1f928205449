import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { Money } from '#renderer/components/money.tsx'
import { StatTile, TileRow } from '#renderer/components/stat-tile.tsx'
import { Skeleton } from '#renderer/components/states.tsx'
import { moneyText } from '#renderer/data/money.ts'
import { countText, durationText, percentText } from '#renderer/data/numbers.ts'
import { cacheHitPart, changeOf, chargeOf, type Change } from '#renderer/data/totals.ts'
import { CreditsTile } from '#renderer/pages/overview/CreditsTile.tsx'

/** The four numbers, in places that are there before them, so that nothing moves when they come. */
export function Tiles({ overview }: { readonly overview: OverviewView | undefined }) {
  const { t } = useTranslation('overview')
  if (overview === undefined) {
    return (
      <TileRow>
        {(['credits', 'today', 'requests', 'firstToken'] as const).map((name) => (
          <StatTile key={name} label={t(`tiles.${name}`)} value={<Skeleton className="my-1 h-7 w-28" />}>
            <Skeleton className="w-36" />
          </StatTile>
        ))}
      </TileRow>
    )
  }
  return (
    <TileRow>
      <CreditsTile credits={overview.credits} zone={overview.gateway.time_zone} />
      <TodayTile today={overview.today} />
      <RequestsTile today={overview.today} />
      <FirstTokenTile latency={overview.first_token} />
    </TileRow>
  )
}

function TodayTile({ today }: { readonly today: OverviewView['today'] }) {
  const { t, i18n } = useTranslation('overview')
  const change = changeOf(chargeOf(today.totals), chargeOf(today.previous))
  const delta = useDelta(change, change === undefined ? '' : moneyText(change.by, i18n.language))
  return (
    <StatTile label={t('tiles.today')} value={<Money credits={today.totals.charge_credits} />} {...delta}>
      {today.expected_credits === null ? (
        t('tiles.unexpected')
      ) : (
        <>
          {t('tiles.expected')} <Money credits={today.expected_credits} estimate={t('tiles.expectedWhy')} />
        </>
      )}
    </StatTile>
  )
}

function RequestsTile({ today }: { readonly today: OverviewView['today'] }) {
  const { t, i18n } = useTranslation('overview')
  const change = changeOf(BigInt(today.totals.requests), BigInt(today.previous.requests))
  const delta = useDelta(change, change === undefined ? '' : countText(Number(change.by), i18n.language))
  const hit = cacheHitPart(today.totals)
  return (
    <StatTile label={t('tiles.requests')} value={countText(today.totals.requests, i18n.language)} {...delta}>
      <span className="flex flex-wrap gap-x-3">
        <span className={today.totals.failed > 0 ? 'text-red' : ''}>
          {t('tiles.failed', { failed: countText(today.totals.failed, i18n.language) })}
        </span>
        <span title={t('tiles.cacheWhy')}>
          {t('tiles.cache', { part: hit === undefined ? '–' : percentText(hit, i18n.language) })}
        </span>
      </span>
    </StatTile>
  )
}

function FirstTokenTile({ latency }: { readonly latency: OverviewView['first_token'] }) {
  const { t, i18n } = useTranslation('overview')
  const text = (ms: number | null) => (ms === null ? '–' : durationText(ms, i18n.language))
  return (
    <StatTile
      label={t('tiles.firstToken')}
      value={
        <span title={t('tiles.p50Why')}>
          {text(latency.p50_ms)} <span className="text-sm font-normal text-muted">p50</span>
        </span>
      }
    >
      <span className="flex flex-wrap gap-x-3">
        <span title={t('tiles.p95Why')}>{t('tiles.p95', { time: text(latency.p95_ms) })}</span>
        <span>{t('tiles.lastDay')}</span>
      </span>
    </StatTile>
  )
}

function useDelta(change: Change | undefined, text: string) {
  const { t } = useTranslation('overview')
  if (change === undefined) return {}
  const label = t(change.direction === 'up' ? 'tiles.up' : 'tiles.down')
  return { delta: { direction: change.direction, text: <span title={`${label} ${text}`}>{text}</span>, label } }
}
