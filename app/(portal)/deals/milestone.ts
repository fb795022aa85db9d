import type { Deal } from '#server/deals/deal.ts'

const planned = {
  installedScheduled: 'Install',
  reInstallScheduled: 'Re-install',
  expectedPermitDeliveryDate: 'Permit expected',
} as const

const reached = {
  createDate: 'Created',
  siteSurveyRequested: 'Survey requested',
  siteSurveyCompleted: 'Survey done',
  cadRequested: 'CAD requested',
  cadCompleted: 'CAD done',
  redesignCompleteDate: 'Redesign done',
  reSignDate: 'Re-signed',
  engineeringRequested: 'Engineering requested',
  engineeringCompleted: 'Engineering done',
  ntpRequested: 'NTP requested',
  ntpApproved: 'NTP approved',
  hoaApprovedDate: 'HOA approved',
  permitSubmitted: 'Permit submitted',
  permitReceived: 'Permit received',
  installComplete: 'Installed',
  inspectionRequested: 'Inspection requested',
  reInspectionRequested: 'Re-inspection requested',
  fundingSubmitted: 'Funding submitted',
} as const

/** The fields that say what is planned, and what happened. */
export const plannedFields = Object.keys(planned) as (keyof typeof planned)[]
export const reachedFields = Object.keys(reached) as (keyof typeof reached)[]

/** Something that happened to a deal, or is going to. */
export interface Milestone {
  label: string
  /** ISO 8601. */
  time: string
  isAhead: boolean
}

/** What is planned next for a deal, otherwise what happened last; null when nothing is known. */
export function milestoneOf(deal: Partial<Deal>, nowMs: number): Milestone | null {
  const ahead = among(deal, planned).filter(({ time }) => Date.parse(time) > nowMs)
  // A permit that is here is no longer expected, and so on.
  const open = ahead.filter(
    ({ label }) => !(label === planned.expectedPermitDeliveryDate && deal.permitReceived != null),
  )
  const next = open.toSorted(byTime)[0]
  if (next !== undefined) return { ...next, isAhead: true }
  const last = among(deal, reached)
    .filter(({ time }) => Date.parse(time) <= nowMs)
    .toSorted(byTime)
    .at(-1)
  return last === undefined ? null : { ...last, isAhead: false }
}

function among(
  deal: Partial<Deal>,
  labels: Partial<Record<keyof Deal, string>>,
): { label: string; time: string }[] {
  return Object.entries(labels).flatMap(([field, label]) => {
    const time = deal[field as keyof typeof planned]
    return time == null ? [] : [{ label, time }]
  })
}

const byTime = (a: { time: string }, b: { time: string }) => Date.parse(a.time) - Date.parse(b.time)
