import { useTranslation } from 'react-i18next'
import { SeriesMark } from '#renderer/components/charts/chart-frame.tsx'
import type { DrawnSeries } from '#renderer/data/series.ts'

type ChartTipProps = {
  readonly index: number | undefined
  readonly title: string
  readonly series: readonly DrawnSeries[]
  readonly valueText: (value: number) => string
  /** Adds the series up, which only whole numbers allow without error. */
  readonly hasTotal?: boolean
}

/** What hovering over one point in time shows; series without a value there are left out. */
export function ChartTip({ index, title, series, valueText, hasTotal = false }: ChartTipProps) {
  const { t } = useTranslation('common')
  if (index === undefined) return null
  const stacked = series.filter((one) => one.isGhost !== true)
  return (
    <div className="rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-lg">
      <p className="mb-1 font-medium">{title}</p>
      {series.map((one) => {
        const value = one.values[index]
        if (value === undefined || value === 0) return null
        return (
          <p key={one.id} className="flex items-center gap-2 tabular-nums">
            <SeriesMark series={one} />
            <span className="flex-1 text-muted">{one.label}</span>
            {valueText(value)}
          </p>
        )
      })}
      {hasTotal && stacked.length > 1 && (
        <p className="mt-1 flex items-center gap-2 border-t border-line pt-1 font-medium tabular-nums">
          <span className="flex-1">{t('chart.total')}</span>
          {valueText(stacked.reduce((sum, one) => sum + (one.values[index] ?? 0), 0))}
        </p>
      )}
    </div>
  )
}
