import type { DealField } from '#server/deals/deal.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'

/** Returns the label of a field that a column is read as; of one of a person also whose. */
export function fieldLabel(field: string): string {
  const [name, inner] = field.split('.') as [string, string | undefined]
  if (field === 'partner') return 'Partner (slug)'
  const label = Object.hasOwn(fieldLabels, name) ? fieldLabels[name as DealField].label : name
  return `${label}${inner === undefined ? '' : `: ${inner}`}`
}
