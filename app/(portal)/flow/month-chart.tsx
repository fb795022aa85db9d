import { Line, LineChart, ResponsiveContainer } from 'recharts'
import { ChartFrame } from '#app/ui/chart.tsx'
import { formatMonth } from '#app/ui/format.ts'
import { monthSeries } from './series.ts'

/** Shows the days of a step as lines. The section has the same figures as a table. */
export function MonthChart({
  months,
}: {
  months: { from: string; median: number | null; slow: number | null }[]
}) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={months} accessibilityLayer={false} margin={{ top: 8, right: 36, bottom: 4, left: 0 }}>
        <ChartFrame
          dayKey="from"
          dayOf={formatMonth}
          titleOf={formatMonth}
          cursor={{ stroke: 'var(--control)' }}
        />
        {monthSeries.map(({ name, label, colour, dash }) =>
          name === 'count' ? null : (
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
              dot={{ r: 2.5, fill: colour, strokeWidth: 0 }}
              activeDot={{ r: 4, stroke: 'var(--surface)' }}
              isAnimationActive={false}
            />
          ),
        )}
      </LineChart>
    </ResponsiveContainer>
  )
}
