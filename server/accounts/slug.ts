/**
 * The form of the slugs that identify partners in queries and commands: 1 to 63 of `a-z`, `0-9` and inner
 * hyphens.
 */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
export const slugMaxLength = 63

/**
 * Returns the slug in the `partner` parameter of a page's query, or null if there is no parameter. If the
 * parameter does not name exactly one partner, returns `-`, which is never a valid slug.
 */
export function partnerOfQuery(query: URLSearchParams): string | null {
  const [slug, ...others] = query.getAll('partner')
  if (slug === undefined) return null
  return others.length === 0 && slugPattern.test(slug) ? slug : '-'
}
