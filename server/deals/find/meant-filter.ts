import { meantPlaces } from '../map/meant-places.ts'
import type { DealFilter } from './wire.ts'

/** Returns a filter as whoever asks means it, with what its places stand for. */
export async function asMeant(
  filter: DealFilter,
  { user }: { user: { email: string } | null },
): Promise<DealFilter> {
  const meant = await meantPlaces(filter)
  return {
    ...filter,
    ...(filter.isMine === true && { viewerEmail: user?.email }),
    ...(meant !== undefined && { meant }),
  }
}
