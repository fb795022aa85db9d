import type { Fragment } from 'postgres'
import { bitsOf, inRow } from '#db/fragments.ts'
import { isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { openGates, sinceFields } from '../deals/blocker.ts'
import type { TimeField } from '../deals/columns.ts'
import { conditionOf } from '../search/condition-store.ts'
import { type TotalsDeps, readOrCountTotals, type TotalsKind } from '../search/read-totals.ts'
import { isOnDays, timeOf } from '../search/step-store.ts'
import type { DealSnapshot, ZonedTenant } from '../search/totals-store.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { addDays } from '../values/zone.ts'
import { ageEnds, ages, type Usual, expectationFilter, expectedNames, usualSpans } from './expectation.ts'
import { readDurations } from './flow-store.ts'
import { homeTotals } from './home-store.ts'
import {
  makeMoneyFigures,
  type MoneyGroup,
  type MoneyTotals,
  type StageAge,
  expectationPeriodsOf,
} from './money.ts'
import { daysOfFlow, usualPeriod, usualOf } from './periods.ts'
import type { MoneyFigures } from './wire.ts'

/** Returns an SQL expression for the age of deals, based on this date field. */
function ageOf({ sql, zone, today }: DealSnapshot, field: TimeField): Fragment {
  const cases = ageEnds.map(
    (end, index) =>
      sql`when ${isOnDays(sql, field, { from: addDays(today, -end) }, zone)} then ${ages[index]!}::text`,
  )
  return sql`case when ${timeOf(sql, field)} is null then 'unknown' ${inRow(sql, cases)} else 'over-60' end`
}

/** Returns the tenant's deals grouped by gate, blocker and expected date. */
function readGroups(snapshot: DealSnapshot, usual: Usual): Promise<MoneyGroup[]> {
  const { sql, tenant, zone, today } = snapshot
  const aged = openGates.map((gate) => sql`when ${gate} then ${ageOf(snapshot, sinceFields[gate])}`)
  const bits = expectationPeriodsOf(usual, today).map(({ expectation, days }, bit) => {
    const filter = expectationFilter(expectation, days)
    return sql`case when gate = any(${expectation.gates}::text[])
      and ${conditionOf(sql, { tenant, filter, zone })} then ${1 << bit}::integer else 0 end`
  })
  return sql<MoneyGroup[]>`
    select coalesce(stage, '') as stage, gate, coalesce(hold, 'unknown') as hold,
      case gate ${inRow(sql, aged)} end as age, ${bitsOf(sql, bits)} as matched,
      count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount
    from deals where ${isWithin(sql, tenant)} and gate is not null
    group by 1, 2, 3, 4, 5`
}

const readStageAges = (snapshot: DealSnapshot): Promise<StageAge[]> =>
  snapshot.sql<StageAge[]>`
    select coalesce(stage, '') as stage, gate is null as "isTicket",
      ${ageOf(snapshot, sinceFields.paid)} as age,
      count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount,
      (count(*) filter (where amount is null))::float8 as unpriced
    from deals where ${isWithin(snapshot.sql, snapshot.tenant)} group by 1, 2, 3`

/**
 * Returns the usual duration of each expected step, from the same deals and days as the Flow page. Returns
 * none for all partners together, because each deal is expected by the durations of its own partner.
 */
async function readUsual(snapshot: DealSnapshot): Promise<Usual> {
  const { from } = daysOfFlow(usualPeriod, snapshot.today).now
  const days = isEveryone(snapshot.tenant) ? [] : await readDurations(snapshot, [from], usualSpans)
  return Object.fromEntries(
    expectedNames.map((name) => [name, usualOf(days.filter(({ step }) => step === name))]),
  ) as Usual
}

async function computeMoney(snapshot: DealSnapshot): Promise<MoneyTotals> {
  const usual = await readUsual(snapshot)
  return {
    today: snapshot.today,
    groups: await readGroups(snapshot, usual),
    stageAges: await readStageAges(snapshot),
    usual,
  }
}

export const moneyTotals: TotalsKind<MoneyTotals> = {
  name: 'money-8',
  isByZone: true,
  // Ten times the work of Home, about 30 ms.
  atOnceMax: 2000,
  compute: computeMoney,
  // Money totals expire with the totals of Home, because both depend on the current day and step.
  validUntil: homeTotals.validUntil!,
}

/** Returns the money figures of the tenant's deals at `now`, with days in the zone. */
export async function readMoney(deps: TotalsDeps, viewer: ZonedTenant, now: Date): Promise<MoneyFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, moneyTotals, viewer, now),
    readStages(deps.db, viewer.tenant),
  ])
  const { today, usual } = totals
  return { asOf, today, usual, ...makeMoneyFigures(totals, makeStageOf(stages)) }
}
