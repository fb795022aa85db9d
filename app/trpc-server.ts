import { type DehydratedState } from '@tanstack/react-query'
import { createServerSideHelpers } from '@trpc/react-query/server'
import { headers } from 'next/headers'
import { forbidden, redirect } from 'next/navigation'
import { signedIn } from '#server/accounts/sign-in.ts'
import { actorOfSession } from '#server/actor.ts'
import { api, streams } from '#server/api.ts'
import { clientOf } from '#server/client.ts'
import { toRefusal } from '#server/errors.ts'
import type { Context } from '#server/procedure.ts'
import { sharedServices } from '#server/services.ts'
import { transformer } from '#server/transformer.ts'

/** What procedures are given when a browser asks. */
export async function browserContext(): Promise<Context> {
  const [session, given] = await Promise.all([signedIn(), headers()])
  return { services: sharedServices(), actor: session && actorOfSession(session, clientOf((name) => given.get(name))), holds: () => false }
}

/** The procedures, called on the server for the browser that asks. */
export const procedures = async () => api.createCaller(await browserContext())

/** The procedures that stream, for route handlers. */
export const streamProcedures = async () => streams.createCaller(await browserContext())

const makeQueries = (ctx: Context) => createServerSideHelpers({ router: api, ctx, transformer })

/**
 * Reads on the server what the page at `path` is going to ask for. Whoever is not signed in is sent to do that first, and
 * whoever may not see it is told so; what fails otherwise is left to the browser, which asks again and says so.
 */
export async function prefetch(path: string, read: (queries: ReturnType<typeof makeQueries>) => Promise<unknown>): Promise<DehydratedState> {
  const queries = makeQueries(await browserContext())
  try {
    await read(queries)
  } catch (error) {
    const { code } = toRefusal(error)
    if (code === 'UNAUTHORIZED') redirect(`/sign-in?${new URLSearchParams({ callbackUrl: path })}`)
    if (code === 'FORBIDDEN') forbidden()
  }
  return queries.dehydrate({ shouldDehydrateQuery: ({ state }) => state.status === 'success' })
}
