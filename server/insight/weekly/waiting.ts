import { courseMilestones } from '../../deals/milestones/milestone.ts'
import { type Hold, type Holder, holderOf, holds } from '../../deals/milestones/money.ts'
import type { DealFilter, DealSort } from '../../search/wire.ts'
import { type StageOf, isClosed, isHeld } from '../../stages/stage.ts'
import { tallyOf } from '../group.ts'
import type { Tally } from '../question.ts'
import type { Counted } from '../wire.ts'
import type { LateStep, WaitingFigure } from './wire.ts'

/** Deals in a stage with the same hold and the same responsible people, as if none were on hold. */
export interface WaitingGroup extends Tally {
  /** Empty for deals without a stage. */
  stage: string
  hold: Hold
  /** The late step; null if none is late. */
  late: LateStep | null
  /** The project manager, who is responsible for deals on hold; null if unknown. */
  manager: string | null
  /** The person or lender responsible for the hold; null if unknown. */
  person: string | null
}

/** The totals behind waiting deals, as of a day such as `2026-03-01`. */
export interface WaitingTotals {
  today: string
  groups: WaitingGroup[]
}

// By amount, descending, because lists of any length have that order.
const sort: DealSort = { field: 'amount', direction: 'desc' }
const peopleMax = 5

/** Returns late and waiting deals by who is responsible, each with a link to its list. */
export function makeWaiting({ groups }: WaitingTotals, stageOf: StageOf) {
  const kindOf = (stage: string) => stageOf(stage).kind
  const open = groups.filter(({ stage }) => !isClosed(kindOf(stage)))
  const late = courseMilestones.flatMap((name): Counted<LateStep>[] => {
    const all = open.filter((group) => group.late === name)
    return all.length === 0
      ? []
      : [{ name, ...tallyOf(all), filter: { lateWith: [name], isOpen: true }, sort }]
  })
  const waiting = holds.flatMap((hold): WaitingFigure[] => {
    const isOfHold = (group: WaitingGroup) =>
      isHeld(kindOf(group.stage)) ? hold === 'onHold' : group.hold === hold
    const all = open.filter(isOfHold)
    if (all.length === 0) return []
    const filter: DealFilter = hold === 'onHold' ? { isOnHold: true } : { holds: [hold], isActive: true }
    const holder = holderOf(hold)
    const people = holder === null ? [] : byPerson(all, hold, holder, filter)
    return [{ name: hold, ...tallyOf(all), filter, sort, holder, people }]
  })
  return { late, waiting: waiting.toSorted((a, b) => b.count - a.count) }
}

function byPerson(groups: WaitingGroup[], hold: Hold, holder: Holder, filter: DealFilter): Counted<string>[] {
  const nameOf = ({ manager, person }: WaitingGroup) => (hold === 'onHold' ? manager : person) ?? ''
  return [...Map.groupBy(groups, nameOf)]
    .filter(([name]) => name !== '')
    .map(([name, all]) => {
      const ofPerson: DealFilter =
        holder === 'lender' ? { values: { lender: [name] } } : { people: [name], roles: [holder] }
      return { name, ...tallyOf(all), filter: { ...filter, ...ofPerson }, sort }
    })
    .toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name))
    .slice(0, peopleMax)
}
