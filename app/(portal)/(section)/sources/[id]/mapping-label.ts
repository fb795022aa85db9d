import type { DealField } from '#server/deals/deal.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'

/** Fields that a source sets by itself. */
const derived = new Set(['id', 'stage', 'pipeline', 'lastModified'])

/** The fields that a property can be chosen for, the partner first. */
export const mappableFields = ['partner', ...Object.keys(fieldLabels).filter((name) => !derived.has(name))]

/** Returns what people call a field of a mapping; the ids of stages and pipelines bring their labels along. */
export function mappingLabel(field: string): string {
  if (field === 'partner') return 'Partner'
  if (field === 'stageId') return 'Stage'
  if (field === 'pipelineId') return 'Pipeline'
  return fieldLabels[field as DealField].label
}
