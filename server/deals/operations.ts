import type { z } from 'zod'
import { isInternal, tenantOfPartner } from '../access/actor.ts'
import { pageAnswerMaxBytes } from '../access/answer-size.ts'
import { preparedOutput, scoped, tagged } from '../access/procedure.ts'
import { ApiError, notFound } from '../errors.ts'
import { Prepared } from '../values/prepared.ts'
import { listIdOf, readPage, readPageAfter } from './list-store.ts'
import { renderVersion } from './render.ts'
import { readDeal, readRevision } from './store.ts'
import { type ListPlace, formatCursor, WireDeal, DealPage, GetDeal, ListDeals } from './wire.ts'

export const dealOperations = {
  list: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/deals',
        operationId: 'listDeals',
        tags: ['Deals'],
        summary: 'List deals',
        description:
          'A page of deals, in the order in which they became visible to the partner: new ones come last, ' +
          'changed ones stay where they are. A walk along the `next` links neither misses nor repeats a deal, ' +
          'even while deals arrive or are removed.',
      },
      answerMaxBytes: pageAnswerMaxBytes,
    })
    .input(ListDeals)
    .output(preparedOutput(DealPage))
    .query(async ({ ctx: { db, config, actor, ifNoneMatch }, input }) => {
      const { partner, size = 10 } = input
      const tenant =
        isInternal(actor) && partner !== undefined ? await tenantOfPartner({ db }, partner) : actor.tenant
      const own = tenant === actor.tenant ? actor.listRevision : null
      const revision = own ?? (await readRevision(db, tenant))
      const { page, place } = placeOf(input)
      // Includes the render version, because the revision does not change when deals of an older version are
      // rendered while being read.
      const etag = `W/"${renderVersion}-${listIdOf(tenant)}-${revision}-${page}-${size}${place === null ? '' : `-${place.closings}.${place.position}`}"`
      if (ifNoneMatch(etag)) return new Prepared<DealPage>(null, etag, { revision: own })
      const stored =
        place === null ? await readPage(db, tenant, page, size) : await readPageAfter(db, tenant, place, size)
      if (stored === null)
        throw new ApiError('BAD_REQUEST', 'The request is not valid', {
          errors: ['cursor: is too old; start again with the first page'],
        })
      const { count, dealsJson, next } = stored
      const pages = Math.ceil(count / size)
      return new Prepared<DealPage>(
        `{"page":${page},"pages":${pages},"count":${count},"deals":[${dealsJson}]}`,
        etag,
        {
          headers: {
            Link: pageLinks(`${config.publicUrl}/api/deals`, {
              page,
              pages,
              size,
              next,
              partner: isInternal(actor) ? (partner as string | undefined) : undefined,
            }),
          },
          revision: own,
        },
      )
    }),

  get: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/deals/{id}',
        operationId: 'getDeal',
        tags: ['Deals'],
        summary: 'Get deal by id',
        description: 'One deal with all its fields.',
      },
    })
    .input(GetDeal)
    .output(preparedOutput(WireDeal))
    .query(async ({ ctx: { db, actor, ifNoneMatch }, input: { id } }) => {
      const json = await readDeal(db, actor.tenant, id)
      if (json === undefined) throw notFound('Deal')
      return tagged<WireDeal>(ifNoneMatch, json)
    }),
}

/**
 * Returns the page number, and the place after which the page begins if the request came from a `next` link.
 * Clients that count pages themselves may send the cursor of another page, which is ignored.
 */
function placeOf({ page = 1, cursor }: z.infer<typeof ListDeals>): { page: number; place: ListPlace | null } {
  // Without a page number, the request is for page 1.
  const isForPage = cursor !== undefined && (page === cursor.page || page === 1)
  return isForPage ? { page: cursor.page, place: cursor } : { page, place: null }
}

/**
 * Returns the `Link` header of a page (RFC 8288), with the relations first, prev, next and last where these
 * pages exist. `next` is the place after which the next page begins, if there is a next page.
 */
export function pageLinks(
  url: string,
  list: {
    page: number
    pages: number
    size: number
    next: ListPlace | null
    partner: string | undefined
  },
): string {
  const { page, pages, size, next, partner } = list
  const last = Math.max(pages, 1)
  const targets = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : null],
    ['next', next === null ? null : page + 1],
    ['last', last],
  ] as const
  return targets
    .flatMap(([relation, target]) => {
      if (target === null) return []
      const query = new URLSearchParams({
        page: String(target),
        size: String(size),
        ...(partner === undefined ? {} : { partner }),
        ...(relation === 'next' && { cursor: formatCursor({ ...next!, page: page + 1 }) }),
      })
      return [`<${url}?${query}>; rel="${relation}"`]
    })
    .join(', ')
}
