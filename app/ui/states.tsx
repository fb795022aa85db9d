'use client'

import { CloudOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { failureMessage } from './failure-message.ts'
import { Notice } from './notice.tsx'

/** The properties of a query that are needed to show its state. */
export interface Query<Failure> {
  error: Failure | null
  refetch: () => unknown
}

/** Shows the data of a query, or a state: `what` completes "Loading …" and "Could not load …". */
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
  data: Data | undefined
  level?: 1 | 2
  message?: (error: Failure) => string
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  return <NotLoaded what={what} level={level} error={query.error} retry={query.refetch} message={message} />
}

/** Shows a loading state, or why loading failed. */
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

/** Shows why loading failed, with a retry button. */
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

/** Shows a loading state such as `Loading deliveries…`. */
export const Loading = ({ what, className = '' }: { what?: string; className?: string }) => (
  <p role="status" className={`text-ink-soft ${className}`}>
    {what === undefined ? 'Loading…' : `Loading ${what}…`}
  </p>
)

/** Shows that a section of a page is loading, or why loading failed. */
export const SectionNotLoaded = ({
  what,
  query: { error, refetch },
  className = '',
}: {
  what: string
  query: Query<unknown>
  className?: string
}) =>
  error === null ? (
    <Loading what={what} className={className} />
  ) : (
    <SectionFailure error={error} retry={refetch} className={className} />
  )

/** Shows why a section of a page failed to load, with a retry button. */
export function SectionFailure({
  error,
  retry,
  className = '',
}: {
  error: unknown
  retry: () => unknown
  className?: string
}) {
  return (
    <div role="alert" className={`flex flex-col items-start gap-3 ${className}`}>
      <p className="text-pretty text-bad">{failureMessage(error)}</p>
      <Button onClick={() => void retry()}>Try again</Button>
    </div>
  )
}
