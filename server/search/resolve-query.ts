import type { Database } from '#db/client.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { readPartner, zoneOfPartner } from '../accounts/store.ts'
import { me } from '../deals/assignee-store.ts'
import { ApiError } from '../errors.ts'
import { loadCounties } from '../values/counties.ts'
import { stateForm } from '../values/states.ts'
import { type Zone, dayOf, utc } from '../values/zone.ts'
import { listSharedViews } from '../views/store.ts'
import type { Query } from './condition-store.ts'
import { parseFilter, type RelativeDays, filterOn } from './filter-text.ts'
import type { FilterInput } from './filters.ts'
import { DealFilter, namesOf } from './wire.ts'

/** Returns a filter as a query: adds the viewer, normalizes states, and resolves regions to counties. */
export async function resolveQuery<Filter extends DealFilter>(
  { tenant, zone, user }: { tenant: TenantScope; zone: Zone; user: { id: number; email: string } | null },
  filter: Filter,
): Promise<Query & { filter: Filter }> {
  const { places = [], area } = filter
  const counties = places.length === 0 && area === undefined ? undefined : await loadCounties()
  return {
    tenant,
    filter: {
      ...filter,
      ...(filter.states !== undefined && { states: filter.states.map(stateForm) }),
      ...(filter.isMine === true && { viewerEmail: user?.email, viewerId: user?.id }),
      ...(filter.assignees?.includes(me) && { viewerId: user?.id }),
      ...(counties !== undefined && {
        resolvedPlaces: {
          ...counties.named(places),
          meeting: area === undefined ? null : counties.meeting(area),
        },
      }),
    },
    zone,
  }
}

/** Returns true if the filter finds different deals for different viewers. */
export const dependsOnViewer = ({ isMine, assignees }: FilterInput): boolean =>
  isMine === true || assignees?.includes(me) === true

interface SharedView {
  filter: FilterInput
  zone: Zone
  /** Changes whenever the view is edited or another view is used. */
  identity: string
}

/**
 * Returns the view with this id or name that is shared with the tenant's team.
 * @throws ApiError 400 if there is none, several have the name, or its deals depend on who looks at them
 */
export async function readSharedView(db: Database, tenant: TenantScope, text: string): Promise<SharedView> {
  const [shared, zone] = await Promise.all([
    listSharedViews(db, tenant),
    isEveryone(tenant) ? utc : readPartner(db, tenant).then(zoneOfPartner),
  ])
  const byId = shared.filter(({ id }) => String(id) === text)
  const [view, ...others] = byId.length > 0 ? byId : shared.filter(({ name }) => name === text)
  if (view === undefined) throw invalidView('must be the id or the name of a view that your team shares')
  if (others.length > 0)
    throw invalidView(
      `several views have this name; use an id: ${[view, ...others].map(({ id }) => id).join(', ')}`,
    )
  const read = readViewFilter(view.query)
  if (read === null) throw invalidView('has a filter that is no longer valid; save the view again')
  const { filter, relativeDays } = read
  if (dependsOnViewer(filter))
    throw invalidView('depends on who looks at it, because it shows the deals of the signed-in user')
  return {
    filter: filterOn(filter, relativeDays, dayOf(new Date(), zone)),
    zone,
    identity: `${view.id} ${view.query}`,
  }
}

const invalidView = (problem: string) =>
  new ApiError('BAD_REQUEST', 'The request is not valid', { errors: [`view: ${problem}`] })

/** The filter of a saved view, with relative days kept separately. */
export interface ViewFilter {
  filter: FilterInput
  relativeDays: RelativeDays
}

/**
 * Returns the filter in a saved view's query, parsed as on the deals page, or null if the procedures would
 * reject the filter. Ignores the sort order and columns of the view.
 */
export function readViewFilter(query: string): ViewFilter | null {
  const { filter, relativeDays } = parseFilter(new URLSearchParams(query), namesOf)
  const parsed = DealFilter.safeParse(filter)
  return parsed.success ? { filter: parsed.data, relativeDays } : null
}
