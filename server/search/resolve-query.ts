import type { TenantScope } from '../accounts/partner.ts'
import { me } from '../deals/assignees/store.ts'
import { loadCounties } from '../values/counties.ts'
import { stateForm } from '../values/states.ts'
import type { Zone } from '../values/zone.ts'
import type { Query } from './condition-store.ts'
import type { DealFilter } from './wire.ts'

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
