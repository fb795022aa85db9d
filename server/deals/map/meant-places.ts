import type { DealFilter } from '../find/wire.ts'
import { type MeantPlaces, loadCounties } from './counties.ts'

/** Returns what the places and the area of a filter stand for; undefined when it has neither. */
export async function meantPlaces({ places = [], area }: DealFilter): Promise<MeantPlaces | undefined> {
  if (places.length === 0 && area === undefined) return undefined
  const counties = await loadCounties()
  return { ...counties.named(places), meeting: area === undefined ? null : counties.meeting(area) }
}
