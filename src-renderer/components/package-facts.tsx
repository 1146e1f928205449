import { useTranslation } from 'react-i18next'
import type { PackageView } from '#contract/schemas.ts'
import { Facts } from '#renderer/components/facts.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import { msOf } from '#renderer/data/times.ts'

const CYCLES = ['monthly', 'daily', 'topup'] as const

/** What a package gives a key that is in it. */
export function PackageFacts({ item }: { readonly item: PackageView }) {
  const { t, i18n } = useTranslation('common')
  const count = (value: number | null) => (value === null ? t('package.noLimit') : countText(value, i18n.language))
  return (
    <Facts
      facts={[
        { name: t('package.credits'), value: <PackageCredits item={item} detail="exact" /> },
        { name: t('package.requests'), value: count(item.limits.requests_per_minute) },
        { name: t('package.tokens'), value: count(item.limits.tokens_per_minute) },
        { name: t('package.concurrent'), value: count(item.limits.concurrent_requests) },
        { name: t('package.models'), value: item.models === 'all' ? t('package.all') : item.models.join(', ') || '–' },
        { name: t('package.validUntil'), value: <Time at={lastInstant(item)} none={t('package.noEnd')} /> },
      ]}
    />
  )
}

/** A package that is valid until a date ends with the first instant after it, whose own date would mislead. */
export function lastInstant(item: PackageView): number | undefined {
  const endMs = msOf(item.valid_until)
  return endMs === undefined ? undefined : endMs - 1
}

type PackageCreditsProps = { readonly item: PackageView; readonly detail?: 'short' | 'exact' }

/** `50.00 cr per month`, or that nothing is counted down. */
export function PackageCredits({ item, detail = 'short' }: PackageCreditsProps) {
  const { t } = useTranslation('common')
  const cycle = CYCLES.find((known) => known === item.type)
  if (item.credits === null) return t('package.unlimited')
  return (
    <span className="whitespace-nowrap">
      <Money credits={item.credits} detail={detail} />{' '}
      <span className="text-xs text-muted">{cycle && t(`package.per.${cycle}`)}</span>
    </span>
  )
}
