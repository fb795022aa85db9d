import { type ResolvedPlaces, loadCounties } from '../../values/counties.ts'
import type { DealFilter } from '../wire.ts'

/** Resolves the places and the area of a filter to counties; undefined if it has neither. */
export async function resolvePlaces({ places = [], area }: DealFilter): Promise<ResolvedPlaces | undefined> {
  if (places.length === 0 && area === undefined) return undefined
  const counties = await loadCounties()
  return { ...counties.named(places), meeting: area === undefined ? null : counties.meeting(area) }
}
