import { type Zone, utc } from '../values/zone.ts'

// The zones of the United States, from west to east, by their common names.
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

/** Returns whether a string is the name of a selectable time zone. */
export const isZone = (text: string): text is Zone => zoneNames().has(text)

/** Returns a stored name as a zone; UTC for one that this program does not know (any more). */
export const toZone = (name: string | null): Zone => (name !== null && isZone(name) ? name : utc)

/** Returns the display name of a zone: `Pacific Time (Los Angeles)`, `Europe/Berlin`. */
export const zoneLabel = (zone: string): string =>
  ofTheUnitedStates.find(([name]) => name === zone)?.[1] ?? zone.replaceAll('_', ' ')

/** A selectable time zone. */
export interface ZoneChoice {
  value: string
  label: string
}

/** Returns all time zones: US zones, UTC, then the others by name. */
export function zoneChoices(): ZoneChoice[] {
  const first: string[] = [...ofTheUnitedStates.map(([name]) => name), utc]
  const others = [...zoneNames()].filter((name) => !first.includes(name)).toSorted()
  return [...first, ...others].map((value) => ({ value, label: zoneLabel(value) }))
}
