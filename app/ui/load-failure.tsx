import { CloudOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { button } from './button.ts'
import { Notice } from './notice.tsx'

/** Shows that something could not be loaded and why, with a retry button. */
export function LoadFailure({
  what,
  level = 2,
  retry,
  children,
}: {
  what: string
  level?: 1 | 2 | undefined
  retry: () => unknown
  children: ReactNode
}) {
  return (
    <Notice
      icon={CloudOff}
      level={level}
      title={`Could not load ${what}`}
      action={
        <button type="button" onClick={() => void retry()} className={button.primary}>
          Try again
        </button>
      }
    >
      {children}
    </Notice>
  )
}
