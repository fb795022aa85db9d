import { type ActiveDotProps, Line, LineChart as Chart, ReferenceArea, ResponsiveContainer } from 'recharts'
import { ChartFrame } from './chart.tsx'
import { useRouter } from './link.tsx'
import { partsOf } from './unfinished.ts'

/** A line of a chart. `dash` distinguishes it without color. */
export interface LineSeries {
  name: string
  label: string
  color: string
  dash: string | undefined
}

/** The data of a line chart: points by day, each with a number per series, null if unknown. */
export interface Lines {
  points: readonly { from: string }[]
  series: readonly LineSeries[]
  dayOf: (day: string) => string
  /** The title of the tooltip; by default the day. */
  titleOf?: (day: string) => string
  /** Formats a value; by default as a count. */
  format?: (value: number) => string
  /** Label of a last point with an unfinished span: `This week`. */
  unfinished?: string
  /** Shows points without neighbors. */
  hasDots?: boolean
  /** The page that a point links to, by its day and the name of its series; by default none. */
  hrefOf?: (day: string, name: string) => string
}

/** Shows figures by day as lines. */
export function LineChart({
  points,
  series,
  dayOf,
  titleOf = dayOf,
  format,
  unfinished,
  hasDots = false,
  hrefOf,
}: Lines) {
  const { push } = useRouter()
  // Formatted values are wider than counts.
  const [before, last] = points.slice(-2).map(({ from }) => from)
  const isUnfinished = (day: string) => unfinished !== undefined && day === last
  const margin = { top: 8, right: 36, bottom: 4, left: format === undefined ? 0 : 16 }
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart data={points} accessibilityLayer={false} margin={margin}>
        <ChartFrame
          dayKey="from"
          dayOf={(day) => (isUnfinished(day) ? unfinished! : dayOf(day))}
          titleOf={(day) => (isUnfinished(day) ? `${titleOf(day)}, so far` : titleOf(day))}
          cursor={{ stroke: 'var(--control)' }}
          {...(format && { format })}
        />
        {unfinished !== undefined && last !== undefined && (
          <ReferenceArea x1={before!} x2={last} fill="var(--sunken)" fillOpacity={1} ifOverflow="visible" />
        )}
        {unfinished !== undefined && series.map((each) => partLines(each, points))}
        {series.map(({ name, label, color, dash }) => (
          <Line
            key={name}
            dataKey={name}
            name={label}
            type="monotone"
            stroke={color}
            // The line's two parts are drawn instead.
            strokeOpacity={unfinished === undefined ? 1 : 0}
            strokeWidth={2.5}
            strokeDasharray={dash}
            strokeLinecap="round"
            connectNulls
            dot={hasDots && { r: 2.5, fill: color, strokeWidth: 0 }}
            activeDot={(dot: ActiveDotProps) => (
              <PointedDot
                dot={dot}
                {...(hrefOf && { open: () => push(hrefOf((dot.payload as { from: string }).from, name)) })}
              />
            )}
            isAnimationActive={false}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  )
}

/**
 * Draws a line up to the last finished span, and from there straight, thin and dotted to the unfinished one.
 */
function partLines({ name, color, dash }: LineSeries, points: Lines['points']) {
  const { finished, unfinished } = partsOf(name, points)
  const part = {
    stroke: color,
    strokeLinecap: 'round',
    tooltipType: 'none',
    connectNulls: true,
    dot: false,
    activeDot: false,
    isAnimationActive: false,
  } as const
  return [
    <Line
      key={`${name} finished`}
      {...part}
      dataKey={finished}
      type="monotone"
      strokeWidth={2.5}
      strokeDasharray={dash}
    />,
    <Line
      key={`${name} unfinished`}
      {...part}
      dataKey={unfinished}
      className="unfinished"
      type="linear"
      strokeWidth={1.5}
      strokeDasharray="1 4"
    />,
  ]
}

/** Shows the hovered point of a line; a larger circle around it is easier to hit. */
function PointedDot({ dot: { cx, cy, fill }, open }: { dot: ActiveDotProps; open?: () => void }) {
  if (cx === undefined || cy === undefined) return <g />
  return (
    <g data-point onClick={open} className={open && 'cursor-pointer'}>
      <circle cx={cx} cy={cy} r={12} fill="transparent" />
      <circle cx={cx} cy={cy} r={4} fill={fill} stroke="var(--surface)" strokeWidth={2} />
    </g>
  )
}
