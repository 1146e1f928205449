import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { StackedBars } from '#renderer/components/charts/time-chart.tsx'
import { moneyText } from '#renderer/data/money.ts'
import { compactText } from '#renderer/data/numbers.ts'
import { intervalFormat, spendSeries, type SpendWords } from '#renderer/data/spend.ts'
import type { View } from '#renderer/pages/overview/search.ts'

type SpendChartProps = {
  readonly report: UsageReport
  readonly view: View
  readonly words: SpendWords
  readonly label: string
}

export function SpendChart({ report, view: { range, ...shown }, words, label }: SpendChartProps) {
  const { t, i18n } = useTranslation('overview')
  const { metric } = shown
  const locale = i18n.language
  const { times, series } = useMemo(() => spendSeries(report, metric, words), [report, metric, words])
  const format = useMemo(() => intervalFormat(report, locale), [report, locale])
  return (
    <StackedBars
      label={label}
      times={times}
      series={series}
      isWhole
      valueText={(value) =>
        metric === 'cost' ? moneyText(BigInt(Math.round(value)), locale) : compactText(value, locale)
      }
      timeText={(atMs) => format.format(atMs)}
      end={
        <Link
          to="/usage"
          search={{ ...shown, from: range, table: 'intervals' }}
          className="underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {t('spend.asTable')}
        </Link>
      }
    />
  )
}
