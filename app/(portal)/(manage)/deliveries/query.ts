import { createParser, parseAsString, parseAsStringLiteral } from 'nuqs/server'
import { type PageState, cutLine, pageQuery } from '#app/page-query.ts'
import { hourMs } from '#server/values/units.ts'
import { isUrlKind, subscriptionId } from '#server/webhooks/delivery.ts'
import { logStates, resendStates } from '#server/webhooks/wire.ts'

/** Length of each time range, in hours. */
const spans = { hour: 1, day: 24, week: 7 * 24 }

/** Query parameters of the deliveries page. `kind` is one of the two endpoints, or the id of a subscription. */
export const deliveriesQuery = pageQuery('/deliveries', {
  kind: createParser({
    parse: (text) => (isUrlKind(text) || subscriptionId.test(text) ? text : null),
    serialize: String,
  }),
  state: parseAsStringLiteral(logStates),
  q: parseAsString.withDefault(''),
  within: parseAsStringLiteral(['hour', 'day', 'week']),
})

export type DeliveriesState = PageState<typeof deliveriesQuery>

/** Returns the input of the list procedure for the query parameters, as of `nowMs`. */
export function listInput({ kind, state, q, within }: DeliveriesState, nowMs: number) {
  return {
    kind: kind ?? undefined,
    state: state ?? undefined,
    search: cutLine(q, 100) || undefined,
    since: within === null ? undefined : new Date(nowMs - spans[within] * hourMs),
    limit: 50,
  }
}

/** Returns the input for resending the listed deliveries, or null if none of the deliveries can be resent. */
export function resendInput(query: DeliveriesState, nowMs: number) {
  const { limit: _limit, state, ...filter } = listInput(query, nowMs)
  const states = resendStates.filter((each) => state === undefined || each === state)
  return states.length === 0 ? null : { ...filter, states }
}
