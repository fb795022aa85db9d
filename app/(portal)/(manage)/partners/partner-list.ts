import { parseAsString } from 'nuqs/server'
import { type PageState, cutLine, pageQuery, parseAsSort } from '#app/page-query.ts'
import { adminSilentDays, type PartnerSort, partnerSorts } from '#server/partners/policy.ts'
import { dayMs } from '#server/values/units.ts'

/** Query parameters of the partners page: the search text and the sort order. */
export const partnersQuery = pageQuery('/partners', {
  q: parseAsString.withDefault(''),
  sort: parseAsSort(partnerSorts).withDefault({ field: 'slug', direction: 'asc' }),
})

/** Returns the API filter for the query parameters. */
export const partnersFilter = ({ q, sort }: PageState<typeof partnersQuery>) => ({
  search: cutLine(q, 100),
  sort,
})

/**
 * Returns the sort order after a click on a column. Names start ascending and other columns descending; a
 * second click reverses the order.
 */
export function nextSort(sort: PartnerSort, field: PartnerSort['field']): PartnerSort {
  if (sort.field === field) return { field, direction: sort.direction === 'asc' ? 'desc' : 'asc' }
  return { field, direction: field === 'slug' ? 'asc' : 'desc' }
}

/**
 * Returns a warning if the partner has no admin or no recently active one, otherwise null. `adminSeenAt` is
 * when an admin was last active.
 */
export function adminProblem(
  { admins, adminSeenAt }: { admins: number; adminSeenAt: Date | null },
  nowMs: number,
): string | null {
  if (admins === 0) return 'No admin'
  if (adminSeenAt !== null && nowMs - adminSeenAt.getTime() <= adminSilentDays * dayMs) return null
  return `${admins === 1 ? 'Only' : 'No'} admin has ${admins === 1 ? 'not ' : ''}signed in for ${adminSilentDays} days`
}

const slugMaxLength = 63

/**
 * Returns a slug for a name, such as `sunline-home-energy-inc` for `Sunline Home Energy, Inc.`. Returns an
 * empty string if the name has no allowed character.
 */
export function proposeSlug(name: string): string {
  const words = name
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  return words.replace(/^-/, '').slice(0, slugMaxLength).replace(/-$/, '')
}
