import { FigureTable, LineFigure, LineSample } from '#app/ui/figures.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { TimeField } from '#server/deals/find/columns.ts'
import type { Overview } from '#server/insight/wire.ts'
import { addDays } from '#server/protocol/zone.ts'
import { undatedPart } from './labels.ts'
import { LeftOut } from './left-out.tsx'
import { listHref } from './list-href.ts'
import { AsideLink, OverviewSection } from './section.tsx'

const lastDayOf = (monday: string) => addDays(monday, 6)

/** Shows the deals created, installed and funded by week. */
export function Trend({ weeks, undated, nowMs }: Pick<Overview, 'weeks' | 'undated'> & { nowMs: number }) {
  const { formatDay } = useFormat()
  const dayOf = (day: string) => formatDay(`${day}T00:00:00Z`, nowMs)
  return (
    <OverviewSection
      title={`Last ${weeks.length} weeks`}
      aside={<AsideLink href="/flow/trends">View trends</AsideLink>}
    >
      <Legend weeks={weeks} />
      <LineFigure
        points={weeks}
        series={weekSeries}
        dayOf={dayOf}
        unfinished="This week"
        titleOf={(day) => `Week of ${dayOf(day)}`}
        hrefOf={(day, name) =>
          hrefOf(weekSeries.find((each) => each.name === name)!.field, day, lastDayOf(day))
        }
      />
      <FigureTable
        title="Week of"
        rows={weeks}
        series={weekSeries}
        keyOf={({ from }) => from}
        dayOf={({ from }) => dayOf(from)}
        cell={({ from, ...counts }, { name, field }) => (
          <Link
            href={hrefOf(field, from, lastDayOf(from))}
            prefetch={false}
            className="rounded hover:underline"
          >
            {formatCount(counts[name])}
          </Link>
        )}
        look={{ summary: 'rounded-b-xl px-4 sm:px-5', table: 'overflow-x-auto px-4 pb-4 sm:px-5' }}
      />
      <LeftOut className="px-4 pb-4 sm:px-5" parts={undated.map(undatedPart)} />
    </OverviewSection>
  )
}

/** Links to the deals with a date between these days. */
const hrefOf = (field: TimeField, from: string, to: string) =>
  listHref({ dates: { [field]: { from, to } } }, { field, direction: 'desc' })

function Legend({ weeks }: Pick<Overview, 'weeks'>) {
  const [from, to] = [weeks[0]!.from, lastDayOf(weeks.at(-1)!.from)]
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 px-4 pb-3 sm:px-5">
      {weekSeries.map((series) => (
        <li key={series.name}>
          <Link
            href={hrefOf(series.field, from, to)}
            prefetch={false}
            className="flex items-center gap-2 rounded hover:underline"
          >
            <LineSample series={series} />
            <span className="text-ink-soft">{series.label}</span>
            <span className="font-medium tabular-nums">
              {formatCount(weeks.reduce((sum, week) => sum + week[series.name], 0))}
              <span className="sr-only"> deals</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The figures counted by week. `dash` distinguishes the lines without color. */
const weekSeries = [
  { name: 'created', label: 'Created', field: 'createDate', color: 'var(--info)', dash: '5 5' },
  {
    name: 'installed',
    label: 'Installed',
    field: 'installComplete',
    color: 'var(--teal)',
    dash: undefined,
  },
  {
    name: 'funded',
    label: 'Funding submitted',
    field: 'fundingSubmitted',
    color: 'var(--good)',
    dash: '1 5',
  },
] as const satisfies {
  name: string
  label: string
  field: TimeField
  color: string
  dash: string | undefined
}[]
