import { CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount } from './format.ts'

const tick = { fill: 'var(--ink-soft)', fontSize: 12 }

/** The grid, axes and tooltip of a chart by day. `titleOf` is the tooltip's title for a day. */
export function ChartFrame({
  dayKey,
  dayOf,
  titleOf,
  cursor,
  format = (value) => formatCount(value),
}: {
  dayKey: string
  dayOf: (day: string) => string
  titleOf: (day: string) => string
  /** Marks the day under the pointer. */
  cursor: { fill?: string; stroke?: string }
  /** Formats a value; by default as a count. */
  format?: (value: number) => string
}) {
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey={dayKey}
        tickFormatter={dayOf}
        tick={tick}
        tickLine={false}
        axisLine={{ stroke: 'var(--line)' }}
        tickMargin={8}
        minTickGap={24}
      />
      <YAxis
        allowDecimals={false}
        tickFormatter={(value: number) => format(value)}
        tick={tick}
        tickLine={false}
        axisLine={false}
        width={44}
      />
      <Tooltip
        isAnimationActive={false}
        cursor={cursor}
        content={({ active, payload, label }) =>
          active && (
            <div className="rounded-lg border border-line bg-surface px-3 py-2 shadow-lg">
              <p className="mb-1 font-medium">{titleOf(String(label))}</p>
              {payload
                .filter(({ type }) => type !== 'none')
                .map(({ name, value, color }) => (
                  <p key={name} className="flex items-center gap-2 text-ink-soft">
                    <svg width="8" height="8">
                      <circle cx="4" cy="4" r="4" fill={color} />
                    </svg>
                    {name}
                    <span className="ml-auto pl-4 font-medium text-ink tabular-nums">
                      {format(Number(value))}
                    </span>
                  </p>
                ))}
            </div>
          )
        }
      />
    </>
  )
}
