import type { ReactNode } from 'react'
import type { DrawnSeries } from '#renderer/data/series.ts'

export type ChartProps = {
  /** What the chart shows, in a sentence, for screen readers. */
  readonly label: string
  /** Epoch milliseconds, one for each value of every series. */
  readonly times: readonly number[]
  /** Writes a value with its unit. */
  readonly valueText: (value: number) => string
  /** Writes a point in time on the axis. */
  readonly timeText: (atMs: number) => string
  /** Beside the legend: a link to the same numbers as a table, where the page does not show them below. */
  readonly end?: ReactNode
  /** How high the drawing is, as a class. */
  readonly heightClass?: string | undefined
}

type ChartFrameProps = Pick<ChartProps, 'label' | 'end' | 'heightClass'> & {
  readonly series: readonly DrawnSeries[]
  readonly children: ReactNode
}

/** A chart with its legend. Whoever cannot see it finds its numbers in a table. */
export function ChartFrame({ label, series, end, heightClass, children }: ChartFrameProps) {
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
        {end !== undefined && <span className="ml-auto">{end}</span>}
      </figcaption>
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
