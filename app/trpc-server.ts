import { type DehydratedState } from '@tanstack/react-query'
import { createServerSideHelpers } from '@trpc/react-query/server'
import { headers } from 'next/headers'
import { forbidden, notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { type Actor, actorOfPage, isInternal } from '#server/access/actor.ts'
import { requestClient } from '#server/access/client.ts'
import type { Context } from '#server/access/procedure.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { withTimeout } from '#server/admission/with-timeout.ts'
import { api, streams } from '#server/api.ts'
import { ApiError, toApiError } from '#server/errors.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { transformer } from '#server/values/transformer.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { withPartner } from './partner-href.ts'

/**
 * Returns the signed-in user of a page or call, whose URL may name a partner; null if signed out.
 * @throws ApiError 403 if the URL names a partner that is not the user's, 400 if the partner does not exist
 */
const actorOfBrowser = cache(async (): Promise<Actor | null> => {
  const [session, given] = await Promise.all([signedIn(), headers()])
  try {
    return (
      session &&
      (await actorOfPage(
        sharedServices(),
        session,
        partnerOfPage(given),
        requestClient((name) => given.get(name)),
      ))
    )
  } catch (error) {
    // Next may log errors thrown here, and a driver's message reveals too much.
    throw toApiError(error)
  }
})

/** Returns the context of procedures for this request. */
export async function browserContext(): Promise<Context> {
  const given = await headers()
  return {
    services: sharedServices(),
    actor: await actorOfBrowser(),
    client: requestClient((name) => given.get(name)),
    ifNoneMatch: () => false,
  }
}

/** Returns the procedures, called on the server for this request. */
export const procedures = async () => api.createCaller(await browserContext())

/**
 * Returns the procedures, called on the server for this request.
 * @throws ApiError 401 if nobody is signed in
 */
export async function signedInProcedures() {
  const context = await browserContext()
  if (context.actor === null) throw new ApiError('UNAUTHORIZED', 'Sign in first')
  return api.createCaller(context)
}

/** Returns the streaming procedures, for route handlers. */
export const streamProcedures = async () => streams.createCaller(await browserContext())

/** The partner of a page. */
export interface PageView {
  /** The partner that the URL names (`partnerOfQuery`). */
  asked: string | null
  /** The same if the user may see it, otherwise null. */
  partner: string | null
  /** The partner that an operator views. */
  chosenPartner: { slug: string; name: string } | null
  chosenPartnerId: number | null
  /** Whether it shows the deals of all partners. */
  seesAllPartners: boolean
  /** The time zone in which the page shows times. */
  zone: Zone
}

/**
 * Returns the partner of the requested page. A partner that the user may not see is null here; the page
 * itself rejects it.
 */
export async function readPageView(): Promise<PageView> {
  const asked = partnerOfPage(await headers())
  const actor = await actorOfBrowser().catch(refusedPartner)
  const chosen = actor?.user?.chosenPartner ?? null
  return {
    asked,
    partner: actor === null ? null : asked,
    chosenPartner: chosen && { slug: chosen.slug, name: chosen.name },
    chosenPartnerId: chosen?.id ?? null,
    seesAllPartners: actor !== null && isInternal(actor),
    zone: actor?.zone ?? utc,
  }
}

/** Returns the time zone of the requested page. */
export const readZone = async (): Promise<Zone> => (await readPageView()).zone

/** Returns null if the partner of the page is refused, as for signed-out users. */
function refusedPartner(error: unknown): null {
  if (['BAD_REQUEST', 'FORBIDDEN'].includes(toApiError(error).code)) return null
  throw error
}

const makeQueries = (ctx: Context) => createServerSideHelpers({ router: api, ctx, transformer })

// Totals of a long list may take longer when counted for the first time.
const prefetchMs = 4000

/**
 * Prefetches what the page at `path` needs; slow queries are left to the browser. Redirects signed-out users
 * to sign-in, responds 403 without access and 404 for an unknown partner. The browser retries and shows other
 * failures.
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

/** Prefetches a page about a single resource like `prefetch`. Returns null if it does not exist. */
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
