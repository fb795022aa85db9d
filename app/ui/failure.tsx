'use client'

import { CloudOff } from 'lucide-react'
import { isOffline } from '../cached-pages.ts'
import { button } from './button.ts'
import { Notice } from './notice.tsx'
import { isUnloaded } from './unloaded.ts'

/** Shows that a page failed to load, with a retry button and the error's digest in the log. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const isUnreachable = isUnloaded(error) && isOffline()
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : null
  return (
    <Notice
      icon={CloudOff}
      level={1}
      title={isUnreachable ? 'You are offline' : 'Could not load this page'}
      action={
        <button type="button" className={button.primary} onClick={retry}>
          Try again
        </button>
      }
    >
      {isUnreachable
        ? 'A part of this page could not be loaded. Try again when you are back.'
        : 'Something went wrong on our side. Nothing is lost; try again in a moment.'}
      {digest !== null && (
        <span className="mt-2 block text-xs">If you contact us, mention error {digest}.</span>
      )}
    </Notice>
  )
}
