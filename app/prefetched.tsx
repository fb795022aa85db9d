import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { Prefetched } from './providers.tsx'
import { prefetch, prefetchOne } from './trpc-server.ts'

type Read = Parameters<typeof prefetch>[1]

/** Renders `page` with the data that `read` loads on the server. */
export const prefetched = async (path: string, read: Read, page: ReactNode) => (
  <Prefetched state={await prefetch(path, read)}>{page}</Prefetched>
)

/** Like `prefetched`, but for the page of a single resource: responds 404 if the resource does not exist. */
export async function prefetchedOne(path: string, read: Read, page: ReactNode) {
  const state = await prefetchOne(path, read)
  if (state === null) notFound()
  return <Prefetched state={state}>{page}</Prefetched>
}
