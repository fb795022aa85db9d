import { type DehydratedState } from '@tanstack/react-query'
import { createServerSideHelpers } from '@trpc/react-query/server'
import { headers } from 'next/headers'
import { forbidden, notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { type Actor, actorOfPage } from '#server/access/actor.ts'
import { clientOf } from '#server/access/client.ts'
import type { Context } from '#server/access/procedure.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { api, streams } from '#server/api.ts'
import { partnerOfPage } from '#server/http/page-partner.ts'
import { toRefusal } from '#server/protocol/errors.ts'
import { transformer } from '#server/protocol/transformer.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { withPartner } from './partner-href.ts'

/**
 * Returns who asks: a signed-in user on a page, or a call of one, whose address may name a partner; null: nobody.
 * @throws Refusal 403 when the address names a partner that is not the user's, 400 when there is no such partner
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
        clientOf((name) => given.get(name)),
      ))
    )
  } catch (error) {
    // Next's log may get what is thrown here, and a driver's message says too much for that.
    throw toRefusal(error)
  }
})

/** What procedures are given when a browser asks. */
export async function browserContext(): Promise<Context> {
  return { services: sharedServices(), actor: await actorOfBrowser(), holds: () => false }
}

/** The procedures, called on the server for the browser that asks. */
export const procedures = async () => api.createCaller(await browserContext())

/** The procedures that stream, for route handlers. */
export const streamProcedures = async () => streams.createCaller(await browserContext())

/** What the address of a page says of partners, as far as it holds. */
export interface PageView {
  /** What is asked for (`partnerOfQuery`). */
  asked: string | null
  /** The same where whoever asks may see it. */
  partner: string | null
  /** The partner that an operator views the portal as. */
  chosenPartner: { slug: string; name: string } | null
}

/** Returns which partner the page is of that is asked for. What must not be seen is no partner here; the page itself refuses it. */
export async function readPageView(): Promise<PageView> {
  const asked = partnerOfPage(await headers())
  const actor = await actorOfBrowser().catch(refusedPartner)
  if (actor === 'refused') return { asked, partner: null, chosenPartner: null }
  const chosen = actor?.user?.chosenPartner ?? null
  return {
    asked,
    partner: actor === null ? null : asked,
    chosenPartner: chosen && { slug: chosen.slug, name: chosen.name },
  }
}

function refusedPartner(error: unknown): 'refused' {
  if (['BAD_REQUEST', 'FORBIDDEN'].includes(toRefusal(error).code)) return 'refused'
  throw error
}

const makeQueries = (ctx: Context) => createServerSideHelpers({ router: api, ctx, transformer })

/**
 * Reads on the server what the page at `path` is going to ask for. Whoever is not signed in is sent to do that first, whoever may
 * not see it is told so, and a partner that there is not has no page; what fails otherwise is left to the browser, which asks again
 * and says so.
 */
export async function prefetch(
  path: string,
  read: (queries: ReturnType<typeof makeQueries>) => Promise<unknown>,
): Promise<DehydratedState> {
  const queries = makeQueries(await browserContext().catch(refusePage))
  try {
    await read(queries)
  } catch (error) {
    const { code } = toRefusal(error)
    if (code === 'UNAUTHORIZED')
      redirect(
        `/sign-in?${new URLSearchParams({ callbackUrl: withPartner(path, partnerOfPage(await headers())) })}`,
      )
    if (code === 'FORBIDDEN') forbidden()
  }
  return queries.dehydrate({ shouldDehydrateQuery: ({ state }) => state.status === 'success' })
}

function refusePage(error: unknown): never {
  const { code } = toRefusal(error)
  if (code === 'FORBIDDEN') forbidden()
  if (code === 'BAD_REQUEST') notFound()
  throw error
}
