import { type Format, formatCountOf } from '#app/ui/format.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import { milestoneOf } from '#server/deals/milestones/milestone.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import type { Awaited } from '#server/deals/milestones/waits-for.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'

/** Describes what a deal is waiting for. */
export function waitingText(
  { stage }: Pick<KnownDeal, 'stage'>,
  stageKind: StageKind,
  { urgency, steps }: Awaited,
  nowMs: number,
  format: Format,
): string {
  if (isClosed(stageKind)) return `Closed · ${stage}`
  const [first] = steps
  if (urgency === 'resting') return 'On hold'
  if (first === undefined) return 'Next step not known'
  if (first.name === 'stage')
    return /^(?:a?waiting|pending)\b/i.test(first.label) ? first.label : `In stage ${first.label}`
  return `Waiting for ${steps.map((step) => describe(step, nowMs, format)).join(' and ')}`
}

function describe(
  { name, label, state, dates, plannedFor, daysUntil, lengthDays }: Step,
  nowMs: number,
  format: Format,
): string {
  if (name === 'stage') return label
  const what = milestoneOf(name).awaited
  if (state === 'next') return what
  if (plannedFor === null || daysUntil === null) {
    const since = lengthDays ? `${formatCountOf(lengthDays, 'day')} ago` : 'today'
    return `${what} · ${(dates[0]?.label ?? 'begun').toLowerCase()} ${since}`
  }
  const planned = `${name === 'permit' ? 'due' : 'planned for'} ${format.formatDay(plannedFor, nowMs)}`
  if (daysUntil < 0) return `${what} · ${planned} · ${formatCountOf(-daysUntil, 'day')} late`
  return `${what} · ${planned} (${inDays(daysUntil)})`
}

function inDays(days: number): string {
  if (days === 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${formatCountOf(days, 'day')}`
}
