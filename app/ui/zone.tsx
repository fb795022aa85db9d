'use client'

import { type ReactNode, createContext, useContext } from 'react'
import type { Zone } from '#server/protocol/zone.ts'
import { type Format, formatIn } from './format.ts'

const ZoneContext = createContext<Zone | null>(null)

/** Provides the time zone of the person to the pages below, on the server and in the browser alike. */
export function ZoneOfPage({ zone, children }: { zone: Zone; children: ReactNode }) {
  return <ZoneContext value={zone}>{children}</ZoneContext>
}

/** Returns the time zone of the person. */
export function useZone(): Zone {
  const zone = useContext(ZoneContext)
  if (zone === null) throw new Error('Times are shown inside of ZoneOfPage alone')
  return zone
}

/** Returns the name of a zone to be read: `America/Los Angeles`. */
export const placeOf = (zone: Zone) => zone.replaceAll('_', ' ')

/** Returns the functions that format times, in the time zone of the person. */
export const useFormat = (): Format => formatIn(useZone())
