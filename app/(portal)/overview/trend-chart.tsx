import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount } from '#app/ui/format.ts'
import type { WeekCount } from '#server/insight/wire.ts'
import { weekSeries } from './series.ts'

/** Shows the weeks as lines. The section has the same figures as a table. */
export function TrendChart({ weeks, dayOf }: { weeks: WeekCount[]; dayOf: (day: string) => string }) {
  const tick = { fill: 'var(--ink-soft)', fontSize: 12 }
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={weeks} accessibilityLayer={false} margin={{ top: 8, right: 24, bottom: 4, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="from"
          tickFormatter={dayOf}
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: 'var(--line)' }}
          tickMargin={8}
          minTickGap={24}
        />
        <YAxis
          allowDecimals={false}
          tickFormatter={formatCount}
          tick={tick}
          tickLine={false}
          axisLine={false}
          width={44}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--control)' }}
          content={({ active, payload, label }) =>
            active && (
              <div className="rounded-lg border border-line bg-surface px-3 py-2 shadow-lg">
                <p className="mb-1 font-medium">Week of {dayOf(String(label))}</p>
                {payload.map(({ name, value, color }) => (
                  <p key={name} className="flex items-center gap-2 text-ink-soft">
                    <svg width="8" height="8">
                      <circle cx="4" cy="4" r="4" fill={color} />
                    </svg>
                    {name}
                    <span className="ml-auto pl-4 font-medium text-ink tabular-nums">
                      {formatCount(Number(value))}
                    </span>
                  </p>
                ))}
              </div>
            )
          }
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
