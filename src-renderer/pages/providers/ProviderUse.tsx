import { useTranslation } from 'react-i18next'
import { Bar } from '#renderer/components/bar.tsx'
import { Facts } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { countText, durationText } from '#renderer/data/numbers.ts'
import { TIME_LIMITS } from '#renderer/data/provider-form.ts'
import type { ProviderRow } from '#renderer/data/provider-list.ts'

/** The limits of a provider and what is used of them now. */
export function ProviderUse({ row: { provider, use } }: { readonly row: ProviderRow }) {
  const { t, i18n } = useTranslation('providers')
  const { limits, time_limits: times } = provider
  const count = (value: number) => countText(value, i18n.language)
  const facts = [
    ...(limits.credits_per_day === undefined
      ? []
      : [{ name: t('limits.creditsToday'), value: <CreditsToday row={{ use, limit: limits.credits_per_day }} /> }]),
    ...(limits.concurrent_requests === undefined
      ? []
      : [
          {
            name: t('limits.concurrent'),
            value: t('limits.of', {
              used: use === undefined ? '–' : count(use.concurrent_requests),
              limit: count(limits.concurrent_requests),
            }),
          },
        ]),
    ...(limits.requests_per_minute === undefined
      ? []
      : [{ name: t('limits.requests'), value: count(limits.requests_per_minute) }]),
    ...(limits.tokens_per_minute === undefined
      ? []
      : [{ name: t('limits.tokens'), value: count(limits.tokens_per_minute) }]),
    ...TIME_LIMITS.flatMap((name) => {
      const ms = times[name]
      return ms === undefined ? [] : [{ name: t(`times.${name}`), value: durationText(ms, i18n.language) }]
    }),
  ]
  if (facts.length === 0) return <p className="text-sm text-muted">{t('limits.noneText')}</p>
  return (
    <>
      <Facts facts={facts} />
      {limits.credits_per_day !== undefined && <Bar total={limits.credits_per_day} used={use?.credits_today ?? null} />}
    </>
  )
}

type CreditsTodayProps = {
  readonly row: { readonly use: ProviderRow['use']; readonly limit: number }
}

function CreditsToday({ row: { use, limit } }: CreditsTodayProps) {
  return (
    <>
      <Money credits={use?.credits_today} hasUnit={false} /> / <Money credits={limit} />
    </>
  )
}
