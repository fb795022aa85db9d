import { scoped } from '../access/procedure.ts'
import { notFound } from '../errors.ts'
import { readMessagePage, readPartnerOfDeal } from './page-store.ts'
import { ListMessages, MessagePage } from './wire.ts'

/** REST operation for questions and their answers. */
export const messageOperations = {
  list: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/deals/{id}/messages',
        operationId: 'listMessages',
        tags: ['Deals'],
        summary: 'List messages',
        description:
          'A page of the questions about a deal and their answers, in the order in which they were written. ' +
          'New ones come last. They are written in the portal, and never sent to webhooks.',
      },
    })
    .input(ListMessages)
    .output(MessagePage)
    .query(async ({ ctx: { db, actor }, input: { id, page = 1, size = 10 } }) => {
      if ((await readPartnerOfDeal(db, actor.tenant, id)) === undefined) throw notFound('Deal')
      const { count, messages } = await readMessagePage(db, actor.tenant, id, { page, size })
      return { page, pages: Math.ceil(count / size), count, messages }
    }),
}
