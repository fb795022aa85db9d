'use client'

import { type ReactNode, createContext, useContext } from 'react'
import type { Role } from '#server/accounts/role.ts'
import type { Offers } from '#server/insight/wire.ts'

/** The viewer's role and settings, for pages. Access control is in the procedures. */
interface PageViewer {
  role: Role
  /** Whether the page shows the deals of all partners. */
  seesAllPartners: boolean
  /** The reports for which deals have the fields. */
  offers: Offers
  /** Whether this browser shows ids and commands for developers. */
  isDeveloper: boolean
}

const ViewerContext = createContext<PageViewer>({
  role: 'member',
  seesAllPartners: false,
  offers: { map: false, flow: false, trends: false, reps: false, scorecard: false },
  isDeveloper: false,
})

/** Provides the viewer to the pages below. */
export function ViewerOfPage({ children, ...viewer }: PageViewer & { children: ReactNode }) {
  return <ViewerContext value={viewer}>{children}</ViewerContext>
}

/** Returns the page's viewer. */
export const useViewer = () => useContext(ViewerContext)
