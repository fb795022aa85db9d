import type { Deal } from '#server/deals/deal.ts'

/** What a deal is called where it stands in a list: by its name, otherwise by its homeowner, otherwise by its number. */
export function dealTitle({ id, dealname, firstName, lastName }: Pick<Deal, 'id'> & Partial<Deal>): string {
  return dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}

/** Where the system is to stand, in one line; empty when nothing of that is known. */
export function dealAddress({ streetAddress, city, state, zipCode }: Partial<Deal>): string {
  return [streetAddress, city, [state, zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
}
