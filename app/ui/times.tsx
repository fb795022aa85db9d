'use client'

import { type ReactNode, createContext, useContext } from 'react'
import { hourMs } from '#server/values/units.ts'
import type { Zone } from '#server/values/zone.ts'
import { type Format, formatIn } from './format.ts'

const ZoneContext = createContext<Zone | null>(null)

/** Provides the user's time zone to the pages below, on the server and in the browser alike. */
export function ZoneOfPage({ zone, children }: { zone: Zone; children: ReactNode }) {
  return <ZoneContext value={zone}>{children}</ZoneContext>
}

/** Returns the user's time zone. */
export function useZone(): Zone {
  const zone = useContext(ZoneContext)
  if (zone === null) throw new Error('useZone needs ZoneOfPage')
  return zone
}

/** Returns the functions that format times in the user's time zone. */
export const useFormat = (): Format => formatIn(useZone())

/** Shows the age of an instant, with the full time as a tooltip. */
export function When({ at, nowMs }: { at: Date; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  const time = at.toISOString()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {formatAgo(time, nowMs)}
    </time>
  )
}

/** How often to refetch outdated figures. */
const refreshMs = 5000

/** Refetches outdated figures until they are current. */
export const refetchOld = ({ state }: { state: { data?: { asOf: string | null } | undefined } }) =>
  state.data === undefined || state.data.asOf === null ? false : refreshMs

/** Shows the age of figures that are outdated. */
export function AsOf({ asOf, nowMs }: { asOf: string | null; nowMs: number }) {
  const { formatClock, formatInstant } = useFormat()
  if (asOf === null) return null
  const isLongAgo = nowMs - Date.parse(asOf) > 12 * hourMs
  return (
    <time dateTime={asOf} title={formatInstant(asOf)}>
      As of {isLongAgo ? formatInstant(asOf) : formatClock(new Date(asOf))}
    </time>
  )
}
