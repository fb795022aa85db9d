import { formatCountOf, formatDay } from '#app/ui/format.ts'
import type { Deal } from '#server/deals/deal.ts'
import { milestoneOf } from '#server/deals/milestones/milestone.ts'
import { type Step, awaitedSteps } from '#server/deals/milestones/timeline.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'

/** How urgent it is. */
export type Urgency = 'late' | 'waiting' | 'resting' | 'over'

/** Describes what a deal is waiting for: the first step that is not done, and any other step underway or late. */
export function waitsFor(
  { stage }: Pick<Deal, 'stage'>,
  stageKind: StageKind,
  timeline: Step[],
  nowMs: number,
): { text: string; urgency: Urgency } {
  if (isClosed(stageKind)) return { text: `Closed · ${stage}`, urgency: 'over' }
  const steps = awaitedSteps(timeline)
  const [first] = steps
  if (first === undefined) return afterMilestones(stage, stageKind)
  if (stageKind === 'on-hold')
    return { text: `On hold · next: ${describe(first, nowMs)}`, urgency: 'resting' }
  return {
    text: `Waiting for ${steps.map((step) => describe(step, nowMs)).join(' and ')}`,
    urgency: steps.some(({ state }) => state === 'late') ? 'late' : 'waiting',
  }
}

/** The last step, permission to operate, is told by the stage alone: `Awaiting PTO`. */
function afterMilestones(stage: string | null, stageKind: StageKind): { text: string; urgency: Urgency } {
  if (!stage) return { text: 'All milestones reached', urgency: 'over' }
  if (stageKind === 'on-hold') return { text: 'On hold', urgency: 'resting' }
  return { text: /^(?:a?waiting|pending)\b/i.test(stage) ? stage : `In stage ${stage}`, urgency: 'waiting' }
}

function describe({ name, state, dates, plannedFor, lengthDays }: Step, nowMs: number): string {
  const { end: what, begin } = milestoneOf(name).awaited
  if (state === 'next') return begin
  if (plannedFor === null) {
    const since = lengthDays ? `${formatCountOf(lengthDays, 'day')} ago` : 'today'
    return `${what} · ${(dates[0]?.label ?? 'begun').toLowerCase()} ${since}`
  }
  const planned = `${name === 'permit' ? 'due' : 'planned for'} ${formatDay(plannedFor, nowMs)}`
  const days = Math.floor(Date.parse(plannedFor) / 86_400_000) - Math.floor(nowMs / 86_400_000)
  if (days < 0) return `${what} · ${planned} · ${formatCountOf(-days, 'day')} late`
  return `${what} · ${planned} (${inDays(days)})`
}

function inDays(days: number): string {
  if (days === 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${formatCountOf(days, 'day')}`
}
