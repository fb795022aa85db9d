import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { SystemHealth } from './health.ts'
import { verdictText } from './labels.ts'

/** Says in one sentence whether all is well. */
export function AllWell({ troubles }: Pick<SystemHealth, 'troubles'>) {
  const isWell = troubles.length === 0
  const Icon = isWell ? CircleCheck : TriangleAlert
  return (
    <p className="mb-6 flex items-center gap-3 rounded-xl border border-line bg-surface p-5 text-base font-semibold sm:px-6">
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${isWell ? 'text-good' : 'text-bad'}`} />
      {verdictText(troubles)}
    </p>
  )
}

const [width, height] = [240, 36]

/** Shows the attempts of the last hour as bars, the failed ones at their feet; `label` says it in words. */
export function Sparkline({ series, label }: { series: SystemHealth['attemptSeries']; label: string }) {
  const most = Math.max(1, ...series.map(({ count }) => count))
  const step = width / series.length
  const bar = (index: number, count: number, fill: string) => (
    <rect
      x={index * step}
      y={height - (count / most) * height}
      width={step - 2}
      height={(count / most) * height}
      fill={fill}
    />
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      className="mt-4 h-9 w-60 max-w-full"
    >
      <line x1={0} x2={width} y1={height} y2={height} stroke="var(--line)" />
      {series.map(({ count, failed }, index) => (
        <g key={index}>
          {bar(index, count, 'var(--accent)')}
          {bar(index, failed, 'var(--bad)')}
        </g>
      ))}
    </svg>
  )
}
