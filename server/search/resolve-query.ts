import type { TenantScope } from '../accounts/partner.ts'
import { me } from '../deals/assignees/store.ts'
import { stateForm } from '../values/states.ts'
import type { Zone } from '../values/zone.ts'
import type { Query } from './condition-store.ts'
import { resolvePlaces } from './map/resolve-places.ts'
import type { DealFilter } from './wire.ts'

/**
 * Returns the query of an actor: the filter with its viewer, its states in the form of their column, and its places
 * resolved to counties.
 */
export async function resolveQuery<Filter extends DealFilter>(
  { tenant, zone, user }: { tenant: TenantScope; zone: Zone; user: { id: number; email: string } | null },
  filter: Filter,
): Promise<Query & { filter: Filter }> {
  const resolvedPlaces = await resolvePlaces(filter)
  return {
    tenant,
    filter: {
      ...filter,
      ...(filter.states !== undefined && { states: filter.states.map(stateForm) }),
      ...(filter.isMine === true && { viewerEmail: user?.email, viewerId: user?.id }),
      ...(filter.assignees?.includes(me) && { viewerId: user?.id }),
      ...(resolvedPlaces !== undefined && { resolvedPlaces }),
    },
    zone,
  }
}
