import { type Zone, utc } from '../values/zone.ts'

// Time zones of the United States from west to east, with their common names.
const ofTheUnitedStates = [
  ['Pacific/Honolulu', 'Hawaii Time (Honolulu)'],
  ['America/Anchorage', 'Alaska Time (Anchorage)'],
  ['America/Los_Angeles', 'Pacific Time (Los Angeles)'],
  ['America/Phoenix', 'Arizona Time (Phoenix)'],
  ['America/Denver', 'Mountain Time (Denver)'],
  ['America/Chicago', 'Central Time (Chicago)'],
  ['America/New_York', 'Eastern Time (New York)'],
  ['America/Puerto_Rico', 'Atlantic Time (Puerto Rico)'],
] as const

/** The selectable IANA time zones. */
let names: ReadonlySet<string> | undefined
const zoneNames = () => (names ??= new Set([...Intl.supportedValuesOf('timeZone'), utc]))

/** Returns true if the text is the name of a selectable time zone. */
export const isZone = (text: string): text is Zone => zoneNames().has(text)

/** Returns a stored name as a zone, or UTC if this program does not know the zone. */
export const toZone = (name: string | null): Zone => (name !== null && isZone(name) ? name : utc)

/** Returns a zone's display name, such as `Pacific Time (Los Angeles)` or `Europe/Berlin`. */
export const zoneLabel = (zone: string): string =>
  ofTheUnitedStates.find(([name]) => name === zone)?.[1] ?? zone.replaceAll('_', ' ')

export interface ZoneChoice {
  value: string
  label: string
}

/** Returns all selectable time zones: US zones first, then UTC, then all others in order of name. */
export function zoneChoices(): ZoneChoice[] {
  const first: string[] = [...ofTheUnitedStates.map(([name]) => name), utc]
  const others = [...zoneNames()].filter((name) => !first.includes(name)).toSorted()
  return [...first, ...others].map((value) => ({ value, label: zoneLabel(value) }))
}
