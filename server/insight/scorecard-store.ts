import type { Fragment } from 'postgres'
import { bitsOf, listed } from '#db/fragments.ts'
import { isWithin } from '../accounts/store.ts'
import { rolesOf } from '../deals/columns.ts'
import { fieldOf } from '../deals/milestone.ts'
import { conditionOf } from '../search/condition-store.ts'
import type { TotalsKind } from '../search/read-totals.ts'
import { onceEach, dayNumberBySql, timeOf } from '../search/step-store.ts'
import type { DealSnapshot } from '../search/totals-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { dayWindows } from '../values/day-choice.ts'
import { toCents } from '../values/units.ts'
import { addDays } from '../values/zone.ts'
import { flowKind } from './flow-store.ts'
import { type DayCount, stepUsualOf } from './periods.ts'
import { type RepRole, repRoles } from './reports-wire.ts'
import { type RepTotals, type ScorecardTotals, fundedFilter, repCounts, repFilters } from './scorecard.ts'

/** Maximum number of reps reported per role. The reps with the most deals are kept. */
const repsMax = 200

/** Most deals installed in the window were sold within this many days before. */
const soldWithinDays = 3 * 365

/** A rep's deals in a role with the same number of days from sale to install, or null if unknown. */
interface RepGroup {
  role: RepRole
  name: string
  days: number | null
  /** The number of deals, and how many deals match each of `askedFilters`. */
  counts: [all: number, ...matched: number[]]
  /** Total dollars of the deals that match each filter. */
  amounts: number[]
}

/** Returns the filters counted for each rep. Filter `index` has bit `1 << index`. */
const askedFilters = (today: string): DealFilter[] => {
  const filters = repFilters(today)
  return [
    ...repCounts.map((name) => filters[name]),
    ...dayWindows.map((window) => fundedFilter(window, today)),
  ]
}

/**
 * Returns a `from` clause with the tenant's deals, the filters that each deal matches, and the days from sale
 * to install.
 */
function askedDeals({ sql, tenant, zone, today }: DealSnapshot): Fragment {
  const matches = (filter: DealFilter) => conditionOf(sql, { tenant, filter, zone })
  const bits = askedFilters(today).map(
    (filter, bit) => sql`case when ${matches(filter)} then ${1 << bit}::integer else 0 end`,
  )
  const dayOfField = (name: 'created' | 'install') =>
    dayNumberBySql(sql, timeOf(sql, fieldOf(name, 'end')), addDays(today, -soldWithinDays), zone)
  return sql`(
    select people, roles, amount, ${bitsOf(sql, bits)} as matched,
      case when ${matches(repFilters(today).installed)}
        then greatest(0, ${dayOfField('install')} - (${dayOfField('created')})) end as days
    from deals where ${isWithin(sql, tenant)} ${onceEach(sql)}) deals`
}

/** Returns the tenant's deals by rep, role and days to install. */
async function readReps(snapshot: DealSnapshot) {
  const { sql, today } = snapshot
  const counts = askedFilters(today).map(
    (_, bit) => sql`count(*) filter (where matched & ${1 << bit}::integer <> 0)`,
  )
  const amounts = askedFilters(today).map(
    (_, bit) => sql`coalesce(sum(amount) filter (where matched & ${1 << bit}::integer <> 0), 0)`,
  )
  const masks = repRoles.map((role) => rolesOf([role]))
  return sql<RepGroup[]>`
    select role, people.name, days, counts, amounts
    from (
      select rep.id, asked_role.role, days, array[count(*), ${listed(sql, counts)}]::float8[] as counts,
        array[${listed(sql, amounts)}]::float8[] as amounts
      from ${askedDeals(snapshot)}
        cross join lateral unnest(people, deals.roles) as rep (id, roles)
        join unnest(${[...repRoles]}::text[], ${masks}::integer[]) as asked_role (role, mask) on rep.roles & mask <> 0
      group by 1, 2, 3
    ) reps join people using (id)`
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0)

/** Returns the totals of each rep in a role, sorted by the number of deals. */
function repsOf(role: RepRole, groups: readonly RepGroup[]): RepTotals[] {
  const named = Map.groupBy(
    groups.filter((group) => group.role === role),
    ({ name }) => name,
  )
  return [...named]
    .map(([name, own]) => {
      const tally = (index: number) => ({
        count: sumOf(own.map(({ counts }) => counts[1 + index]!)),
        amount: toCents(sumOf(own.map(({ amounts }) => amounts[index]!))),
      })
      return {
        all: sumOf(own.map(({ counts }) => counts[0])),
        totals: {
          role,
          name,
          counts: Object.fromEntries(repCounts.map((each, index) => [each, tally(index)])),
          funded: dayWindows.map((_, index) => tally(repCounts.length + index)),
          install: stepUsualOf(
            own.flatMap(({ days, counts }) => (days === null ? [] : [{ days, count: counts[0] }])),
          ),
        } as RepTotals,
      }
    })
    .toSorted((a, b) => b.all - a.all || a.totals.name.localeCompare(b.totals.name))
    .slice(0, repsMax)
    .map(({ totals }) => totals)
}

async function computeScorecard(snapshot: DealSnapshot): Promise<ScorecardTotals> {
  const { sql, today } = snapshot
  const groups = await readReps(snapshot)
  const team = await sql<DayCount[]>`
    select days, count(*)::float8 as count from ${askedDeals(snapshot)}
    where days is not null group by 1`
  return { today, reps: repRoles.flatMap((role) => repsOf(role, groups)), team: stepUsualOf([...team]) }
}

export const scorecardTotals: TotalsKind<ScorecardTotals> = {
  ...flowKind,
  name: 'scorecard-2',
  compute: computeScorecard,
}
