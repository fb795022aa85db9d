'use client'

import { useSyncExternalStore } from 'react'
import { readSavedForms } from '../saved-forms.ts'

/**
 * Explains why the user must sign in again and that typed input was saved. The browser drops an expired
 * session's cookie, so saved forms are the only evidence then.
 */
export function SessionEnded({ hasEnded }: { hasEnded: boolean }) {
  const hasKept = useSyncExternalStore(
    neverChanges,
    () => readSavedForms().length > 0,
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
