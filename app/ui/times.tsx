'use client'

import { useState, type ReactNode, createContext, useContext } from 'react'
import { hourMs } from '#server/values/units.ts'
import type { Zone } from '#server/values/zone.ts'
import { type Format, formatIn } from './format.ts'

const ZoneContext = createContext<Zone | null>(null)

/** Provides the user's time zone to the components inside, both on the server and in the browser. */
export function ZoneOfPage({ zone, children }: { zone: Zone; children: ReactNode }) {
  return <ZoneContext value={zone}>{children}</ZoneContext>
}

export function useZone(): Zone {
  const zone = useContext(ZoneContext)
  if (zone === null) throw new Error('useZone needs ZoneOfPage')
  return zone
}

/** Returns functions that format times in the user's time zone. */
export const useFormat = (): Format => formatIn(useZone())

/** Shows how long ago `at` was, with the full time as a tooltip; null means never. */
export function When({ at, nowMs }: { at: Date | null; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  if (at === null) return <span className="text-ink-soft">Never</span>
  const time = at.toISOString()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {formatAgo(time, nowMs)}
    </time>
  )
}

const refreshMs = 5000

/** Returns the interval for refetching figures, or false if the figures are current. */
export const refetchOld = ({ state }: { state: { data?: { asOf: string | null } | undefined } }) =>
  state.data === undefined || state.data.asOf === null ? false : refreshMs

/** Shows the age of outdated figures. Renders nothing if the figures are current. */
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

/** Returns when the displayed data was loaded: for placeholder data, `dataUpdatedAt` is 0. */
export function useVisibleAt({
  dataUpdatedAt,
  isPlaceholderData,
}: {
  dataUpdatedAt: number
  isPlaceholderData: boolean
}): number {
  const [shownAt, setShownAt] = useState(dataUpdatedAt)
  if (isPlaceholderData) return shownAt
  if (dataUpdatedAt !== shownAt) setShownAt(dataUpdatedAt)
  return dataUpdatedAt
}
