// What the chart library draws. It weighs as much as everything else, so that only time-chart.tsx imports this file, when there is something to draw.

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
import type { ChartProps } from '#renderer/components/charts/chart-frame.tsx'
import { ChartTip } from '#renderer/components/charts/chart-tip.tsx'
import type { ChartRow, DrawnSeries } from '#renderer/data/series.ts'

type DrawingProps = Pick<ChartProps, 'timeText' | 'valueText'> & {
  readonly drawn: readonly DrawnSeries[]
  readonly rows: readonly ChartRow[]
  /** The values are whole numbers. */
  readonly isWhole?: boolean | undefined
}

type BarDrawingProps = DrawingProps & { readonly onPick?: ((index: number, seriesId: string) => void) | undefined }

export function BarDrawing({ onPick, ...props }: BarDrawingProps) {
  const { drawn, rows } = props
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={rows} margin={MARGIN} accessibilityLayer={false} barCategoryGap="20%">
        {axes(props)}
        {drawn.map((one) =>
          one.isGhost === true ? null : (
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
          ),
        )}
        {drawn.map((one) =>
          one.isGhost === true ? (
            <Line
              key={one.id}
              dataKey={one.field}
              name={one.label}
              stroke={one.colour}
              strokeWidth={1.5}
              strokeDasharray="4 3"
              dot={false}
              activeDot={false}
              isAnimationActive={false}
              // The bars behind the line are what can be clicked.
              style={{ pointerEvents: 'none' }}
            />
          ) : null,
        )}
      </ComposedChart>
    </ResponsiveContainer>
  )
}

export function LineDrawing(props: DrawingProps) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={props.rows} margin={MARGIN} accessibilityLayer={false}>
        {axes(props)}
        {props.drawn.map((one) => (
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
  )
}

const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 }
const TICK = { fill: 'var(--muted)', fontSize: 12 }

function axes({ timeText, valueText, isWhole = false, drawn, rows }: DrawingProps) {
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
