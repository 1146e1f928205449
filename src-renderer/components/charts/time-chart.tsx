// Bars and lines over time. The drawing is hidden from screen readers, and so takes no focus; a table says the same.
// The chart library is large and comes later: the frame and the legend have their height before it.

import { lazy, Suspense, useMemo } from 'react'
import { ChartFrame, type ChartProps } from '#renderer/components/charts/chart-frame.tsx'
import { useHues } from '#renderer/components/charts/use-hues.ts'
import { Skeleton } from '#renderer/components/states.tsx'
import { again } from '#renderer/data/again.ts'
import { asGhost, rowsOf, withColours, type ChartSeries } from '#renderer/data/series.ts'

const drawings = () => again(() => import('#renderer/components/charts/drawings.tsx'))
const BarDrawing = lazy(async () => ({ default: (await drawings()).BarDrawing }))
const LineDrawing = lazy(async () => ({ default: (await drawings()).LineDrawing }))

type TimeChartProps = ChartProps & { readonly series: readonly ChartSeries[] }

type StackedBarsProps = TimeChartProps & {
  /** What is compared with, as a broken line. */
  readonly ghost?: ChartSeries | undefined
  /** The values are whole numbers: the axis has no steps between them, and hovering shows their sum. */
  readonly isWhole?: boolean
  /** A click on a bar: its point in time by its place in `times`, and its series. */
  readonly onPick?: (index: number, seriesId: string) => void
}

/** Series that add up, on top of each other. */
export function StackedBars({ ghost, onPick, ...props }: StackedBarsProps) {
  const { drawn, rows } = useDrawn(props, ghost)
  const { label, end, heightClass, timeText, valueText, isWhole } = props
  return (
    <ChartFrame {...{ label, end, heightClass }} series={drawn}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <BarDrawing {...{ timeText, valueText, isWhole, drawn, rows, onPick }} />
      </Suspense>
    </ChartFrame>
  )
}

/** Series that are compared; unknown values leave a gap. */
export function Lines(props: TimeChartProps) {
  const { drawn, rows } = useDrawn(props)
  const { label, end, heightClass, timeText, valueText } = props
  return (
    <ChartFrame {...{ label, end, heightClass }} series={drawn}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <LineDrawing {...{ timeText, valueText, drawn, rows }} />
      </Suspense>
    </ChartFrame>
  )
}

function useDrawn({ times, series }: TimeChartProps, ghost?: ChartSeries) {
  const hues = useHues(series.flatMap((one) => (one.isOther === true ? [] : [one.id])))
  return useMemo(() => {
    const drawn = [...withColours(series, hues), ...(ghost === undefined ? [] : [asGhost(ghost)])]
    return { drawn, rows: rowsOf(times, drawn) }
  }, [ghost, hues, series, times])
}
