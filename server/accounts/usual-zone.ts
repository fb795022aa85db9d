import type { Zone } from '../values/zone.ts'

/**
 * US states and territories by time zone (49 CFR part 71). A state with two time zones is listed under the
 * one where most residents live.
 */
const statesOf: Readonly<Record<string, string>> = {
  'America/New_York': 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV',
  'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
  'America/Denver': 'CO ID MT NM UT WY',
  'America/Phoenix': 'AZ',
  'America/Los_Angeles': 'CA NV OR WA',
  'America/Anchorage': 'AK',
  'Pacific/Honolulu': 'HI',
  'America/Puerto_Rico': 'PR VI',
  'Pacific/Guam': 'GU MP',
  'Pacific/Pago_Pago': 'AS',
}

const zones = new Map(
  Object.entries(statesOf).flatMap(([zone, states]) =>
    states.split(' ').map((state) => [state, zone as Zone] as const),
  ),
)

/**
 * Returns the time zone of most deals, given the number of deals per state code, or null if no state is
 * known.
 */
export function usualZone(counts: { state: string; count: number }[]): Zone | null {
  const totals = new Map<Zone, number>()
  for (const { state, count } of counts) {
    const zone = zones.get(state)
    if (zone !== undefined) totals.set(zone, (totals.get(zone) ?? 0) + count)
  }
  const [first] = [...totals].toSorted(([a, most], [b, more]) => more - most || (a < b ? -1 : 1))
  return first === undefined ? null : first[0]
}
