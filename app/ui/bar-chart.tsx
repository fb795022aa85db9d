import {
  Bar,
  BarChart as Chart,
  type BarShapeProps,
  CartesianGrid,
  Rectangle,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts'
import { useRouter } from './link.tsx'

interface BarSeries {
  name: string
  label: string
  color: string
}

/** Data of a bar chart: points by day, each with one number per series (null if unknown). */
export interface Bars {
  points: readonly { from: string }[]
  series: readonly BarSeries[]
  dayOf: (day: string) => string
  format: (value: number) => string
  /** Label of the last point, whose period has not ended, such as `This week`. */
  unfinished: string
  /** Returns the page that a bar links to, by day and series name. */
  hrefOf: (day: string, name: string) => string
}

const axis = { tick: { fill: 'var(--ink-soft)', fontSize: 12 }, tickLine: false }

/** Shows a bar chart by day. Bars of an unfinished period are pale. */
export function BarChart({ points, series, dayOf, format, unfinished, hrefOf }: Bars) {
  const { push } = useRouter()
  const last = points.at(-1)?.from
  const labelOf = (day: string) => (day === last ? unfinished : dayOf(day))
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart
        data={points}
        accessibilityLayer={false}
        margin={{ top: 8, right: 8, bottom: 4, left: 16 }}
        barGap={0}
        barCategoryGap="15%"
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          {...axis}
          dataKey="from"
          tickFormatter={labelOf}
          axisLine={{ stroke: 'var(--line)' }}
          tickMargin={8}
          minTickGap={24}
        />
        <YAxis {...axis} allowDecimals={false} tickFormatter={format} axisLine={false} width={44} />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--sunken)' }}
          content={(tip) => tip.active && <Tip {...tip} title={labelOf(String(tip.label))} format={format} />}
        />
        {series.map(({ name, label, color }) => (
          <Bar
            key={name}
            dataKey={name}
            name={label}
            fill={color}
            radius={[2, 2, 0, 0]}
            isAnimationActive={false}
            shape={(bar: BarShapeProps) => {
              const { from } = bar.payload as { from: string }
              return (
                <Rectangle
                  {...bar}
                  data-bar
                  fillOpacity={from === last ? 0.45 : 1}
                  className="cursor-pointer"
                  onClick={() => push(hrefOf(from, name))}
                />
              )
            }}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  )
}

const Tip = ({
  payload,
  title,
  format,
}: Pick<TooltipContentProps, 'payload'> & { title: string; format: (value: number) => string }) => (
  <div className="rounded-lg border border-line bg-surface px-3 py-2 shadow-lg">
    <p className="mb-1 font-medium">{title}</p>
    {payload.map(({ name, value, color }) => (
      <p key={name} className="flex items-center gap-2 text-ink-soft">
        <svg width="8" height="8">
          <circle cx="4" cy="4" r="4" fill={color} />
        </svg>
        {name}
        <span className="ml-auto pl-4 font-medium text-ink tabular-nums">
          {value === undefined ? '–' : format(Number(value))}
        </span>
      </p>
    ))}
  </div>
)
