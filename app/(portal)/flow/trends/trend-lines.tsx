import { Line, LineChart, ResponsiveContainer } from 'recharts'
import { ChartFrame } from '#app/ui/chart.tsx'
import { trendSeries } from './labels.ts'

/** Shows a measure of each event as a line. The section has the same figures as a table. */
export function TrendLines({
  points,
  dayOf,
  format,
}: {
  points: Record<string, string | number | null>[]
  dayOf: (day: string) => string
  format: (value: number) => string
}) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={points} accessibilityLayer={false} margin={{ top: 8, right: 36, bottom: 4, left: 16 }}>
        <ChartFrame
          dayKey="from"
          dayOf={dayOf}
          titleOf={dayOf}
          cursor={{ stroke: 'var(--control)' }}
          format={format}
        />
        {trendSeries.map(({ name, label, colour, dash }) => (
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
            dot={false}
            activeDot={{ r: 4, stroke: 'var(--surface)' }}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  )
}
