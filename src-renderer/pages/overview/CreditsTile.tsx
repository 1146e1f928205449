import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import type { KeyView } from '#contract/schemas.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Outlook } from '#renderer/components/outlook.tsx'
import { StatTile } from '#renderer/components/stat-tile.tsx'

type Credits = OverviewView['credits']

/** What is left to the key that somebody should look at first, and in short to the next ones: their credits are not one another's. */
export function CreditsTile({ credits, zone }: { readonly credits: Credits; readonly zone: string }) {
  const { t } = useTranslation('overview')
  const [first, ...others] = credits.lowest
  if (first === undefined) return <NoCreditsTile credits={credits} />
  const { total_credits: total, used_credits: used, held_credits: held, remaining_credits: remaining } = first.balance
  const more = credits.keys - credits.unlimited_keys - credits.lowest.length
  return (
    <StatTile
      label={credits.keys === 1 ? t('tiles.credits') : `${t('tiles.credits')} · ${first.name}`}
      value={
        <>
          <Money credits={remaining} />{' '}
          <span className="text-sm font-normal whitespace-nowrap text-muted">
            {t('tiles.leftOf')} <Money credits={total} hasUnit={false} />
          </span>
        </>
      }
    >
      <Bar total={total} used={used} held={held} className="mt-1 mb-2" />
      <Outlook item={first} zone={zone} />
      {credits.held_credits > 0 && (
        <span className="block" title={t('tiles.heldWhy')}>
          <Money credits={credits.held_credits} hasUnit={false} /> {t('tiles.held')}
        </span>
      )}
      {others.map((key) => (
        <OtherKey key={key.id} item={key} zone={zone} />
      ))}
      {more > 0 && <span className="block">{t('tiles.moreKeys', { count: more })}</span>}
      {credits.unlimited_keys > 0 && (
        <span className="block">{t('tiles.unlimitedToo', { count: credits.unlimited_keys })}</span>
      )}
    </StatTile>
  )
}

function OtherKey({ item, zone }: { readonly item: KeyView; readonly zone: string }) {
  return (
    <span className="mt-1 flex flex-wrap gap-x-1.5 border-t border-line pt-1">
      <span className="font-medium break-words text-ink">{item.name}</span>
      <span>
        <Money credits={item.balance.remaining_credits} hasUnit={false} /> /{' '}
        <Money credits={item.balance.total_credits} hasUnit={false} />
      </span>
      <Outlook item={item} zone={zone} />
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
