import type { DealField } from '../deals/deal.ts'

/** The property of each field, and the partner property; null: none. */
interface StoredMapping {
  mapping: Partial<Record<DealField, string>>
  partnerProperty: string | null
}

/** Returns the property of each mapped field; `partner` comes first, empty when unmapped. */
export const propertiesByField = ({ mapping, partnerProperty }: StoredMapping): Record<string, string> => ({
  partner: partnerProperty ?? '',
  ...mapping,
})

/**
 * Returns the mapping for these properties: the reverse of `propertiesByField`. Unmapped fields are left out.
 */
export function toMapping({ partner = '', ...properties }: Record<string, string>) {
  const mapping = Object.fromEntries(Object.entries(properties).filter(([, property]) => property !== ''))
  return { mapping, partnerProperty: partner === '' ? null : partner }
}
