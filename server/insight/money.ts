import {
  type Gate,
  type Blocker,
  type OpenGate,
  gates,
  rolesResponsibleFor,
  blockers,
  openGates,
  sinceFields,
} from '../deals/blocker.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { type StageKind, type StageOf, isClosed, isOnHold, isLost, isWon } from '../stages/stage.ts'
import { type Tally, tallyOf } from '../values/units.ts'
import {
  type Age,
  ageFilter,
  ages,
  type Usual,
  daysOfPeriod,
  expectationFilter,
  expectationsOf,
  expectedNames,
  gatesOfExpected,
  periods,
} from './expectation.ts'
import type { Counted, ExpectedFigure, GateFigure, HoldFigure, NotExpected } from './wire.ts'

/** Deals that the money figures treat the same, as if all were open. */
export interface MoneyGroup extends Tally {
  stage: string
  gate: OpenGate
  hold: Blocker
  age: Age
  /**
   * Bit mask of the matching expectations and periods: bit `1 << index`, in the order of
   * `expectationPeriodsOf`.
   */
  matched: number
}

/** Deals of a stage, by time in the stage. */
export interface StageAge extends Tally {
  stage: string
  isTicket: boolean
  age: Age
  unpriced: number
}

/** The totals that the money figures are computed from, as of a day such as `2026-03-01`. */
export interface MoneyTotals {
  today: string
  groups: MoneyGroup[]
  stageAges: StageAge[]
  usual: Usual
}

/** Sorts by amount, descending, because lists of any length support this order. */
const byAmount: DealSort = { field: 'amount', direction: 'desc' }

/** Returns every combination of expectation and non-empty period, in counting order. */
export const expectationPeriodsOf = (usual: Usual, today: string) =>
  expectationsOf(usual).flatMap((expectation) =>
    periods.flatMap((period) => {
      const days = daysOfPeriod(period, today)
      return days === null ? [] : [{ expectation, period, days }]
    }),
  )

const isOn = (kind: StageKind) => !isClosed(kind)

interface GroupsByState {
  today: string
  usual: Usual
  open: MoneyGroup[]
  won: StageAge[]
  /** Excludes service tickets, for filters without a gate. */
  withoutTickets: DealFilter
}

/** Computes money figures from totals and the current stages. */
export function makeMoneyFigures(totals: MoneyTotals, stageOf: StageOf) {
  const groups = groupByState(totals, stageOf)
  return {
    gates: gates.map((gate) => gateFigure(groups, gate)),
    holds: openGates
      .flatMap((gate) => blockers.map((blocker) => holdFigure(groups, blocker, gate, stageOf)))
      .filter(({ count }) => count > 0),
    expected: expectedFigures(groups),
    notExpected: notExpectedFigures(groups),
    unpriced: unpricedFigure(totals, groups, stageOf),
  }
}

function groupByState({ today, usual, groups, stageAges }: MoneyTotals, stageOf: StageOf): GroupsByState {
  const kindOf = (name: string) => stageOf(name).kind
  return {
    today,
    usual,
    open: groups
      .filter(({ stage }) => isOn(kindOf(stage)))
      .map((group) => (isOnHold(kindOf(group.stage)) ? { ...group, hold: 'onHold' as const } : group)),
    won: stageAges.filter(({ stage, isTicket }) => !isTicket && isWon(kindOf(stage))),
    withoutTickets: stageAges.some(({ isTicket }) => isTicket) ? { isPayable: true } : {},
  }
}

/** Counts the deals without an amount that are not lost. No sum of dollars includes them. */
function unpricedFigure({ stageAges }: MoneyTotals, { withoutTickets }: GroupsByState, stageOf: StageOf) {
  const unlostStages = stageAges.filter(({ stage, isTicket }) => !isTicket && !isLost(stageOf(stage).kind))
  const filter: DealFilter = { missing: ['amount'], isNotLost: true, ...withoutTickets }
  return { count: unlostStages.reduce((sum, { unpriced }) => sum + unpriced, 0), filter }
}

const counted = <Name>(name: Name, tallies: Tally[], filter: DealFilter): Counted<Name> => ({
  name,
  ...tallyOf(tallies),
  filter,
  sort: byAmount,
})

function gateFigure({ today, open, won, withoutTickets }: GroupsByState, gate: Gate): GateFigure {
  const isPaid = gate === 'paid'
  const all: (Tally & { age: Age })[] = isPaid ? won : open.filter((group) => group.gate === gate)
  const filterOf = (filter: DealFilter): DealFilter =>
    isPaid ? { ...filter, ...withoutTickets, isPaid } : { gates: [gate], ...filter, isOpen: true }
  return {
    ...counted(gate, all, filterOf({})),
    ages: ages.map((age) =>
      counted(
        age,
        all.filter((group) => group.age === age),
        filterOf(ageFilter(sinceFields[gate], age, today)),
      ),
    ),
  }
}

function holdFigure({ open }: GroupsByState, blocker: Blocker, gate: OpenGate, stageOf: StageOf): HoldFigure {
  const filter: DealFilter =
    blocker === 'onHold'
      ? { gates: [gate], isOnHold: true }
      : { gates: [gate], holds: [blocker], isActive: true }
  const blocked = open.filter((group) => group.hold === blocker && group.gate === gate)
  const holders = blocked.flatMap(({ stage }) => rolesResponsibleFor(blocker, stageOf(stage)))
  return { ...counted(blocker, blocked, filter), gate, holders: [...new Set(holders)] }
}

/** Counts the deals with each expected date, except deals on hold. */
const expectedFigures = ({ today, usual, open }: GroupsByState) =>
  expectationPeriodsOf(usual, today).map(({ expectation, period, days }, bit): ExpectedFigure => {
    const { name, certainty } = expectation
    const matched = open.filter((group) => group.hold !== 'onHold' && (group.matched & (1 << bit)) !== 0)
    const filter = { gates: expectation.gates, ...expectationFilter(expectation, days) }
    return { ...counted(name, matched, { ...filter, isActive: true }), certainty, period, ...days }
  })

/** Counts the open deals without an expected date, because they are on hold or lack a date. */
function notExpectedFigures({ usual, open, withoutTickets }: GroupsByState): Counted<NotExpected>[] {
  const moving = open.filter(({ hold }) => hold !== 'onHold')
  const expectations = expectationsOf(usual)
  const undated = expectedNames.map((name) => {
    const gates = gatesOfExpected[name]
    const dates = expectations.filter((each) => each.name === name).map(({ from }) => from)
    const filter: DealFilter = { gates, ...(dates.length > 0 && { missing: dates }) }
    const without = moving.filter(({ gate, matched }) => gates.includes(gate) && matched === 0)
    return counted(name, without, { ...filter, isActive: true })
  })
  const onHold = open.filter(({ hold }) => hold === 'onHold')
  const unknown = moving.filter(({ gate }) => gate === 'unknown')
  return [
    ...undated,
    counted('unknown' as const, unknown, { gates: ['unknown'], isActive: true }),
    counted('onHold' as const, onHold, { isOnHold: true, ...withoutTickets }),
  ].filter(({ count }) => count > 0)
}
