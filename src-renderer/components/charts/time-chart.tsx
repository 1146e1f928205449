// Bars and lines over time. The drawing is hidden from screen readers, and so takes no focus; the table says the same.
// The chart library is large, so only pages that are loaded lazily may import this file.

import { useMemo } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { ChartFrame, type ChartProps } from '#renderer/components/charts/chart-frame.tsx'
import { ChartTip } from '#renderer/components/charts/chart-tip.tsx'
import { useHues } from '#renderer/components/charts/use-hues.ts'
import {
  asGhost,
  rowsOf,
  withColours,
  type ChartRow,
  type ChartSeries,
  type DrawnSeries,
} from '#renderer/data/series.ts'

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
  const bars = drawn.filter((one) => one.isGhost !== true)
  return (
    <ChartFrame {...props} series={drawn}>
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={rows} margin={MARGIN} accessibilityLayer={false} barCategoryGap="20%">
          {axes(props, drawn, rows)}
          {bars.map((one) => (
            <Bar
              key={one.id}
              dataKey={one.field}
              name={one.label}
              stackId="all"
              fill={one.colour}
              isAnimationActive={false}
              {...(onPick === undefined
                ? {}
                : { cursor: 'pointer', onClick: (_bar: unknown, index: number) => onPick(index, one.id) })}
            />
          ))}
          {ghost !== undefined && (
            <Line
              dataKey="ghost"
              name={ghost.label}
              stroke="var(--muted)"
              strokeWidth={1.5}
              strokeDasharray="4 3"
              dot={false}
              activeDot={false}
              isAnimationActive={false}
              // The bars behind the line are what can be clicked.
              style={{ pointerEvents: 'none' }}
            />
          )}
        </ComposedChart>
      </ResponsiveContainer>
    </ChartFrame>
  )
}

/** Series that are compared; unknown values leave a gap. */
export function Lines(props: TimeChartProps) {
  const { drawn, rows } = useDrawn(props)
  return (
    <ChartFrame {...props} series={drawn}>
      <ResponsiveContainer width="100%" height="100%">
        <LineChart data={rows} margin={MARGIN} accessibilityLayer={false}>
          {axes(props, drawn, rows)}
          {drawn.map((one) => (
            <Line
              key={one.id}
              dataKey={one.field}
              name={one.label}
              stroke={one.colour}
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </ChartFrame>
  )
}

const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 }
const TICK = { fill: 'var(--muted)', fontSize: 12 }

function useDrawn({ times, series }: TimeChartProps, ghost?: ChartSeries) {
  const hues = useHues(series.flatMap((one) => (one.isOther === true ? [] : [one.id])))
  return useMemo(() => {
    const drawn = [...withColours(series, hues), ...(ghost === undefined ? [] : [asGhost(ghost)])]
    return { drawn, rows: rowsOf(times, drawn) }
  }, [ghost, hues, series, times])
}

type AxesProps = ChartProps & { readonly isWhole?: boolean }

function axes(
  { timeText, valueText, isWhole = false }: AxesProps,
  drawn: readonly DrawnSeries[],
  rows: readonly ChartRow[],
) {
  const indexOf = (label: unknown) => {
    const index = rows.findIndex((row) => row.at === label)
    return index === -1 ? undefined : index
  }
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis dataKey="at" tickFormatter={timeText} tick={TICK} tickLine={false} axisLine={false} minTickGap={24} />
      <YAxis
        tickFormatter={valueText}
        tick={TICK}
        tickLine={false}
        axisLine={false}
        width="auto"
        allowDecimals={!isWhole}
      />
      <Tooltip
        cursor={{ fill: 'var(--sunken)', stroke: 'var(--line)' }}
        isAnimationActive={false}
        content={({ label }) => (
          <ChartTip
            index={indexOf(label)}
            title={typeof label === 'number' ? timeText(label) : ''}
            series={drawn}
            valueText={valueText}
            hasTotal={isWhole}
          />
        )}
      />
    </>
  )
}
