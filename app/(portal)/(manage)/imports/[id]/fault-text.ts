import type { DealField } from '#server/deals/deal.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'

/** Describes a row's problem: `Amount “abc” is not an amount; use a number such as 30800.50`. */
export function faultText({
  field,
  title,
  reason,
}: {
  field: string | null
  title?: string
  reason: string
}) {
  if (field !== null) return `${title || fieldLabel(field)} ${reason}`
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}

/** Returns the label of a column's field; for a field of a person, including the person's role. */
export function fieldLabel(field: string): string {
  const [name, inner] = field.split('.') as [string, string | undefined]
  if (field === 'partner') return 'Partner (slug)'
  const label = Object.hasOwn(fieldLabels, name) ? fieldLabels[name as DealField].label : name
  return `${label}${inner === undefined ? '' : `: ${inner}`}`
}
