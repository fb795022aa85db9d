import {
  createLoader,
  createParser,
  createSerializer,
  type inferParserType,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server'
import { cutLine } from '#app/cut-text.ts'
import { hourMs } from '#server/values/units.ts'
import { isUrlKind, subscriptionId } from '#server/webhooks/delivery.ts'
import { logStates, resendStates } from '#server/webhooks/wire.ts'

/** Length of each time range, in hours. */
const spans = { hour: 1, day: 24, week: 7 * 24 }

const parseAsEndpoint = createParser({
  parse: (text) => (isUrlKind(text) || subscriptionId.test(text) ? text : null),
  serialize: String,
})

/** Query parameters of the deliveries page. */
export const deliveriesParsers = {
  /** One of the two endpoints, or the id of a subscription. */
  kind: parseAsEndpoint,
  state: parseAsStringLiteral(logStates),
  q: parseAsString.withDefault(''),
  within: parseAsStringLiteral(['hour', 'day', 'week']),
}

export type DeliveriesState = inferParserType<typeof deliveriesParsers>

export const readDeliveriesQuery = createLoader(deliveriesParsers)
const write = createSerializer(deliveriesParsers)
export const deliveriesHref = (state: Partial<DeliveriesState> = {}) => write('/deliveries', state)

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
