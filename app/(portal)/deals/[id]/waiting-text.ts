import { type Format, formatCountOf } from '#app/ui/format.ts'
import { milestoneOf } from '#server/deals/milestones/milestone.ts'
import type { Hold } from '#server/deals/milestones/money.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import type { Awaited } from '#server/deals/milestones/waits-for.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'
import { spanText } from './span-text.ts'

/** Describes what a deal is waiting for. */
export function waitingText(
  { stage, kind, hold }: { stage: string | null; kind: StageKind; hold: Hold | null },
  { urgency, steps }: Awaited,
  nowMs: number,
  format: Format,
): string {
  if (isClosed(kind)) return /\bclosed\b/i.test(stage ?? '') ? stage! : `Closed · ${stage}`
  const [first] = steps
  if (urgency === 'resting') return 'On hold'
  if (first === undefined) return 'Next step not known'
  if (first.name === 'stage')
    return /^(?:a?waiting|pending)\b/i.test(first.label) ? first.label : `In stage ${first.label}`
  const isRepeated = steps.some(({ name }) => name === 'reInspection')
  return `Waiting for ${steps
    // A repeated step has taken place before.
    .filter(({ name }) => !isRepeated || name !== 'inspection')
    .map((step) => describe(step, hold, nowMs, format))
    .join(' and ')}`
}

function describe(
  { name, label, state, dates, plannedFor, daysUntil }: Step,
  hold: Hold | null,
  nowMs: number,
  format: Format,
): string {
  if (name === 'stage') return label
  const what = milestoneOf(name).awaited
  if (state === 'next') return name === 'permit' && hold === 'permitSubmission' ? 'permit submission' : what
  if (plannedFor === null || daysUntil === null) {
    const begun = dates.find(({ isPlan }) => !isPlan)
    return begun === undefined
      ? what
      : `${what} · ${begun.label.toLowerCase()} ${spanText(begun.time, nowMs, format).ago}`
  }
  const planned = `${name === 'permit' ? 'due' : 'planned for'} ${format.formatDay(plannedFor, nowMs)}`
  if (daysUntil < 0) return `${what} · ${planned} · ${formatCountOf(-daysUntil, 'day')} late`
  return `${what} · ${planned} (${inDays(daysUntil)})`
}

function inDays(days: number): string {
  if (days === 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${formatCountOf(days, 'day')}`
}
