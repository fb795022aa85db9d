import { fieldLabel } from './field-label.ts'

/** Returns what is wrong with a row as a sentence: `Amount “abc” is not an amount; use a number such as 30800.50`. */
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
