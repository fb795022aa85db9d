import { Line, LineChart as Chart, ResponsiveContainer } from 'recharts'
import { ChartFrame } from './chart.tsx'

/** A line of a chart. `dash` distinguishes it without colour. */
export interface LineSeries {
  name: string
  label: string
  colour: string
  dash: string | undefined
}

/** What a line chart shows: points by day, each with a number for every series, null when it is not known. */
export interface Lines {
  points: readonly { from: string }[]
  series: readonly LineSeries[]
  dayOf: (day: string) => string
  /** The title of the tooltip; the day unless given. */
  titleOf?: (day: string) => string
  /** Formats a value; counts unless given. */
  format?: (value: number) => string
  /** Shows a point that has no neighbours. */
  hasDots?: boolean
}

/** Shows figures by day as lines. */
export function LineChart({ points, series, dayOf, titleOf = dayOf, format, hasDots = false }: Lines) {
  // Formatted values are wider than counts.
  const margin = { top: 8, right: 36, bottom: 4, left: format === undefined ? 0 : 16 }
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart data={points} accessibilityLayer={false} margin={margin}>
        <ChartFrame
          dayKey="from"
          dayOf={dayOf}
          titleOf={titleOf}
          cursor={{ stroke: 'var(--control)' }}
          {...(format && { format })}
        />
        {series.map(({ name, label, colour, dash }) => (
          <Line
            key={name}
            dataKey={name}
            name={label}
            type="monotone"
            stroke={colour}
            strokeWidth={2.5}
            strokeDasharray={dash}
            strokeLinecap="round"
            connectNulls
            dot={hasDots && { r: 2.5, fill: colour, strokeWidth: 0 }}
            activeDot={{ r: 4, stroke: 'var(--surface)' }}
            isAnimationActive={false}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  )
}
