'use client'

import { type ReactNode, createContext, useContext } from 'react'
import type { Role } from '#server/accounts/role.ts'

/** What pages need to know about the viewer. Access control is in the procedures. */
interface PageViewer {
  role: Role
  /** Whether deals of all partners are shown at once. */
  seesAllPartners: boolean
}

const ViewerContext = createContext<PageViewer>({ role: 'member', seesAllPartners: false })

/** Provides the viewer to the pages below. */
export function ViewerOfPage({ role, seesAllPartners, children }: PageViewer & { children: ReactNode }) {
  return <ViewerContext value={{ role, seesAllPartners }}>{children}</ViewerContext>
}

/** Returns the page's viewer. */
export const useViewer = () => useContext(ViewerContext)
