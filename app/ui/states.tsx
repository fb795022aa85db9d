'use client'

import { CloudOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** The displayed part of a query. */
export interface Query<Failure> {
  error: Failure | null
  refetch: () => unknown
}

/**
 * Shows the data of a query, a loading text, or an error. `what` completes "Loading …" and "Could not load
 * …".
 */
export function QueryState<Data, Failure>({
  what,
  query,
  data,
  level,
  message,
  children,
}: {
  what: string
  query: Query<Failure>
  /** The part of the query's data that `children` show; undefined until it is complete. */
  data: Data | undefined
  /** The heading level of the error. */
  level?: 1 | 2
  message?: (error: Failure) => string
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  return <NotLoaded what={what} level={level} error={query.error} retry={query.refetch} message={message} />
}

/** Shows that something is loading, or why it could not be loaded. */
export function NotLoaded<Failure>({
  what,
  level,
  error,
  retry,
  message = failureMessage,
}: {
  what: string
  level?: 1 | 2 | undefined
  error: Failure | null
  retry: () => unknown
  message?: ((error: Failure) => string) | undefined
}) {
  if (error === null) return <Loading what={what} />
  return (
    <LoadFailure what={what} level={level} retry={retry}>
      {message(error)}
    </LoadFailure>
  )
}

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
        <Button onClick={() => void retry()} look="primary">
          Try again
        </Button>
      }
    >
      {children}
    </Notice>
  )
}

/** Shows that something is loading: `Loading deliveries…`. */
export const Loading = ({ what }: { what?: string }) => (
  <p role="status" className="text-ink-soft">
    {what === undefined ? 'Loading…' : `Loading ${what}…`}
  </p>
)

/** Shows in a section of a page why it could not be loaded, with a retry button. */
export function SectionFailure({
  error,
  retry,
  className = 'gap-3',
}: {
  error: unknown
  retry: () => unknown
  className?: string
}) {
  return (
    <div role="alert" className={`flex flex-col items-start ${className}`}>
      <p className="text-pretty text-bad">{failureMessage(error)}</p>
      <Button onClick={() => void retry()}>Try again</Button>
    </div>
  )
}
