import { formatCountOf } from '#app/ui/format.ts'
import { type AttentionName, type UndatedName, allowedDays } from '#server/insight/question.ts'
import type { AttentionLine, Counted, NewsLine } from '#server/insight/wire.ts'
import { fieldLabels } from '../deals/fields.ts'

interface AttentionLabel {
  title: string
  action: string
  /** What the number of days means: late, past the usual time, or in the current state. */
  days: 'late' | 'over the usual time' | 'in stage' | 'open' | 'inactive'
}

/** Labels of the reasons why deals need attention. */
export const attentionLabels: Record<AttentionName, AttentionLabel> = {
  unfunded: {
    // Unlike here, the Money page also counts deals before this limit.
    title: `Funding not submitted in ${allowedDays.unfunded} days`,
    action: 'Ask when funding will be submitted',
    days: 'over the usual time',
  },
  unapproved: {
    title: `M2 not approved in ${allowedDays.unapproved} days`,
    action: 'Ask the lender',
    days: 'over the usual time',
  },
  reInspection: { title: 'Re-inspection requested', action: 'Arrange the re-inspection', days: 'open' },
  lateInstall: { title: 'Install overdue', action: 'Ask for a new install date', days: 'late' },
  latePermit: { title: 'Permit overdue', action: 'Ask the permit coordinator', days: 'late' },
  outstandingItems: { title: 'Outstanding items', action: 'Send what is missing', days: 'in stage' },
  changedAdders: { title: 'Adders changed', action: 'Check the cost', days: 'in stage' },
  hoaApproval: { title: 'HOA approval not recorded', action: 'Get the approval', days: 'open' },
  quiet: { title: 'No recent activity', action: 'Ask for a status update', days: 'inactive' },
}

/** Describes how late a deal is (`9 days late`) or its time in a state; empty if unknown. */
export function howLate({ name, days, daysLate }: Pick<AttentionLine, 'name' | 'days' | 'daysLate'>): string {
  const { days: what } = attentionLabels[name]
  const count = what === 'late' || what === 'over the usual time' ? daysLate : days
  // One day over the usual time is not worth mentioning.
  const min = what === 'over the usual time' ? 2 : 1
  return count === null || count < min ? '' : `${formatCountOf(count, 'day')} ${what}`
}

/** Describes the changes of a deal, except stage changes, which are shown separately. */
export function changeText({ stage, fields }: Pick<NewsLine, 'stage' | 'fields'>): string {
  if (stage !== null)
    return fields.length === 0
      ? ''
      : `and ${fields.length === 1 ? fieldLabels[fields[0]!].label : `${fields.length} more`}`
  if (fields.length === 0) return 'Changed and reverted'
  const labels = fields.slice(0, 2).map((field) => fieldLabels[field].label)
  if (fields.length > 2) return `${labels.join(', ')} and ${fields.length - 2} more changed`
  return `${labels.join(' and ')} changed`
}

/** Returns the label of a stage. */
export const stageText = (stage: string | null) => (stage === null || stage === '' ? 'No stage' : stage)

const undatedTexts: Record<UndatedName, string> = {
  notCreated: 'without a creation date',
  notInstalled: 'installed without a date',
  notFunded: 'submitted for funding without a date',
}

/** Returns a description of deals that weekly figures leave out. */
export const undatedPart = ({ name, count, filter }: Counted<UndatedName>) => ({
  count,
  filter,
  what: undatedTexts[name],
})
