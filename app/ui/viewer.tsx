'use client'

import { type ReactNode, createContext, useContext } from 'react'
import type { Role } from '#server/accounts/role.ts'
import type { Offers } from '#server/insight/wire.ts'

/** The viewer's role and settings, for display. Access control is in the procedures. */
interface PageViewer {
  role: Role
  seesAllPartners: boolean
  offers: Offers
  /** True if this browser shows IDs and commands for developers. */
  isDeveloper: boolean
}

const ViewerContext = createContext<PageViewer>({
  role: 'member',
  seesAllPartners: false,
  offers: { map: false, flow: false, trends: false, reps: false, scorecard: false },
  isDeveloper: false,
})

/** Provides the viewer to the components inside. */
export function ViewerOfPage({ children, ...viewer }: PageViewer & { children: ReactNode }) {
  return <ViewerContext value={viewer}>{children}</ViewerContext>
}

export const useViewer = () => useContext(ViewerContext)
