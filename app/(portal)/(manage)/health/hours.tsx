import { useId } from 'react'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { SystemHealth } from './health.ts'
import { dayFigures } from './labels.ts'
import { Sparkline } from './sparkline.tsx'

/** Shows what was done in each of the last 24 hours, and how far the service was behind. */
export function Hours({ health }: { health: SystemHealth }) {
  return (
    <section aria-labelledby="last-hours" className="mb-6">
      <h2 id="last-hours" className="mb-3 font-semibold">
        Last 24 hours
      </h2>
      <ul className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-3">
        {dayFigures(health).map((figure) => (
          <Figure key={figure.title} {...figure} />
        ))}
      </ul>
    </section>
  )
}

function Figure({ title, value, hint, href, series }: ReturnType<typeof dayFigures>[number]) {
  const id = useId()
  const told = series.map(({ count }) => formatCount(Math.round(count))).join(', ')
  return (
    <li aria-labelledby={id} className="rounded-xl border border-line bg-surface px-4 py-4 sm:px-5">
      <h3 id={id} className="text-ink-soft">
        {href === null ? (
          title
        ) : (
          <Link href={href} className="rounded hover:underline">
            {title}
          </Link>
        )}
      </h3>
      <p className="mt-1 text-xl font-semibold tracking-tight tabular-nums sm:text-2xl">{value}</p>
      <p className="text-ink-soft tabular-nums">{hint}</p>
      <Sparkline
        series={series}
        label={`${title} by hour, the current one last: ${told}`}
        className="w-full"
      />
    </li>
  )
}
