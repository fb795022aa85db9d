const [width, height] = [240, 36]

/** Shows numbers in the order of time as bars, the failed ones at their feet; `label` says them in words. */
export function Sparkline({
  series,
  label,
  className = 'w-60',
}: {
  series: { count: number; failed: number }[]
  label: string
  className?: string
}) {
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
      preserveAspectRatio="none"
      className={`mt-4 h-9 max-w-full ${className}`}
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
