import type { DealField } from '#server/deals/deal.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'

/** Fields that no property is chosen for. */
const derived = new Set(['id', 'lastModified'])

/** The fields that a property can be chosen for, the partner first. */
export const mappableFields = ['partner', ...Object.keys(fieldLabels).filter((name) => !derived.has(name))]

/** Returns what people call a field of a mapping. */
export function mappingLabel(field: string): string {
  if (field === 'partner') return 'Partner'
  return fieldLabels[field as DealField].label
}
