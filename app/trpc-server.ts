import { type DehydratedState } from '@tanstack/react-query'
import { createServerSideHelpers } from '@trpc/react-query/server'
import { headers } from 'next/headers'
import { forbidden, notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { type Actor, actorOfPage, isInternal } from '#server/access/actor.ts'
import { requestClient } from '#server/access/client.ts'
import type { Context } from '#server/access/procedure.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { withTimeout } from '#server/admission/scheduling.ts'
import { api, streams } from '#server/api.ts'
import { ApiError, toApiError } from '#server/errors.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { transformer } from '#server/values/transformer.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { withPartner } from './ui/partner-href.ts'

/**
 * Returns the signed-in user, or null if signed out. The URL of the page or call may name a partner.
 * @throws ApiError 403 if the URL names a partner that is not the user's, 400 if the partner does not exist
 */
const actorOfBrowser = cache(async (): Promise<Actor | null> => {
  const [session, requestHeaders] = await Promise.all([signedIn(), headers()])
  try {
    return (
      session &&
      (await actorOfPage(
        sharedServices(),
        session,
        partnerOfPage(requestHeaders),
        requestClient((name) => requestHeaders.get(name)),
      ))
    )
  } catch (error) {
    // Next may log errors thrown here, and the message of a database error may contain confidential data.
    throw toApiError(error)
  }
})

/** Returns the procedures' context for this request. */
export async function browserContext(): Promise<Context> {
  const requestHeaders = await headers()
  return {
    services: sharedServices(),
    actor: await actorOfBrowser(),
    client: requestClient((name) => requestHeaders.get(name)),
    ifNoneMatch: () => false,
  }
}

/** Returns the procedures, for calls on the server during this request. */
export const procedures = async () => api.createCaller(await browserContext())

/**
 * Returns the procedures, for calls on the server during this request by a signed-in user.
 * @throws ApiError 401 if nobody is signed in
 */
export async function signedInProcedures() {
  const context = await browserContext()
  if (context.actor === null) throw new ApiError('UNAUTHORIZED', 'Sign in first')
  return api.createCaller(context)
}

/** Returns the streaming procedures, for route handlers. */
export const streamProcedures = async () => streams.createCaller(await browserContext())

/** The partner and time zone of a page. */
export interface PageView {
  /** Slug of the partner in the URL (`partnerOfQuery`). */
  requestedPartner: string | null
  /** Slug of the partner in the URL if the user may see that partner, otherwise null. */
  partner: string | null
  /** The partner that an operator has selected. */
  chosenPartner: { slug: string; name: string } | null
  chosenPartnerId: number | null
  /** True if the page shows the deals of all partners. */
  seesAllPartners: boolean
  /** Time zone of all times on the page. */
  zone: Zone
}

/**
 * Returns the partner of the requested page. The result is null for a partner that the user may not see; the
 * page itself responds with an error.
 */
export async function readPageView(): Promise<PageView> {
  const requestedPartner = partnerOfPage(await headers())
  const actor = await actorOfBrowser().catch(refusedPartner)
  const chosen = actor?.user?.chosenPartner ?? null
  return {
    requestedPartner,
    partner: actor === null ? null : requestedPartner,
    chosenPartner: chosen && { slug: chosen.slug, name: chosen.name },
    chosenPartnerId: chosen?.id ?? null,
    seesAllPartners: actor !== null && isInternal(actor),
    zone: actor?.zone ?? utc,
  }
}

/** Returns the time zone of the requested page. */
export const readZone = async (): Promise<Zone> => (await readPageView()).zone

/** Returns null if the error means that the user may not see the page's partner. Rethrows other errors. */
function refusedPartner(error: unknown): null {
  if (['BAD_REQUEST', 'FORBIDDEN'].includes(toApiError(error).code)) return null
  throw error
}

const makeQueries = (ctx: Context) => createServerSideHelpers({ router: api, ctx, transformer })

// Long enough for the first count of a long list.
const prefetchMs = 4000

/**
 * Prefetches the data of the page at `path`. Leaves slow and failed queries to the browser. Redirects
 * signed-out users to the sign-in page, and responds 403 if access is denied or 404 for an unknown partner.
 */
export async function prefetch(
  path: string,
  read: (queries: ReturnType<typeof makeQueries>) => Promise<unknown>,
): Promise<DehydratedState> {
  const queries = makeQueries(await browserContext().catch(refusePage))
  try {
    await withTimeout(read(queries), prefetchMs, () => undefined)
  } catch (error) {
    const { code } = toApiError(error)
    if (code === 'UNAUTHORIZED')
      redirect(
        `/sign-in?${new URLSearchParams({ callbackUrl: withPartner(path, partnerOfPage(await headers())) })}`,
      )
    if (code === 'FORBIDDEN') forbidden()
  }
  return queries.dehydrate({ shouldDehydrateQuery: ({ state }) => state.status === 'success' })
}

/** Like `prefetch`, but for the page of a single resource. Returns null if the resource does not exist. */
export async function prefetchOne(
  path: string,
  read: (queries: ReturnType<typeof makeQueries>) => Promise<unknown>,
): Promise<DehydratedState | null> {
  let isThere = true
  const state = await prefetch(path, async (queries) => {
    try {
      await read(queries)
    } catch (error) {
      isThere = !['NOT_FOUND', 'BAD_REQUEST'].includes(toApiError(error).code)
      throw error
    }
  })
  return isThere ? state : null
}

function refusePage(error: unknown): never {
  const { code } = toApiError(error)
  if (code === 'FORBIDDEN') forbidden()
  if (code === 'BAD_REQUEST') notFound()
  throw error
}
