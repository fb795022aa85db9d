import { formatCountOf, formatDay } from '#app/ui/format.ts'
import type { Deal } from '#server/deals/deal.ts'
import type { StepName } from './course.ts'
import { type Step, isOpen, restOf } from './timeline.ts'

/** How much what a deal waits for asks for attention. */
export type Urgency = 'late' | 'waiting' | 'resting' | 'over'

// What is waited for, and what has to happen first.
const words: Record<StepName, { what: string; begin: string }> = {
  created: { what: 'the deal', begin: 'the deal to be created' },
  survey: { what: 'the site survey', begin: 'the site survey to be requested' },
  cad: { what: 'the CAD design', begin: 'the CAD design to be requested' },
  redesign: { what: 'the redesign', begin: 'the redesign' },
  reSign: { what: 'the contract to be signed again', begin: 'the contract to be signed again' },
  engineering: { what: 'engineering', begin: 'engineering to be requested' },
  ntp: { what: 'the notice to proceed', begin: 'the notice to proceed (NTP) to be requested' },
  hoa: { what: 'the approval of the HOA', begin: 'the approval of the HOA' },
  permit: { what: 'the permit', begin: 'the permit to be submitted' },
  install: { what: 'the install', begin: 'the install to be scheduled' },
  inspection: { what: 'the inspection', begin: 'the inspection to be requested' },
  reInstall: { what: 'the re-install', begin: 'the re-install to be scheduled' },
  reInspection: { what: 'the re-inspection', begin: 'the re-inspection to be requested' },
  funding: { what: 'funding', begin: 'funding to be submitted' },
}

/** What a deal waits for, in a sentence: the first step of its timeline that is not done, and whatever goes on or is late beside it. */
export function waitsFor(
  { stage }: Pick<Deal, 'stage'>,
  timeline: Step[],
  nowMs: number,
): { text: string; urgency: Urgency } {
  const rest = restOf(stage)
  if (rest === 'closed')
    return { text: `Waits for nothing any more: its stage is “${stage}”.`, urgency: 'over' }
  const [first, ...others] = timeline.filter(({ state }) => isOpen(state))
  if (first === undefined) return { text: 'All milestones are reached.', urgency: 'over' }
  if (rest === 'held')
    return { text: `Rests at the moment. What comes next is ${describe(first, nowMs)}.`, urgency: 'resting' }
  const steps = [first, ...others.filter(({ state }) => state === 'running' || state === 'late')]
  return {
    text: `Waits for ${steps.map((step) => describe(step, nowMs)).join('; and for ')}.`,
    urgency: steps.some(({ state }) => state === 'late') ? 'late' : 'waiting',
  }
}

function describe({ name, state, dates, plannedFor, lengthDays }: Step, nowMs: number): string {
  const { what, begin } = words[name]
  if (state === 'next' || plannedFor === null) {
    return state === 'next'
      ? begin
      : `${what}, ${(dates[0]?.label ?? 'begun').toLowerCase()} ${lengthDays ? `${formatCountOf(lengthDays, 'day')} ago` : 'today'}`
  }
  const planned = `${name === 'permit' ? 'expected' : 'planned for'} ${formatDay(plannedFor, nowMs)}`
  const days = Math.floor(Date.parse(plannedFor) / 86_400_000) - Math.floor(nowMs / 86_400_000)
  if (days < 0) return `${what}, which was ${planned}: ${formatCountOf(-days, 'day')} late`
  return `${what}, ${planned} (${days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${formatCountOf(days, 'day')}`})`
}
