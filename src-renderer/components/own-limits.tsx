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
      <div className="@container flex flex-col gap-3">
        <p className="text-xs text-muted">{t(isShared ? 'ownLimits.sharedText' : 'ownLimits.text')}</p>
        {isDayUsedUp(own) && <Caution>{t('ownLimits.usedUp')}</Caution>}
        <div className="grid items-start gap-x-12 gap-y-1.5 @3xl:grid-cols-2">
          <DayFacts own={own} zone={overview?.gateway.time_zone} />
          <RateFacts own={own} />
        </div>
      </div>
    </Card>
  )
}

type FactsProps = { readonly own: Limits; readonly zone: string | undefined }

/** The credits of a day, and what is used of them. */
function DayFacts({ own, zone }: FactsProps) {
  const { t } = useTranslation('common')
  const { limits, use, next_reset_at: resetAt } = own
  if (limits.credits_per_day === null) return null
  const used: readonly Fact[] =
    use === null
      ? []
      : [
          { name: t('ownLimits.used'), value: <Money credits={use.credits_today} detail="exact" /> },
          { name: t('ownLimits.held'), value: <Money credits={use.held_credits} detail="exact" /> },
          { name: t('ownLimits.left'), value: <Money micro={leftToday(own)} detail="exact" /> },
        ]
  const facts = [
    { name: t('ownLimits.credits'), value: <Money credits={limits.credits_per_day} detail="exact" /> },
    ...used,
    { name: t('ownLimits.reset'), value: <Reset at={resetAt} zone={zone} /> },
  ]
  return (
    <div className="flex flex-col gap-3">
      {use !== null && <Bar total={limits.credits_per_day} used={use.credits_today} held={use.held_credits} />}
      <Facts facts={facts} />
    </div>
  )
}

/** Those of a minute, and of requests at a time. */
function RateFacts({ own }: Pick<FactsProps, 'own'>) {
  const { t, i18n } = useTranslation('common')
  const count = (value: number) => countText(value, i18n.language)
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: most } = own.limits
  const running = (limit: number) =>
    own.use === null ? count(limit) : t('ownLimits.now', { limit: count(limit), running: count(own.use.running_calls) })
  const facts: readonly (Fact | undefined)[] = [
    requests === null ? undefined : { name: t('package.requests'), value: count(requests) },
    tokens === null ? undefined : { name: t('package.tokens'), value: count(tokens) },
    most === null ? undefined : { name: t('package.concurrent'), value: running(most) },
  ]
  const limited = facts.filter((fact) => fact !== undefined)
  return limited.length === 0 ? null : <Facts className="content-start" facts={limited} />
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
