import { z } from 'zod'
import { type DealField, dealFields } from '../deals/deal.ts'
import type { FilterTerms } from '../deals/event-facts.ts'
import { type EventType, eventTypeNames, isChangeable } from '../deals/event.ts'
import { isEmpty } from '../search/filters.ts'
import { type EventFilter, readEventFilter } from '../search/parameters.ts'
import { BigRowId, Time, text } from '../values/input.ts'
import { parseInt64 } from '../values/int64.ts'
import { nearestName } from '../values/nearest-name.ts'
import { subscriptionId } from './delivery.ts'
import type { Endpoint } from './store.ts'

/** Default event types of a subscription. */
const usualEvents: EventType[] = ['deal.created', 'deal.updated']

const filterMax = 8000

const value = z.union([text(filterMax), z.number(), z.boolean()])

const Filter = z.preprocess(
  refuseProto,
  z
    .union([text(filterMax), z.record(z.string(), z.union([value, z.array(value).max(200)]))], {
      error: 'must be a query such as "stage=Sold&amountMin=20000", or an object of the same names',
    })
    .meta({
      description:
        'Which deals: parameters of the search, as a query or as an object. An event passes when its deal matched ' +
        'before or after it.',
      examples: ['stage=Permit%20Submitted&amountMin=20000'],
    }),
)

/** Rejects the key `__proto__`, which `z.record` silently drops. */
function refuseProto(filter: unknown, context: z.RefinementCtx): unknown {
  if (typeof filter === 'object' && filter !== null && Object.hasOwn(filter, '__proto__'))
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'unknown parameter' })
  return filter
}

/** Fields that `changed` accepts. All other fields change together with one of these. */
const changeableFields = (Object.keys(dealFields) as DealField[]).filter(isChangeable)

const changedMax = 100

const Changed = z
  .union([
    z.string().transform((names) => (names.trim() === '' ? [] : names.split(',', changedMax + 1))),
    z.array(z.string()).max(changedMax),
  ])
  // Limits the cost, because each unknown name is compared with all known names.
  .refine((names) => names.length <= changedMax, { error: `must be at most ${changedMax} fields` })
  .transform((names, context): DealField[] => {
    for (const name of names) {
      const problem = problemOfField(name.trim())
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    }
    return [...new Set(names.map((name) => name.trim() as DealField))].toSorted()
  })

function problemOfField(name: string): string | null {
  if (changeableFields.some((field) => field === name)) return null
  return Object.hasOwn(dealFields, name)
    ? `${name} changes with other fields; use one of those instead`
    : `there is no ${name}; did you mean ${nearestName(name, changeableFields)}?`
}

const wireTime = z.iso.datetime()

const name = text(100).meta({ description: 'A name, for people.', examples: ['CRM'] })

export const EventChoice = z.object({
  events: z
    .array(z.enum(eventTypeNames))
    .min(1)
    .transform((types) => [...new Set(types)].toSorted())
    .nullish(),
  filter: Filter.nullish().meta({ description: 'Which deals; null for all.' }),
  changed: Changed.nullish(),
})

export const CreateSubscription = EventChoice.extend({
  url: z.string({ error: 'must be a string' }),
  name: name.nullish(),
})

/** A filter to evaluate over the last days, or a subscription to evaluate since its filter was set. */
export const LookBackInput = EventChoice.extend({ id: z.string().regex(subscriptionId).nullish() })

export const ListLookedAt = LookBackInput.extend({
  isSent: z.boolean(),
  cursor: BigRowId.nullish(),
  limit: z.int().min(1).max(50).default(20),
})

/** Events to replay to a URL: the events of a deal, or between two times. */
export const ReplayEvents = EventChoice.extend({
  url: z.string(),
  dealId: text(20)
    .transform(parseInt64)
    .refine((id) => id !== null, { error: 'must be the id of a deal' })
    .optional(),
  since: Time.optional(),
  until: Time.optional(),
  after: z.int().min(0).default(0),
}).refine(({ dealId, since }) => dealId !== undefined || since !== undefined, {
  error: 'one of dealId and since must be given',
})

export const EditSubscription = CreateSubscription.extend({ id: z.string().regex(subscriptionId) })

export const ChooseSubscription = z.object({
  id: text(64).meta({ description: 'Id of the subscription.', examples: ['8f2c1a90b3d4'] }),
})

export const WireSubscription = z
  .looseObject({
    id: z.string().meta({ description: 'Id of the subscription.', examples: ['8f2c1a90b3d4'] }),
    url: z.string().meta({
      description: 'URL that the events are sent to.',
      examples: ['https://crm.example.com/hooks/deals'],
    }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'A name, for people.', examples: ['CRM'] }),
    events: z.array(z.enum(eventTypeNames)).meta({ description: 'The types of events that it gets.' }),
    filter: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .nullable()
      .meta({
        description: 'Which deals, as it was given; null for all.',
        examples: ['stage=Permit%20Submitted'],
      }),
    changed: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The fields of which one must change; null for any.', examples: [['stage']] }),
    since: z.int().meta({
      description:
        'The filter applies to the events after this sequence. After a change of the filter, search once and skip the events up to it.',
      examples: [1042],
    }),
    createdAt: wireTime.meta({ description: 'When it was created.', examples: ['2026-03-01T17:20:05.000Z'] }),
    switchedOffAt: wireTime.nullable().meta({
      description: 'When it was switched off because its URL failed for days; null while it is on.',
      examples: [null],
    }),
  })
  .meta({ id: 'Subscription', description: 'A subscription to events.' })

export const SubscriptionDetails = WireSubscription.extend({
  withheld: z.int().meta({
    description:
      'How many events of its types it withheld by its filter or `changed`, of the newest 100,000 after `since`.',
    examples: [271],
  }),
}).meta({ id: 'SubscriptionDetails', description: 'A subscription, and what it withheld.' })

export const SubscriptionList = z
  .looseObject({ subscriptions: z.array(WireSubscription) })
  .meta({ id: 'SubscriptionList', description: 'All subscriptions of the partner.' })

/** The events of a subscription, as stored. */
export interface SubscribedEvents {
  events: EventType[]
  filter: EventFilter | null
  /** Conditions of the filter and the changed fields, or null to send every event of these types. */
  terms: FilterTerms | null
}

/** Returns the events of a subscription, and the problems with its filter. */
export function subscribedEventsOf({ events, filter = null, changed }: z.infer<typeof EventChoice>): {
  subscribed: SubscribedEvents
  problems: string[]
} {
  const { terms: ofFilter, problems } = readEventFilter(filter ?? '')
  const terms = { ...ofFilter, ...(changed != null && changed.length > 0 && { changed }) }
  return {
    subscribed: {
      events: events ?? usualEvents,
      filter: ofFilter === null ? null : filter,
      terms: isEmpty(terms) ? null : terms,
    },
    problems: problems.map((problem) => `filter.${problem}`),
  }
}

/** Returns the events of a stored subscription. */
export const subscribedBy = ({ events, filter, terms }: Endpoint): SubscribedEvents => ({
  events: events ?? usualEvents,
  filter,
  terms,
})

/** Returns a subscription as shown to partners. */
export function wireSubscription(endpoint: Endpoint): z.infer<typeof WireSubscription> {
  const { kind, url, name, events, filter, sinceSequence, createdAt, switchedOffAt } = endpoint
  return {
    id: kind,
    url,
    name,
    events: events ?? usualEvents,
    filter: filter as z.infer<typeof WireSubscription>['filter'],
    changed: endpoint.terms?.changed ?? null,
    since: sinceSequence ?? 0,
    createdAt: createdAt.toISOString(),
    switchedOffAt: switchedOffAt?.toISOString() ?? null,
  }
}

/** Returns a description of a replay for the audit log. */
export function describeReplay(
  url: string,
  {
    dealId,
    since,
    until,
  }: { dealId?: bigint | undefined; since?: Date | undefined; until?: Date | undefined },
): string {
  return [
    dealId === undefined ? '' : `deal ${dealId}`,
    since === undefined ? '' : `since ${since.toISOString()}`,
    until === undefined ? '' : `until ${until.toISOString()}`,
    `to ${url}`,
  ]
    .filter(Boolean)
    .join(' ')
}
