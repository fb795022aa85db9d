import { hash } from 'node:crypto'
import { partnerOf } from '../../access/actor.ts'
import { pageAnswerMaxBytes } from '../../access/answer-size.ts'
import { preparedOutput, scoped } from '../../access/procedure.ts'
import type { FilterTerms } from '../../deals/event-facts.ts'
import { readEvents } from '../../deals/event-page-store.ts'
import { eventRetentionDays } from '../../deals/policy.ts'
import { reconcile, storedCountToRead } from '../../deals/reconcile/reconcile.ts'
import { ReconcileDeals, Reconciliation } from '../../deals/reconcile/wire.ts'
import { readModified } from '../../deals/store.ts'
import { EventPage, ListEvents } from '../../deals/wire.ts'
import { ApiError } from '../../errors.ts'
import { z } from '../../values/input.ts'
import { Prepared } from '../../values/prepared.ts'
import { readEventFilter } from '../event-filter.ts'

const ListFilteredEvents = ListEvents.extend({
  filter: z
    .string({ error: 'must be given once' })
    .max(8000)
    .transform((text, context): FilterTerms | undefined => {
      const { terms, problems } = readEventFilter(text)
      for (const message of problems) context.addIssue({ code: 'custom', message })
      return terms ?? undefined
    })
    .meta({
      description:
        'Parameters of the search, as an encoded query: `stage%3DSold%26amountMin%3D20000`. ' +
        'Those that an event alone can decide.',
      override: { type: 'string' },
    })
    .optional(),
})

/** REST operations for events. */
export const eventOperations = {
  list: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/events',
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events',
        description:
          'The events after a sequence, in order, with the same bodies as the webhooks: ' +
          'partners catch up on missed webhooks with it. ' +
          'Continue with `after` = `next`, even if there were no events. ' +
          `With \`wait\`, the answer comes as soon as there are events, or without any after so many seconds. ` +
          'With `filter`, it gives the events whose deal matched before or after them, each with how it passed. ' +
          'They also say which deals the partner has lost (`deal.removed`). ' +
          `Events are kept for ${eventRetentionDays} days by default; ` +
          '410 means that some after the given sequence are gone: ' +
          `list all deals again and continue from the \`next\` of its \`Link\` header. ` +
          'A page of large events has fewer than `limit`: continue until you have `last`.',
      },
      answerMaxBytes: pageAnswerMaxBytes,
    })
    .input(ListFilteredEvents)
    .output(preparedOutput(EventPage))
    .query(async ({ ctx: { db, config, actor, ifNoneMatch }, input: { after = 0, limit = 25, filter } }) => {
      const partnerId = partnerOf(actor)
      const { bodies, last, next, isComplete } = await readEvents(db, partnerId, after, limit, {
        terms: filter ?? null,
      })
      if (!isComplete) {
        throw new ApiError(
          'GONE',
          `Events after ${after} are no longer available: list all deals again and continue from ${last}`,
          {
            headers: {
              Link: `<${config.publicUrl}/api/events?${new URLSearchParams({ after: String(last), limit: String(limit) })}>; rel="next"`,
            },
          },
        )
      }
      const json = `{"events":[${bodies.join(',')}],"last":${last},"next":${next}}`
      const etag = `W/"${hash('sha256', json, 'base64url').slice(0, 22)}"`
      // Each event comes with a new list revision. A page that was cached before retention removed its events
      // is harmless.
      return new Prepared<EventPage>(ifNoneMatch(etag) ? null : json, etag, {
        revision: actor.listRevision,
        // A filtered page that stopped at the scan limit has not reached the newest events.
        emptyUpTo: bodies.length === 0 && next >= last ? next : null,
      })
    }),

  reconcile: scoped('deals:read')
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/events/reconcile',
        operationId: 'reconcile',
        tags: ['Events'],
        summary: 'Compare a copy',
        contentTypes: ['application/json', 'application/*+json'],
        description:
          'Verifies a copy of the deals and reports its differences; changes nothing.\n\n' +
          'Post the id and `lastModified` of every deal that the copy holds with `after < id <= upTo`; ' +
          'without `after` from the smallest id on, ' +
          'without `upTo` to the largest. The answer says what to do: ' +
          'get the `missing` and the `stale` deals by id, and drop those that are `gone`. ' +
          'Three empty lists and a null `next` mean that in this range the copy holds exactly the deals ' +
          'of the partner, each with the same `lastModified`, as of the event `last`.\n\n' +
          'Post a copy of more than 1,000 deals in ascending order in chunks of 1,000: ' +
          '`after` is the last id of the previous chunk, `upTo` the last id of this one. ' +
          'The first chunk has no `after` and the last one no `upTo`, so that together they cover every id.\n\n' +
          'When more than 1,000 deals are missing, all three lists end at `next`: ' +
          'continue with `after` = `next`, the same `upTo` and the deals beyond `next`, ' +
          'until it is null. ' +
          'Changes in the meantime are in the events after the `last` of the first response.',
      },
    })
    .input(ReconcileDeals)
    .output(Reconciliation)
    .query(async ({ ctx: { db, actor }, input: { deals, after = null, upTo = null } }) => {
      const held = deals.map(({ id, lastModified = null }) => ({ id, lastModified }))
      const stored = await readModified(db, partnerOf(actor), after, upTo, storedCountToRead(held.length))
      return { ...reconcile(held, stored.deals), last: BigInt(stored.last) }
    }),
}
