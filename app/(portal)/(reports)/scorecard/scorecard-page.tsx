'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf, formatSum } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useVisibleAt } from '#app/ui/times.tsx'
import { type RepFigures, type RepRole, type Scorecard, repRoles } from '#server/insight/reports-wire.ts'
import type { DayWindow } from '#server/values/day-choice.ts'
import { windowChoices, windowText } from '../../deals/active-filters.ts'
import { fieldLabels } from '../../deals/fields.ts'
import { listHref } from '../../deals/list-href.ts'
import { DealsLink } from '../../home/section.tsx'
import { type SortName, scorecardQuery, sortReps } from './query.ts'

const roleChoices = repRoles.map((role) => ({ value: role, label: `${fieldLabels[role].label}s` }))

/** Shows the deals of each rep (open, late, stuck and funded, with amounts) and the days to install. */
export function ScorecardPage() {
  const [{ role, window }, setQuery] = useQueryStates(scorecardQuery.parsers)
  const query = trpc.insight.scorecard.useQuery(
    { window },
    { refetchInterval: refetchOld, placeholderData: keepPreviousData },
  )
  const { data } = query
  const nowMs = useVisibleAt(query)
  return (
    <>
      <PageHead
        title="Scorecard"
        about={
          <>
            The deals of each rep, and how long they take from creation to install.{' '}
            <AsOf asOf={data?.asOf ?? null} nowMs={nowMs} />
          </>
        }
      >
        <SelectField
          label="Role"
          isLabelShown={false}
          choices={roleChoices}
          value={role}
          onChange={({ target }) => void setQuery({ role: target.value as RepRole })}
        />
        <SelectField
          label="Submitted"
          isLabelShown={false}
          choices={windowChoices.map(({ value }) => ({
            value,
            label: `Submitted: ${windowText(value)}`,
          }))}
          value={window}
          onChange={({ target }) => void setQuery({ window: target.value as DayWindow })}
        />
      </PageHead>
      <QueryState what="the scorecard" query={query} data={data}>
        {(scorecard) => <Reps scorecard={scorecard} role={role} />}
      </QueryState>
    </>
  )
}

function Reps({ scorecard: { reps, team, window }, role }: { scorecard: Scorecard; role: RepRole }) {
  const [{ sort, ascending }, setQuery] = useQueryStates(scorecardQuery.parsers)
  const sorted = sortReps(
    reps.filter((rep) => rep.role === role),
    sort,
    ascending,
  )
  if (sorted.length === 0)
    return (
      <div className="rounded-xl border border-line bg-surface">
        <Notice icon={Gauge} title={`No ${fieldLabels[role].label.toLowerCase()}s`}>
          {reps.length > 0
            ? 'None of your deals have one. Choose another role.'
            : 'They appear here once deals name them.'}
        </Notice>
      </div>
    )
  const direction = ascending ? ('asc' as const) : ('desc' as const)
  const sortable = (name: SortName) => ({
    direction: sort === name ? direction : null,
    onSort: () => void setQuery({ sort: name, ascending: sort === name && !ascending }),
  })
  return (
    <>
      <ListTable
        label="Reps"
        columns={[
          repColumn,
          ...countColumns.map(({ name, title }) => ({ ...countColumn(name, title), sort: sortable(name) })),
          { ...installColumn(sorted.length > 1 ? team.median : null), sort: sortable('install') },
        ]}
        rows={sorted}
        keyOf={({ name }) => name}
      />
      <p className="mt-2 text-pretty text-ink-soft">
        Late: past a due date. Stuck: open and in the same stage for 30 days or more. Submitted: for funding (
        {windowText(window)}). To install: median days from creation to install, over the last 12 months;{' '}
        <TeamMedian team={team} /> Deals without these dates are not counted.
      </p>
    </>
  )
}

function TeamMedian({ team: { median, count, filter } }: Pick<Scorecard, 'team'>) {
  if (median === null) return 'too few to tell.'
  return (
    <>
      the team’s is{' '}
      <DealsLink count={count} filter={filter}>
        {formatCountOf(median, 'day')}
        <span className="sr-only"> of {formatCount(count)}</span>
      </DealsLink>
      .
    </>
  )
}

const repColumn: ListColumn<RepFigures> = {
  title: 'Rep',
  cell: ({ name, role, isMine }) => (
    <span className="flex flex-wrap items-center gap-2">
      <Link
        href={listHref({ people: [name], roles: [role] })}
        prefetch={false}
        className="rounded wrap-anywhere hover:underline"
      >
        {name}
      </Link>
      {isMine && <Badge tone="info">You</Badge>}
    </span>
  ),
}

const countColumns = [
  { name: 'open', title: 'Open' },
  { name: 'late', title: 'Late' },
  { name: 'stuck', title: 'Stuck' },
  { name: 'funded', title: 'Submitted' },
] as const

const countColumn = (name: (typeof countColumns)[number]['name'], title: string): ListColumn<RepFigures> => ({
  title,
  isNumber: true,
  cell: ({ [name]: figure }) => (
    <DealsLink {...figure}>
      {formatCount(figure.count)}
      {figure.count > 0 && (
        <span className="block text-xs font-normal text-ink-soft"> {formatSum(figure)}</span>
      )}
    </DealsLink>
  ),
})

/** Shows the days to install, compared with the team's (`team` is null if unknown). */
const installColumn = (team: number | null): ListColumn<RepFigures> => ({
  title: 'To install',
  isNumber: true,
  isAlone: true,
  cell({ install: { median, count, filter } }) {
    if (median === null) return <span className="text-ink-soft">Fewer than 5 deals</span>
    return (
      <>
        <DealsLink count={count} filter={filter}>
          {formatCountOf(median, 'day')}
          <span className="sr-only"> of {formatCount(count)}</span>
        </DealsLink>
        {team !== null && <Compared days={median - team} />}
      </>
    )
  },
})

/** Differences of up to this many days are shown as equal. */
const sameDays = 2

/** Shows how a rep's days to install compare with the team's. */
function Compared({ days }: { days: number }) {
  const tone = days < 0 ? 'text-good' : 'text-bad'
  const isSame = Math.abs(days) <= sameDays
  return (
    <span className={`block text-xs ${isSame ? 'text-ink-soft' : tone}`}>
      {days === 0
        ? 'Same as the team'
        : `${formatCountOf(Math.abs(days), 'day')} ${days < 0 ? 'faster' : 'slower'} than the team`}
    </span>
  )
}
