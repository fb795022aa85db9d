import type { TenantScope } from '../../accounts/partner.ts'
import { type TotalsDeps, readOrCountTotals } from '../../search/totals/read-totals.ts'
import { makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import type { Zone } from '../../values/zone.ts'
import { makeMoneyFigures } from './money.ts'
import { moneyTotals } from './store.ts'
import type { MoneyFigures, MoneyReport } from './wire.ts'

/** Returns the money figures of the tenant's deals at `now`, with days in the zone. */
export async function readMoney(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<MoneyFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, tenant, moneyTotals, zone, now),
    readStages(deps.db, tenant),
  ])
  const { today, usual } = totals
  return { asOf, today, usual, ...makeMoneyFigures(totals, makeStageOf(stages)) }
}

/** Converts the money figures to REST form. */
export function reportOf(
  { asOf, today, gates, holds, expected, notExpected, unpriced }: MoneyFigures,
  now: Date,
): MoneyReport {
  return {
    asOf: asOf ?? now.toISOString(),
    today,
    gates: gates.map(({ name: gate, count, amount, ages }) => ({
      gate,
      count,
      amount,
      ages: ages.map((age) => ({ days: age.name, count: age.count, amount: age.amount })),
      holds: holds
        .filter((each) => each.gate === gate)
        .map(({ name: hold, holders, count: held, amount: heldAmount }) => ({
          hold,
          holder: holders.length === 1 ? holders[0]! : null,
          count: held,
          amount: heldAmount,
        })),
    })),
    expected: expected.map(({ name: what, certainty, period, from, to, count, amount }) => ({
      what,
      certainty,
      period,
      from,
      to,
      count,
      amount,
    })),
    notExpected: notExpected.map(({ name: what, count, amount }) => ({ what, count, amount })),
    unpriced: unpriced.count,
  }
}
