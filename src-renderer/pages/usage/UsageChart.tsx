import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageReport } from '#contract/reports.ts'
import { StackedBars } from '#renderer/components/charts/time-chart.tsx'
import type { ChartSeries } from '#renderer/data/series.ts'
import type { Usage } from '#renderer/pages/usage/use-usage.ts'
import type { UsageWords } from '#renderer/pages/usage/use-words.ts'

type UsageChartProps = {
  readonly usage: Usage
  readonly report: UsageReport
  readonly words: UsageWords
  readonly onPick: (index: number, seriesId: string) => void
}

export function UsageChart({ usage: { series, before, measure }, report, words, onPick }: UsageChartProps) {
  const { t } = useTranslation('usage')
  const times = useMemo(() => report.intervals.map((start) => Date.parse(start)), [report])
  const drawn = useMemo(
    () =>
      series.map((one): ChartSeries => ({
        id: one.id,
        label: words.seriesLabel(one),
        isOther: one.kind === 'other',
        values: one.points.map(numberOf),
      })),
    [series, words],
  )
  // Its place in the legend is there before its values.
  const ghost = useMemo(() => ({ id: 'before', label: t('before'), values: (before ?? []).map(numberOf) }), [before, t])
  return (
    <div className="flex flex-col gap-2">
      <StackedBars
        label={t('chartLabel', { measure: t(`measures.${measure}`) })}
        times={times}
        series={drawn}
        ghost={ghost}
        isWhole
        heightClass="h-40 sm:h-56"
        timeText={words.axisTime}
        valueText={words.valueText}
        onPick={onPick}
      />
      <p className="text-xs text-muted">{t('sameBelow')}</p>
    </div>
  )
}

/** Charts draw numbers; integers up to nine thousand million credits in micro-credits are exact. */
function numberOf(amount: bigint | undefined): number | undefined {
  return amount === undefined ? undefined : Number(amount)
}
