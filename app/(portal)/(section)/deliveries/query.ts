import {
  createLoader,
  createSerializer,
  type inferParserType,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server'
import { parseInt64 } from '#server/protocol/int64.ts'
import { hourMs } from '#server/protocol/units.ts'
import { logStates } from '#server/webhooks/wire.ts'

/** How far back each choice of time goes, in hours. */
const spans = { hour: 1, day: 24, week: 7 * 24 }

/** The query of the deliveries page. */
export const deliveriesParsers = {
  kind: parseAsStringLiteral(['create', 'update']),
  state: parseAsStringLiteral(logStates),
  deal: parseAsString.withDefault(''),
  within: parseAsStringLiteral(['hour', 'day', 'week']),
  /** The start of a single hour. */
  hour: parseAsIsoDateTime,
}

export type DeliveriesState = inferParserType<typeof deliveriesParsers>

export const readDeliveriesQuery = createLoader(deliveriesParsers)
const write = createSerializer(deliveriesParsers)
export const deliveriesHref = (state: Partial<DeliveriesState> = {}) => write('/deliveries', state)

/** Returns the input of the list for a query as of `nowMs`; undefined when the deal ID is invalid. */
export function listInput({ kind, state, deal, within, hour }: DeliveriesState, nowMs: number) {
  const dealId = deal.trim() || undefined
  if (dealId !== undefined && parseInt64(dealId) === null) return undefined
  return {
    kind: kind ?? undefined,
    state: state ?? undefined,
    dealId,
    since: hour ?? (within === null ? undefined : new Date(nowMs - spans[within] * hourMs)),
    until: hour === null ? undefined : new Date(hour.getTime() + hourMs),
    limit: 50,
  }
}
