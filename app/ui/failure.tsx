'use client'

import { CloudOff } from 'lucide-react'
import { button } from './button.ts'
import { Notice } from './notice.tsx'

/** Says that a page cannot be shown, with a way to try again and the number under which the log has the reason. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : null
  return (
    <Notice
      icon={CloudOff}
      level={1}
      title="Could not load this page"
      action={
        <button type="button" className={button.primary} onClick={retry}>
          Try again
        </button>
      }
    >
      Something went wrong on our side. Nothing is lost, and often it works again a moment later.
      {digest !== null && (
        <span className="mt-2 block text-xs">If you write to us about it, mention {digest}.</span>
      )}
    </Notice>
  )
}
