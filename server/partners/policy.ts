/** Number of days after which a partner is flagged if none of its admins has signed in. */
export const adminSilentDays = 90

/** Sort fields of partners. `webhooks` is the health of endpoints, `seen` the last activity. */
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

export interface PartnerSort {
  field: (typeof partnerSorts)[number]
  direction: 'asc' | 'desc'
}
