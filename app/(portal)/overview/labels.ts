import { formatCountOf } from '#app/ui/format.ts'
import type {
  AttentionName,
  FigureName,
  PartName,
  UnclearName,
  UndatedName,
} from '#server/insight/question.ts'
import type { AttentionFigure, Counted, NewsLine } from '#server/insight/wire.ts'
import { fieldLabels } from '../deals/field-labels.ts'

/** The labels of the main figures. */
export const figureLabels: Record<FigureName, { title: string; hint: string }> = {
  open: { title: 'Pipeline', hint: 'open' },
  installed: { title: 'Installed, not yet funded', hint: 'waiting' },
  funded: { title: 'Funding submitted', hint: 'dated in the last 30 days' },
}

/** The labels of the parts of installed, unfunded deals. */
export const partLabels: Record<PartName, string> = {
  toSubmit: 'to be submitted',
  toApprove: 'awaiting M2 approval',
}

/** Texts for deals that the main figures exclude. */
export const unclearTexts: Record<UnclearName, string> = {
  gateNotKnown: 'with an unknown payment status',
  unpriced: 'without an amount',
}

interface AttentionLabel {
  title: string
  /** The suggested action. */
  action: string
  /** The meaning of the first deal's days: late by a date, past the usual time, or in its current state. */
  days: 'late' | 'over the usual time' | 'in stage' | 'open' | 'inactive'
}

/** The labels of what needs attention. */
export const attentionLabels: Record<AttentionName, AttentionLabel> = {
  unfunded: {
    title: 'Funding not submitted',
    action: 'Ask the project manager to submit funding',
    days: 'over the usual time',
  },
  unapproved: { title: 'M2 not approved', action: 'Ask the lender', days: 'over the usual time' },
  reInspection: { title: 'Re-inspection requested', action: 'Arrange the re-inspection', days: 'open' },
  lateInstall: { title: 'Install overdue', action: 'Ask for a new install date', days: 'late' },
  latePermit: { title: 'Permit overdue', action: 'Ask the permit coordinator', days: 'late' },
  outstandingItems: { title: 'Outstanding items', action: 'Send what is missing', days: 'in stage' },
  changedAdders: { title: 'Adders changed', action: 'Check the cost', days: 'in stage' },
  hoaApproval: { title: 'HOA approval not recorded', action: 'Get the approval', days: 'open' },
  quiet: { title: 'No activity for 30 days', action: 'Ask for a status update', days: 'inactive' },
}

/** Suggests an action and describes how late the first deal is. */
export function attentionHint({
  name,
  count,
  days,
  daysLate,
}: Pick<AttentionFigure, 'name' | 'count' | 'days' | 'daysLate'>): string {
  const { action, days: what } = attentionLabels[name]
  const dayCount = what === 'late' || what === 'over the usual time' ? daysLate : days
  if (dayCount === null || dayCount === 0) return action
  return `${action} · ${count === 1 ? '' : 'up to '}${formatCountOf(dayCount, 'day')} ${what}`
}

/** Describes the changes of a deal; a change of stage is shown separately. */
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

/** Explains an empty list of the longest-waiting deals. */
export const noneWaitsText = (openCount: number) =>
  openCount === 0 ? 'No open deals.' : 'No open deal has a date for its stage.'

/** Returns the label of a stage. */
export const stageText = (stage: string | null) => (stage === null || stage === '' ? 'No stage' : stage)

const undatedTexts: Record<UndatedName, string> = {
  notCreated: 'without a creation date',
  notInstalled: 'installed without a date',
  notFunded: 'submitted for funding without a date',
}

/** Returns descriptions of the deals that weeks leave out. */
export const undatedPart = ({ name, count, filter }: Counted<UndatedName>) => ({
  count,
  filter,
  what: undatedTexts[name],
})
