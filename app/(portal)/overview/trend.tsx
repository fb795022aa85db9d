import { ChevronRight } from 'lucide-react'
import dynamic from 'next/dynamic'
import { formatCount, formatDay } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Overview } from '#server/insight/wire.ts'
import { dayMs } from '#server/protocol/units.ts'
import { listHref } from './list-href.ts'
import { OverviewSection } from './section.tsx'
import { weekSeries } from './series.ts'

// The chart library is larger than the rest of the page; a table shows the same figures.
const TrendChart = dynamic(() => import('./trend-chart.tsx').then((module) => module.TrendChart), {
  ssr: false,
})

const lastDayOf = (monday: string) => new Date(Date.parse(monday) + 6 * dayMs).toISOString().slice(0, 10)

/** Shows the deals created, installed and funded by week. */
export function Trend({ weeks, nowMs }: Pick<Overview, 'weeks'> & { nowMs: number }) {
  const [from, to] = [weeks[0]!.from, lastDayOf(weeks.at(-1)!.from)]
  const dayOf = (day: string) => formatDay(`${day}T00:00:00Z`, nowMs)
  return (
    <OverviewSection title={`Last ${weeks.length} weeks`}>
      <ul className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 sm:px-5">
        {weekSeries.map(({ name, label, field, colour, dash }) => (
          <li key={name}>
            <Link
              href={listHref({ dates: { [field]: { from, to } } }, { field, direction: 'desc' })}
              prefetch={false}
              className="flex items-center gap-2 rounded hover:underline"
            >
              <svg aria-hidden="true" width="22" height="8">
                <line
                  x1="2"
                  x2="20"
                  y1="4"
                  y2="4"
                  stroke={colour}
                  strokeWidth="2.5"
                  strokeDasharray={dash}
                  strokeLinecap="round"
                />
              </svg>
              <span className="text-ink-soft">{label}</span>
              <span className="font-medium tabular-nums">
                {formatCount(weeks.reduce((sum, week) => sum + week[name], 0))}
                <span className="sr-only"> deals</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className="relative min-h-56 flex-1">
        <div className="absolute inset-0 px-1 sm:px-2">
          <TrendChart weeks={weeks} dayOf={dayOf} />
        </div>
      </div>
      <details className="group mt-2 border-t border-line">
        <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-b-xl px-4 py-3 text-ink-soft hover:text-ink focus-visible:-outline-offset-2 sm:px-5 [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
          Show figures
        </summary>
        <div className="overflow-x-auto px-4 pb-4 sm:px-5">
          <table className="w-full text-right tabular-nums">
            <thead className="text-xs text-ink-soft">
              <tr>
                <th scope="col" className="py-1.5 text-left font-medium">
                  Week of
                </th>
                {weekSeries.map(({ name, label }) => (
                  <th key={name} scope="col" className="py-1.5 pl-4 font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week) => (
                <tr key={week.from} className="border-t border-line">
                  <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                    {dayOf(week.from)}
                  </th>
                  {weekSeries.map(({ name, field }) => (
                    <td key={name} className="py-1.5 pl-4">
                      <Link
                        href={listHref(
                          { dates: { [field]: { from: week.from, to: lastDayOf(week.from) } } },
                          { field, direction: 'desc' },
                        )}
                        prefetch={false}
                        className="rounded hover:underline"
                      >
                        {formatCount(week[name])}
                      </Link>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </OverviewSection>
  )
}
