import type { TenantScope } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import { resolvePlaces } from '../map/resolve-places.ts'
import type { Query } from './condition-store.ts'
import type { DealFilter } from './wire.ts'

/** Returns what an actor looks for by a filter, with what its places stand for. */
export async function queryOf<Filter extends DealFilter>(
  { tenant, zone, user }: { tenant: TenantScope; zone: Zone; user: { email: string } | null },
  filter: Filter,
): Promise<Query & { filter: Filter }> {
  const meant = await resolvePlaces(filter)
  return {
    tenant,
    filter: {
      ...filter,
      ...(filter.isMine === true && { viewerEmail: user?.email }),
      ...(meant !== undefined && { meant }),
    },
    zone,
  }
}
