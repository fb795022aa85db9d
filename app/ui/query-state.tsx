'use client'

import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { LoadFailure } from './load-failure.tsx'
import { Loading } from './loading.tsx'
import { ShowMore } from './show-more.tsx'

interface Query<Failure> {
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
  /** What `children` show of the query's data; undefined until all of it is there. */
  data: Data | undefined
  /** Level of the failure's heading. */
  level?: 1 | 2
  message?: (error: Failure) => string
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  if (query.error === null) return <Loading what={what} />
  return (
    <LoadFailure what={what} level={level} retry={query.refetch}>
      {(message ?? failureMessage)(query.error)}
    </LoadFailure>
  )
}

/** Shows the rows of a list page by page, or `empty` when there are none. */
export function ListState<Row, Failure>({
  what,
  list,
  rows,
  empty,
  children,
}: {
  what: string
  list: Query<Failure> & Parameters<typeof ShowMore>[0]['found']
  rows: Row[] | undefined
  empty: ReactNode
  children: (rows: Row[]) => ReactNode
}) {
  return (
    <QueryState what={what} query={list} data={rows}>
      {(loaded) =>
        loaded.length === 0 ? (
          empty
        ) : (
          <>
            {children(loaded)}
            <ShowMore found={list} />
          </>
        )
      }
    </QueryState>
  )
}
