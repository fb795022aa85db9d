/** Partners whose admins have not signed in for this many days are flagged. */
export const adminSilentDays = 90

/** Sort orders of partners; `webhooks` is the health of their endpoints, `seen` the last activity. */
export const partnerSorts = [
  'slug',
  'deals',
  'open',
  'late',
  'amount',
  'seen',
  'webhooks',
  'createdAt',
] as const

/** An order of partners. */
export interface PartnerSort {
  field: (typeof partnerSorts)[number]
  direction: 'asc' | 'desc'
}
