import type { Fragment, ISql } from 'postgres'
import { anyOf, inRow } from '#db/fragments.ts'
import { type Zone, addDays, dayOf } from '../../protocol/zone.ts'
import { type Milestone, type MilestoneName, fieldOf, milestoneOf } from '../milestones/milestone.ts'
import { followersOf } from '../milestones/standing.ts'
import { type TimeField, flagsOf } from './columns.ts'
import { type Came, datesOf, haveCome, isDone, isOnDays, isStepToDo, timeOf } from './step-store.ts'

// The rules of `milestones/money.ts` as SQL; a test compares them deal by deal.

/** Returns the gate of a deal as if it were open. */
export const gateOf = (sql: ISql, came: Came): Fragment => sql`(case
  when ${isDone(sql, milestoneOf('m2'), came)} then 'pay'
  when ${isDone(sql, milestoneOf('install'), came)}
    then case when ${isDone(sql, milestoneOf('funding'), came)} then 'approve' else 'submit' end
  when ${isStepToDo(sql, 'survey', came)} or ${isStepToDo(sql, 'ntp', came)} then 'm1'
  else 'install' end)`

/** Returns what holds a deal as if it were open; `gate` is the SQL of its gate. */
export function holdOf(sql: ISql, gate: Fragment, came: Came): Fragment {
  const has = (...flags: Parameters<typeof flagsOf>[0]) => sql`(flags & ${flagsOf(flags)}::integer) <> 0`
  const firstOf = (names: MilestoneName[]) =>
    inRow(
      sql,
      names.map((name) => sql`when ${isStepToDo(sql, name, came)} then ${name}`),
    )
  const hasHoa = sql`(${has('hasHoa')} or ${timeOf(sql, 'hoaApprovedDate')} is not null)`
  return sql`(case ${gate}
    when 'm1' then case ${firstOf(['survey', 'cad', 'engineering'])} else 'ntp' end
    when 'install' then case
      when not ${isStepToDo(sql, 'install', came)} then 'installRecord'
      when ${hasHoa} and not ${came('hoaApprovedDate')} then 'hoa'
      ${firstOf(['permit'])} else 'install' end
    when 'submit' then case
      when ${has('inspectionFailed')} then 'reInspection'
      when not ${has('inspectionPassed')} and (${has('inspectionRequired')} or ${came('inspectionRequested')}) then 'inspection'
      when ${has('hasOutstandingItems')} then 'outstandingItems' else 'submission' end
    when 'approve' then case
      when ${has('inspectionFailed')} then 'reInspection'
      when ${has('hasOutstandingItems')} then 'outstandingItems' else 'approval' end
    else 'payment' end)`
}

/** Returns the condition that a step of a deal is late: planned for a day that is over, and still needed. */
export function isLate(sql: ISql, zone: Zone, came: Came): Fragment {
  const yesterday = addDays(dayOf(new Date(), zone), -1)
  const isOver = (field: TimeField) => isOnDays(sql, field, { to: yesterday }, zone)
  // A date of its end that is still to come is a newer plan.
  const isLateStep = (name: 'install' | 'permit') =>
    sql`(${isOver(fieldOf(name, 'plan'))} and ${timeOf(sql, fieldOf(name, 'end'))} is null and ${isStepToDo(sql, name, came)})`
  const begun = (milestone: Milestone) => haveCome(sql, datesOf(milestone, 'begin'), came)
  const isReInstalled = anyOf(
    sql,
    followersOf('reInstall').map((follower) => sql`${isDone(sql, follower, came)} or ${begun(follower)}`),
  )
  const [inspection, reInstall] = [
    timeOf(sql, fieldOf('inspection', 'begin')),
    timeOf(sql, fieldOf('reInstall', 'plan')),
  ]
  const inspected = flagsOf(['inspectionPassed', 'inspectionFailed'])
  return sql`(${isLateStep('install')} or ${isLateStep('permit')}
    or (${isOver('reInstallScheduled')} and not (${isReInstalled}) and not (
      (${inspection} is null or ${inspection} > ${reInstall})
      and (${begun(milestoneOf('inspection'))} or (flags & ${inspected}::integer) <> 0))))`
}
