import { Bar, BarChart, ResponsiveContainer } from 'recharts'
import { ChartFrame } from '#app/ui/chart.tsx'
import type { TokenDay } from '#server/tokens/wire.ts'
import { usageSeries } from './labels.ts'

/** Shows requests and errors by day as bars. The dialog has the same figures as a table. */
export function UsageChart({ days, dayOf }: { days: TokenDay[]; dayOf: (day: string) => string }) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={days}
        accessibilityLayer={false}
        margin={{ top: 8, right: 8, bottom: 4, left: 0 }}
        barGap={0}
        barCategoryGap="15%"
      >
        <ChartFrame dayKey="day" dayOf={dayOf} titleOf={dayOf} cursor={{ fill: 'var(--sunken)' }} />
        {usageSeries.map(({ name, label, color }) => (
          <Bar
            key={name}
            dataKey={name}
            name={label}
            fill={color}
            radius={[2, 2, 0, 0]}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  )
}
