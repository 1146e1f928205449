import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Cell, HeadCell, Row, Table } from '#renderer/components/table.tsx'
import type { DrawnSeries } from '#renderer/data/series.ts'

export type ChartProps = {
  /** What the chart shows, in a sentence, for screen readers. */
  readonly label: string
  /** Epoch milliseconds, one for each value of every series. */
  readonly times: readonly number[]
  /** Writes a value with its unit. */
  readonly valueText: (value: number) => string
  /** Writes a point in time on the axis and in the table. */
  readonly timeText: (atMs: number) => string
  /** Leaves the switch to the table out where the page shows the same numbers below. */
  readonly hasTable?: boolean
  /** How high the drawing is, as a class. */
  readonly heightClass?: string
}

type ChartFrameProps = ChartProps & { readonly series: readonly DrawnSeries[]; readonly children: ReactNode }

/** A chart with its legend, and the same numbers as a table for whoever cannot see it. */
export function ChartFrame({ label, series, hasTable = true, heightClass, children, ...table }: ChartFrameProps) {
  const { t } = useTranslation('common')
  const [isTable, setIsTable] = useState(false)
  return (
    <figure aria-label={label} className="flex flex-col gap-2">
      <div aria-hidden className={heightClass ?? 'h-56'}>
        {children}
      </div>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        {series.map((one) => (
          <span key={one.id} className="inline-flex items-center gap-1.5">
            <SeriesMark series={one} />
            {one.label}
          </span>
        ))}
        <span className="flex-1" />
        {hasTable && (
          <Button look="quiet" size="small" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
            {t(isTable ? 'chart.hide' : 'chart.show')}
          </Button>
        )}
      </figcaption>
      {isTable && <ChartTable label={label} series={series} {...table} />}
    </figure>
  )
}

/** The colour of a series; a broken line for what is compared with. */
export function SeriesMark({ series }: { readonly series: DrawnSeries }) {
  return (
    <span
      aria-hidden
      style={series.isGhost === true ? { borderColor: series.colour } : { background: series.colour }}
      className={series.isGhost === true ? 'w-3 border-t-2 border-dashed' : 'size-2.5 rounded-sm'}
    />
  )
}

function ChartTable({
  label,
  times,
  valueText,
  timeText,
  series,
}: ChartProps & { readonly series: readonly DrawnSeries[] }) {
  const { t } = useTranslation('common')
  return (
    <div role="region" aria-label={label} tabIndex={0} className="max-h-72 overflow-auto">
      <Table aria-label={label}>
        <thead>
          <tr>
            <HeadCell>{t('chart.time')}</HeadCell>
            {series.map((one) => (
              <HeadCell key={one.id} align="right">
                {one.label}
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <Row key={at}>
              <Cell>{timeText(at)}</Cell>
              {series.map((one) => {
                const value = one.values[index]
                return (
                  <Cell key={one.id} align="right">
                    {value === undefined ? '–' : valueText(value)}
                  </Cell>
                )
              })}
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
