import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount } from '#app/ui/format.ts'
import type { TokenDay } from '#server/tokens/wire.ts'
import { usageSeries } from './series.ts'

/** Shows requests and errors by day as bars. The dialog has the same figures as a table. */
export function UsageChart({ days, dayOf }: { days: TokenDay[]; dayOf: (day: string) => string }) {
  const tick = { fill: 'var(--ink-soft)', fontSize: 12 }
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={days}
        accessibilityLayer={false}
        margin={{ top: 8, right: 8, bottom: 4, left: 0 }}
        barGap={0}
        barCategoryGap="15%"
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="day"
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
          cursor={{ fill: 'var(--sunken)' }}
          content={({ active, payload, label }) =>
            active && (
              <div className="rounded-lg border border-line bg-surface px-3 py-2 shadow-lg">
                <p className="mb-1 font-medium">{dayOf(String(label))}</p>
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
        {usageSeries.map(({ name, label, colour }) => (
          <Bar
            key={name}
            dataKey={name}
            name={label}
            fill={colour}
            radius={[2, 2, 0, 0]}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  )
}
