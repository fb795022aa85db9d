/** What names a partner in addresses and commands: 1 to 63 of `a-z`, `0-9` and inner hyphens. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns the slug of the partner that the query of a page's address names as `partner`; null: it names none.
 * What cannot name one partner, such as two of them, is `-`, which is no slug.
 */
export function partnerOfQuery(query: URLSearchParams): string | null {
  const [slug, ...others] = query.getAll('partner')
  if (slug === undefined) return null
  return others.length === 0 && slugPattern.test(slug) ? slug : '-'
}
