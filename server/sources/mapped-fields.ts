import type { DealField } from '../deals/deal.ts'

interface StoredMapping {
  mapping: Partial<Record<DealField, string>>
  partnerProperty: string | null
}

/** Returns the property of each mapped field. `partner` comes first and is empty if unmapped. */
export const propertiesByField = ({ mapping, partnerProperty }: StoredMapping): Record<string, string> => ({
  partner: partnerProperty ?? '',
  ...mapping,
})

/**
 * Converts properties by field back to a mapping, the reverse of `propertiesByField`. Omits unmapped fields.
 */
export function toMapping({ partner = '', ...properties }: Record<string, string>) {
  const mapping = Object.fromEntries(Object.entries(properties).filter(([, property]) => property !== ''))
  return { mapping, partnerProperty: partner === '' ? null : partner }
}
