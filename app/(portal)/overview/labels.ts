import type { AttentionName, FigureName } from '#server/insight/question.ts'
import type { NewsLine } from '#server/insight/wire.ts'
import { fieldLabels } from '../deals/field-labels.ts'

/** What the figures on top are called. */
export const figureLabels: Record<FigureName, { title: string; hint: string }> = {
  open: { title: 'In the pipeline', hint: 'open' },
  installed: { title: 'Installed, not yet funded', hint: 'waiting' },
  funded: { title: 'Funding submitted', hint: 'in the last 30 days' },
}

/** What needs attention, and why. */
export const attentionLabels: Record<AttentionName, { title: string; hint: string }> = {
  unfunded: { title: 'Installed, but funding not submitted', hint: 'For two weeks or longer' },
  reInspection: { title: 'Inspection to be repeated', hint: 'A re-inspection was requested' },
  lateInstall: { title: 'Install date has passed', hint: 'And the install is not reported as done' },
  latePermit: { title: 'Permit is late', hint: 'It was expected by now' },
  outstandingItems: { title: 'Outstanding items', hint: 'Something has to be cleared up' },
  changedAdders: { title: 'New changes to the adders', hint: 'Check what they cost' },
  hoaApproval: { title: 'HOA approval is missing', hint: 'The design is done' },
  quiet: { title: 'Nothing happened for 30 days', hint: 'Ask what they wait for' },
}

/** What happened to a deal, in words; that its stage changed is shown apart. */
export function changeText({ stage, fields }: Pick<NewsLine, 'stage' | 'fields'>): string {
  if (stage !== null)
    return fields.length === 0
      ? ''
      : `and ${fields.length === 1 ? fieldLabels[fields[0]!].label : `${fields.length} more`}`
  if (fields.length === 0) return 'Changed, and changed back'
  const labels = fields.slice(0, 2).map((field) => fieldLabels[field].label)
  if (fields.length > 2) return `${labels.join(', ')} and ${fields.length - 2} more changed`
  return `${labels.join(' and ')} changed`
}

/** What a stage is called where deals are counted by it. */
export const stageText = (stage: string | null) => (stage === null || stage === '' ? 'No stage' : stage)
