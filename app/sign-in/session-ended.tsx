'use client'

import { useSyncExternalStore } from 'react'
import { readKeptForms } from '../kept-forms.ts'

/**
 * Says why somebody who was signed in has to sign in again, and that what they typed is kept. A browser has dropped the
 * cookie of a session that was over by the clock: what is kept tells of it then.
 */
export function SessionEnded({ hasEnded }: { hasEnded: boolean }) {
  const hasKept = useSyncExternalStore(
    neverChanges,
    () => readKeptForms().length > 0,
    () => false,
  )
  if (!hasEnded && !hasKept) return null
  return (
    <p role="status" className="mb-5 rounded-lg bg-info-soft px-3 py-2.5 text-pretty text-info">
      Your session has ended. Sign in to go on{hasKept ? '; what you entered is kept.' : '.'}
    </p>
  )
}

const neverChanges = () => () => {}
