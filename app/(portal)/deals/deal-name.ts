import type { DealField, KnownDeal } from '#server/deals/deal.ts'

/** Fields needed for a deal's title and street address. */
export const nameFields = [
  'dealname',
  'firstName',
  'lastName',
  'streetAddress',
  'city',
  'state',
  'zipCode',
] as const satisfies DealField[]

/** Returns the title of a deal: the deal's name, or else the homeowner's name, or else the ID. */
export function dealTitle({
  id,
  dealname,
  firstName,
  lastName,
}: Pick<KnownDeal, 'id'> & Partial<KnownDeal>): string {
  return dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}

/** Returns the deal's street address in one line; empty if unknown. */
export function dealAddress({ streetAddress, city, state, zipCode }: Partial<KnownDeal>): string {
  return [streetAddress, city, [state, zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
}
