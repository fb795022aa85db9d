import { z } from '../values/input.ts'
import { toInt64 } from '../values/int64.ts'
import { toTime } from '../values/time.ts'
import { int64, int64Bounds, notInt64 } from './wire.ts'

/**
 * Returns a schema that parses a value with `read`. If `read` returns null, the value is rejected with
 * `problem` as the message.
 */
function readBy<T>(read: (value: unknown) => T | null, problem: string) {
  return z.unknown().transform((value, context) => {
    const result = read(value)
    if (result !== null) return result
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })
}

const dealId = readBy(toInt64, notInt64).meta({ override: int64Bounds })

const instant = readBy(
  (value) => (typeof value === 'string' ? toTime(value) : null),
  'must be an ISO 8601 date-time with a time zone, such as 2026-03-01T17:20:05.000Z',
).meta({ override: { type: 'string', format: 'date-time' } })

const bound = (description: string) =>
  dealId
    .nullable()
    .meta({ description, override: { ...int64Bounds, type: ['integer', 'null'] } })
    .optional()

const HeldDeal = z.object(
  {
    id: dealId.meta({ description: 'The deal id.' }),
    lastModified: instant
      .nullable()
      .meta({
        description:
          'The `lastModified` of the copy, compared as an instant, to the millisecond, in any time zone; null if ' +
          'omitted.',
        override: { type: ['string', 'null'], format: 'date-time' },
      })
      .optional(),
  },
  { error: 'must be an object' },
)

/** Maximum number of missing deals reported per comparison. */
export const missingMax = 1000

const heldMax = 1000

// The number of items is checked first, because a body can contain half a million items.
const heldDeals = z.preprocess(
  (value, context) => {
    if (Array.isArray(value) && value.length > heldMax)
      context.addIssue({ code: 'custom', message: `must have at most ${heldMax} items` })
    return value
  },
  z.array(HeldDeal, { error: 'must be an array' }).meta({ override: { maxItems: heldMax } }),
)

/** The deals of a copy with `after < id <= upTo`, without duplicates. */
export const ReconcileDeals = z
  .object(
    {
      deals: heldDeals.meta({
        description: 'All deals that the copy holds in the range, each once, in any order.',
      }),
      after: bound('The range begins after this id; null or left out: with the smallest.'),
      upTo: bound('The range ends with this id; null or left out: with the largest.'),
    },
    { error: 'must be an object' },
  )
  .superRefine(({ deals, after = null, upTo = null }, context) => {
    const reject = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    if (after !== null && upTo !== null && upTo < after) reject(['upTo'], 'must not be less than after')
    const seen = new Set<bigint>()
    for (const [index, { id }] of deals.entries()) {
      if (seen.has(id)) reject(['deals', index, 'id'], 'must not come twice')
      else if (after !== null && id <= after) reject(['deals', index, 'id'], 'must be greater than after')
      else if (upTo !== null && id > upTo) reject(['deals', index, 'id'], 'must not be greater than upTo')
      seen.add(id)
    }
  })

const ids = (description: string, example: number) =>
  z.array(int64()).meta({ description: `${description}, ascending.`, examples: [[example]] })

export const Reconciliation = z
  .looseObject({
    missing: ids(`Ids of deals of the partner that the copy lacks, ${missingMax} at most`, 20411000201),
    stale: ids('Ids of deals that were last modified at another time than the copy says', 20411000193),
    gone: ids('Ids of deals that the copy holds and the partner does not have, or no longer', 20411000207),
    last: int64().meta({
      description:
        "The sequence of the partner's newest event at the moment of the comparison, 0 when there is none.",
      examples: [1042],
    }),
    next: z
      .bigint()
      .nullable()
      .meta({
        description:
          'How far the comparison went, when more deals are missing than one answer lists; null: ' +
          'the whole range was compared.',
        examples: [null],
        override: { type: ['integer', 'null'], format: 'int64' },
      }),
  })
  .meta({ id: 'Reconciliation', description: 'Missing, stale and removed deals of a partner’s copy.' })

export const exampleCopy = {
  deals: [
    { id: 20411000193, lastModified: '2026-03-01T10:20:05-07:00' },
    { id: 20411000207, lastModified: null },
  ],
  after: 20411000000,
  upTo: 20411000207,
}

export const exampleReconciliation = {
  missing: [20411000201],
  stale: [20411000193],
  gone: [20411000207],
  last: 1042,
  next: null,
}

/** The version of a deal: its ID and `lastModified` (such as `2026-03-01T17:20:05.000Z`). */
export interface DealVersion {
  id: bigint
  lastModified: string | null
}

/** The changes that would make a copy match the server, each with ascending IDs. */
export interface Difference {
  missing: bigint[]
  stale: bigint[]
  gone: bigint[]
  /** The last compared ID if the comparison is incomplete, or else null. */
  next: bigint | null
}

/**
 * Returns how many stored deals to read for a copy of `copiedCount` deals: enough to find one more missing
 * deal than can be reported.
 */
export const storedCountToRead = (copiedCount: number, most = missingMax) => copiedCount + most + 1

/**
 * Compares a copy with the stored deals in a range of IDs. `copied` contains the deals of the copy in any
 * order, without duplicates. `stored` is ascending and contains all deals in the range, or the first
 * `storedCountToRead(copied.length)`. If more than `most` deals are missing, the comparison ends at the last
 * one that is reported.
 */
export function reconcile(copied: DealVersion[], stored: DealVersion[], most = missingMax): Difference {
  const copiedVersions = new Map(copied.map(({ id, lastModified }) => [id, lastModified]))
  const storedIds = new Set(stored.map(({ id }) => id))
  const missing = stored.filter(({ id }) => !copiedVersions.has(id))
  const next = missing.length > most ? missing[most - 1]!.id : null
  const isCovered = ({ id }: DealVersion) => next === null || id <= next
  const isStale = ({ id, lastModified }: DealVersion) =>
    copiedVersions.has(id) && copiedVersions.get(id) !== lastModified
  const gone = copied.filter((deal) => !storedIds.has(deal.id) && isCovered(deal))
  return {
    missing: idsOf(missing.slice(0, most)),
    stale: idsOf(stored.filter((deal) => isStale(deal) && isCovered(deal))),
    gone: idsOf(gone).toSorted((a, b) => (a < b ? -1 : 1)),
    next,
  }
}

const idsOf = (deals: DealVersion[]) => deals.map(({ id }) => id)
