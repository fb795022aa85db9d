import { Line, LineChart, ResponsiveContainer } from 'recharts'
import { ChartFrame } from '#app/ui/chart.tsx'
import type { WeekCount } from '#server/insight/wire.ts'
import { weekSeries } from './series.ts'

/** Shows the weeks as lines. The section has the same figures as a table. */
export function TrendChart({ weeks, dayOf }: { weeks: WeekCount[]; dayOf: (day: string) => string }) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={weeks} accessibilityLayer={false} margin={{ top: 8, right: 24, bottom: 4, left: 0 }}>
        <ChartFrame
          dayKey="from"
          dayOf={dayOf}
          titleOf={(day) => `Week of ${dayOf(day)}`}
          cursor={{ stroke: 'var(--control)' }}
        />
        {weekSeries.map(({ name, label, colour, dash }) => (
          <Line
            key={name}
            dataKey={name}
            name={label}
            type="monotone"
            stroke={colour}
            strokeWidth={2.5}
            strokeDasharray={dash}
            strokeLinecap="round"
            dot={false}
            activeDot={{ r: 4, stroke: 'var(--surface)' }}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  )
}
