import { notFound } from 'next/navigation'
import type { LoaderFunction, ParserMap, SearchParams, inferParserType } from 'nuqs/server'
import type { ReactNode } from 'react'
import { Prefetched } from './providers.tsx'
import { prefetch, prefetchOne } from './trpc-server.ts'

type Read = Parameters<typeof prefetch>[1]

/** Renders `page` with the data that `read` loads on the server. */
export const prefetched = async (path: string, read: Read, page: ReactNode) => (
  <Prefetched state={await prefetch(path, read)}>{page}</Prefetched>
)

/** Returns a Next page that renders `page` with the data that `read` loads for the query parameters. */
export const queryPage =
  <Parsers extends ParserMap>(
    query: { read: LoaderFunction<Parsers>; href: (state: inferParserType<Parsers>) => string },
    read: (queries: Parameters<Read>[0], state: inferParserType<Parsers>) => Promise<unknown>,
    page: ReactNode,
  ) =>
  async ({ searchParams }: { searchParams: Promise<SearchParams> }) => {
    const state = await query.read(searchParams)
    return prefetched(query.href(state), (queries) => read(queries, state), page)
  }

/** Like `prefetched`, but for the page of a single resource: responds 404 if the resource does not exist. */
export async function prefetchedOne(path: string, read: Read, page: ReactNode) {
  const state = await prefetchOne(path, read)
  if (state === null) notFound()
  return <Prefetched state={state}>{page}</Prefetched>
}
