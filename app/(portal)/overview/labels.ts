import type { AttentionName, FigureName, PartName } from '#server/insight/question.ts'
import type { NewsLine } from '#server/insight/wire.ts'
import { fieldLabels } from '../deals/field-labels.ts'

/** The labels of the main figures. */
export const figureLabels: Record<FigureName, { title: string; hint: string }> = {
  open: { title: 'Pipeline', hint: 'open' },
  installed: { title: 'Installed, not yet funded', hint: 'waiting' },
  funded: { title: 'Funding submitted', hint: 'in the last 30 days' },
}

/** The labels of the parts of what is installed and not funded. */
export const partLabels: Record<PartName, string> = {
  toSubmit: 'to be submitted',
  toApprove: 'awaiting M2 approval',
}

/** The labels of what needs attention. */
export const attentionLabels: Record<AttentionName, { title: string; hint: string }> = {
  unfunded: { title: 'Funding not submitted', hint: 'Installed two weeks ago or longer' },
  unapproved: { title: 'M2 not approved', hint: 'Funding submitted two weeks ago or longer' },
  reInspection: { title: 'Re-inspection requested', hint: 'Funding not submitted yet' },
  lateInstall: { title: 'Install overdue', hint: 'Scheduled date passed, not completed' },
  latePermit: { title: 'Permit overdue', hint: 'Expected date passed' },
  outstandingItems: { title: 'Outstanding items', hint: 'Marked by the installer' },
  changedAdders: { title: 'Adders changed', hint: 'Check the cost' },
  hoaApproval: { title: 'HOA approval missing', hint: 'Design completed' },
  quiet: { title: 'No activity for 30 days', hint: 'Ask for a status update' },
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

/** Returns the label of a stage. */
export const stageText = (stage: string | null) => (stage === null || stage === '' ? 'No stage' : stage)
