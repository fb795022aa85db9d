import { hash } from 'node:crypto'
import { pageAnswerMaxBytes } from '../access/answer-size.ts'
import { preparedOutput, scoped } from '../access/procedure.ts'
import { Prepared } from '../values/prepared.ts'
import { SearchDeals, SearchPage, searchDeals } from './search-deals.ts'

/** The REST operation that finds deals. */
export const searchOperations = {
  search: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/deals/search',
        operationId: 'searchDeals',
        tags: ['Deals'],
        summary: 'Search deals',
        description:
          'Deals that match all parameters, page by page: repeat the request with `cursor` = `next` until `next` is ' +
          'null. Sorted by `id` or `createDate`, a walk returns every deal that matches all the time. ' +
          'A deal that changes during a walk by `lastModified` moves to its end and is returned again; ' +
          'by `-lastModified` it moves to the beginning, which the walk has passed.\n\n' +
          'Unknown parameters are rejected.',
      },
      answerMaxBytes: pageAnswerMaxBytes,
    })
    .input(SearchDeals)
    .output(preparedOutput(SearchPage))
    .query(async ({ ctx: { db, actor, ifNoneMatch }, input }) => {
      // Reads from the primary, because a partner may search for a deal that an event has just announced.
      const json = await searchDeals(db, actor, input)
      const etag = `W/"${hash('sha256', json, 'base64url').slice(0, 22)}"`
      return new Prepared<SearchPage>(ifNoneMatch(etag) ? null : json, etag)
    }),
}
