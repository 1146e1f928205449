import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { StackedBars } from '#renderer/components/charts/time-chart.tsx'
import { moneyText } from '#renderer/data/money.ts'
import { compactText } from '#renderer/data/numbers.ts'
import { intervalFormat, spendSeries, type SpendWords } from '#renderer/data/spend.ts'
import type { Metric } from '#renderer/data/usage-amounts.ts'

type SpendChartProps = {
  readonly report: UsageReport
  readonly metric: Metric
  readonly words: SpendWords
  readonly label: string
}

export function SpendChart({ report, metric, words, label }: SpendChartProps) {
  const { i18n } = useTranslation('overview')
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
    />
  )
}
