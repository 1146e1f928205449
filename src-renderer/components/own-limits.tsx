import { useTranslation } from 'react-i18next'
import type { OverviewView } from '#contract/reports.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Caution } from '#renderer/components/caution.tsx'
import { Facts, type Fact } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { isDayUsedUp, leftToday, type OwnLimits as Limits } from '#renderer/data/own-limits.ts'
import { exactText, msOf } from '#renderer/data/times.ts'

/** What the reader is held to for all keys together; nothing where nothing is limited. */
export function OwnLimits({ overview }: { readonly overview: OverviewView | undefined }) {
  const { t } = useTranslation('common')
  const own = overview?.own_limits
  if (own === undefined || own === null) return null
  const isShared = own.use === null
  return (
    <Card title={t(isShared ? 'ownLimits.sharedTitle' : 'ownLimits.title')}>
      <div className="flex max-w-2xl flex-col gap-3">
        <p className="text-xs text-muted">{t(isShared ? 'ownLimits.sharedText' : 'ownLimits.text')}</p>
        {isDayUsedUp(own) && <Caution>{t('ownLimits.usedUp')}</Caution>}
        {own.use !== null && (
          <Bar total={own.limits.credits_per_day} used={own.use.credits_today} held={own.use.held_credits} />
        )}
        <LimitFacts own={own} zone={overview?.gateway.time_zone} />
      </div>
    </Card>
  )
}

type LimitFactsProps = { readonly own: Limits; readonly zone: string | undefined }

function LimitFacts({ own, zone }: LimitFactsProps) {
  const { t, i18n } = useTranslation('common')
  const count = (value: number) => countText(value, i18n.language)
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: most } = own.limits
  const running = (limit: number) =>
    own.use === null ? count(limit) : t('ownLimits.now', { limit: count(limit), running: count(own.use.running_calls) })
  const facts: readonly (Fact | undefined)[] = [
    ...useDayFacts(own, zone),
    requests === null ? undefined : { name: t('package.requests'), value: count(requests) },
    tokens === null ? undefined : { name: t('package.tokens'), value: count(tokens) },
    most === null ? undefined : { name: t('package.concurrent'), value: running(most) },
  ]
  return <Facts facts={facts.filter((fact) => fact !== undefined)} />
}

function useDayFacts(own: Limits, zone: string | undefined): readonly Fact[] {
  const { t } = useTranslation('common')
  const { limits, use, next_reset_at: resetAt } = own
  if (limits.credits_per_day === null) return []
  const used =
    use === null
      ? []
      : [
          { name: t('ownLimits.used'), value: <Money credits={use.credits_today} detail="exact" /> },
          { name: t('ownLimits.held'), value: <Money credits={use.held_credits} detail="exact" /> },
          { name: t('ownLimits.left'), value: <Money micro={leftToday(own)} detail="exact" /> },
        ]
  return [
    { name: t('ownLimits.credits'), value: <Money credits={limits.credits_per_day} detail="exact" /> },
    ...used,
    { name: t('ownLimits.reset'), value: <Reset at={resetAt} zone={zone} /> },
  ]
}

/** With the exact time beside it: midnight of the machine's zone may be any hour of the reader's. */
function Reset({ at, zone }: { readonly at: string | null; readonly zone: string | undefined }) {
  const { i18n } = useTranslation('common')
  const atMs = msOf(at)
  return (
    <>
      <Time at={at} {...(zone === undefined ? {} : { zone })} />
      {atMs !== undefined && <span className="block text-xs text-muted">{exactText(atMs, i18n.language, zone)}</span>}
    </>
  )
}
