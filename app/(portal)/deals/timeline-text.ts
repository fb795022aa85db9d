import { type Format, underOneDay, formatCountOf } from '#app/ui/format.ts'
import type { Blocker } from '#server/deals/blocker.ts'
import { awaitedText } from '#server/deals/milestone.ts'
import type { Awaited } from '#server/deals/next-step.ts'
import type { Step } from '#server/deals/timeline.ts'
import { type StageKind, isClosed } from '#server/stages/stage.ts'

/** Formats the time since something began, such as `15 hours` or `12 days`. */
export function spanText(time: string, nowMs: number, { formatDuration }: Format) {
  const duration = formatDuration(time, nowMs)
  if (duration === underOneDay) return { going: 'since today', soFar: 'since today', ago: 'today' }
  return { going: `for ${duration}`, soFar: `${duration} so far`, ago: `${duration} ago` }
}

/** Describes what a deal is waiting for. */
export function waitingText(
  { stage, kind, blocker }: { stage: string | null; kind: StageKind; blocker: Blocker | null },
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
    // Before a re-inspection, the first inspection has already taken place.
    .filter(({ name }) => !isRepeated || name !== 'inspection')
    .map((step) => describe(step, blocker, nowMs, format))
    .join(' and ')}`
}

function describe(
  { name, label, state, dates, plannedFor, daysUntil }: Step,
  blocker: Blocker | null,
  nowMs: number,
  format: Format,
): string {
  if (name === 'stage' || name === 'payment') return label
  const what = awaitedText(name)
  if (state === 'next')
    return name === 'permit' && blocker === 'permitSubmission' ? 'permit submission' : what
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

/** Describes how long after an earlier step this step began, such as `3 days after notice to proceed`. */
export function gapText({ days, after }: NonNullable<Step['gap']>): string {
  if (after === null) return days === 0 ? 'same day' : `${formatCountOf(days, 'day')} later`
  return days === 0
    ? `same day as ${inSentence(after)}`
    : `${formatCountOf(days, 'day')} after ${inSentence(after)}`
}

/** Returns a label in lower case for use inside a sentence. Abbreviations stay unchanged. */
function inSentence(label: string): string {
  if (label === 'Created') return 'creation'
  return /^[A-Z][a-z]/.test(label) ? label[0]!.toLowerCase() + label.slice(1) : label
}

/** Returns the label of a step's date. A creation date in the future is an error, not a plan. */
export const dateLabel = (name: Step['name'], { label, isPlan }: Step['dates'][number]) =>
  name === 'created' && isPlan ? 'Created date is in the future:' : label

/** Returns the next future day that has a planned step, or null if there is none. */
export function nextDate(timeline: readonly Step[]): { label: string; time: string } | null {
  const [next] = timeline
    .flatMap(({ state, label, plannedFor }) =>
      state === 'planned' && plannedFor !== null ? [{ label: `${label} planned`, time: plannedFor }] : [],
    )
    .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
  return next ?? null
}
