import { z } from 'zod'
import { type Actor, isInternal } from '../access/actor.ts'
import { note } from '../access/audited.ts'
import { runExport } from '../access/exports.ts'
import { router, scoped } from '../access/procedure.ts'
import type { DealField, KnownDeal } from '../deals/deal.ts'
import type { Derived } from '../deals/derived-columns.ts'
import { readHistory } from '../deals/event-store.ts'
import type { EventType } from '../deals/event.ts'
import { parseDeal } from '../deals/render.ts'
import { similarWordsIn } from '../deals/search-text.ts'
import { readDeal, readListAge } from '../deals/store.ts'
import { notFound } from '../errors.ts'
import { commonArea } from '../values/point.ts'
import { Prepared } from '../values/prepared.ts'
import { shorten } from '../values/short-text.ts'
import { readMatching } from './export-store.ts'
import { findPoints, readMap } from './map-store.ts'
import { searchOperations } from './operations.ts'
import { countMatching, readBoard, readChoices } from './overview-store.ts'
import { type ExportedDeal, readDealPartners, readExported, renderRows } from './read-rows.ts'
import { resolveQuery } from './resolve-query.ts'
import { findSimilar } from './similar-store.ts'
import { findNeighbours, findDeals, readAgain } from './store.ts'
import {
  type DealPoints,
  CountDeals,
  DealHistory,
  ExportDeals,
  FindDeals,
  FindNeighbours,
  FindPoints,
  FindSimilar,
  RefreshDeals,
  cursorText,
} from './wire.ts'

export type FoundRow = Partial<KnownDeal> &
  Partial<Derived> & {
    id: bigint
    partner?: string | null
    assignee?: string | null
    /**
     * Time when the portal first saw the deal in its stage, if the CRM does not send when the stage began.
     */
    seenAt?: string
    /** Null if the deal did not change since the viewer's last visit. */
    isUnseen?: true | null
  }

export interface FoundDeals {
  deals: FoundRow[]
  /** Cursor of the next page, or null. An incomplete or empty page may still have a next page. */
  next: string | null
}

/** Deals that would match if the search did not contain a typo, and the similar words found. */
export interface SimilarDeals {
  deals: FoundRow[]
  words: string[]
}

export interface RefreshedDeals {
  deals: FoundRow[]
  matching: bigint[]
}

export interface HistoryPage {
  events: {
    sequence: number
    type: EventType
    timestamp: string
    changes: { field: DealField; from: unknown; to: unknown }[]
  }[]
  next: number | null
}

const historySize = 20

/** Maximum number of characters in changes with full texts. */
const historyMaxLength = 2 ** 18

/** Procedures that find and count deals. They share a namespace with the procedures of deals. */
export const searchRouter = router({
  ...searchOperations,

  find: scoped('deals:read')
    .input(FindDeals)
    .query(
      async ({
        ctx: { db, reads, actor, services },
        input: { filter, sort, fields, cursor = null, limit },
      }) => {
        const page = findDeals(reads, await resolveQuery(actor, filter), sort, cursor, limit)
        const found = page.then(({ deals }) => deals)
        const rows = await renderRows(db, actor, found, allowed(actor, fields), services.usual)
        const { next } = await page
        const nextText = JSON.stringify(next && cursorText(next))
        return new Prepared<FoundDeals>(`{"deals":[${rows}],"next":${nextText}}`)
      },
    ),

  /** Returns the first deals that would match if one typo in the search were corrected. */
  similar: scoped('deals:read')
    .input(FindSimilar)
    .query(async ({ ctx: { db, reads, actor, services }, input: { filter, sort, fields, limit } }) => {
      const similar = findSimilar(reads, await resolveQuery(actor, filter), sort, limit)
      const found = similar.then(({ deals }) => deals)
      const rows = await renderRows(db, actor, found, allowed(actor, fields), services.usual)
      const { deals, similarWords } = await similar
      const words = similarWordsIn(
        deals.map(({ json }) => parseDeal(json)),
        similarWords,
      )
      return new Prepared<SimilarDeals>(`{"deals":[${rows}],"words":${JSON.stringify(words)}}`)
    }),

  /** Returns the current state of the deals with these ids, and which of the deals match. */
  refresh: scoped('deals:read')
    .input(RefreshDeals)
    .query(async ({ ctx: { db, actor, services }, input: { ids, filter, fields } }) => {
      const reading = readAgain(db, await resolveQuery(actor, filter), ids)
      const rows = await renderRows(db, actor, reading, allowed(actor, fields), services.usual)
      const matching = (await reading).filter(({ isMatch }) => isMatch).map(({ id }) => id)
      return new Prepared<RefreshedDeals>(`{"deals":[${rows}],"matching":[${matching.join(',')}]}`)
    }),

  /** Returns the ids of the deals before and after a deal in a list, or null at the ends of the list. */
  neighbours: scoped('deals:read')
    .input(FindNeighbours)
    .query(async ({ ctx: { db, actor }, input: { id, filter, sort } }) => {
      const { previous, next } = await findNeighbours(db, await resolveQuery(actor, filter), sort, id)
      return {
        previous: previous === null ? null : String(previous),
        next: next === null ? null : String(next),
      }
    }),

  /** Returns the milliseconds since the tenant's deals last changed, or null if they never changed. */
  age: scoped('deals:read')
    .input(z.object({}))
    .query(({ ctx: { db, actor } }) => readListAge(db, actor.tenant)),

  count: scoped('deals:read')
    .meta({ isLong: true })
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      countMatching(services, await resolveQuery(actor, filter)),
    ),

  map: scoped('deals:read')
    .meta({ isLong: true })
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      readMap(services, await resolveQuery(actor, filter)),
    ),

  /** Returns the matching deals in an area with their coordinates. */
  points: scoped('deals:read')
    .meta({ isLong: true })
    .input(FindPoints)
    .query(async ({ ctx: { reads, actor }, input: { filter, within } }): Promise<DealPoints> => {
      const area = filter.area === undefined ? within : commonArea(filter.area, within)
      if (area === null) return { deals: [], isMore: false }
      return findPoints(reads, await resolveQuery(actor, { ...filter, area }))
    }),

  /** Returns the name of a deal's partner, or null if the deal has no partner. */
  partner: scoped('deals:read')
    .input(DealHistory.pick({ id: true }))
    .query(
      async ({ ctx: { db, actor }, input: { id } }) =>
        (await readDealPartners(db, actor.tenant, [id])).get(id)?.name ?? null,
    ),

  choices: scoped('deals:read')
    .meta({ isLong: true })
    .input(z.object({}))
    .query(({ ctx: { services, actor } }) => readChoices(services, actor.tenant)),

  board: scoped('deals:read')
    .meta({ isLong: true })
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      readBoard(services, await resolveQuery(actor, filter)),
    ),

  history: scoped('deals:read')
    .input(DealHistory)
    .query(async ({ ctx: { db, actor }, input: { id, before = null } }) => {
      if ((await readDeal(db, actor.tenant, id)) === undefined) throw notFound('Deal')
      const { entries, isMore } = await readHistory(db, actor.tenant, id, before, historySize)
      const isLong = entries.reduce((sum, { changes }) => sum + changes.length, 0) > historyMaxLength
      const events = entries.map(
        ({ sequence, type, timestamp, changes }) =>
          `{"sequence":${sequence},"type":"${type}","timestamp":"${timestamp}","changes":${isLong ? shorten(changes) : changes}}`,
      )
      return new Prepared<HistoryPage>(
        `{"events":[${events.join(',')}],"next":${isMore ? entries.at(-1)!.sequence : null}}`,
      )
    }),
})

/** Streams that only route handlers of this process can call. */
export const dealStreams = router({
  /** Returns a function that yields all matching deals in batches. */
  export: scoped('deals:read')
    .input(ExportDeals)
    .query(async ({ ctx: { db, reads, services, actor }, input: { filter, sort, derived, ids } }) => {
      return (consume: (deals: ExportedDeal[]) => Promise<void>): Promise<void> =>
        runExport(services, actor, consume, async (take) => {
          await note({ db, actor }, { action: 'deals.exported' })
          const exported = await readExported(db, actor, allowed(actor, derived), services.usual)
          const query = await resolveQuery(actor, filter)
          if (ids === undefined)
            await readMatching(reads, query, sort, async (stored) => take(await exported(stored)))
          else {
            const found = await readAgain(db, query, ids)
            await take(await exported(ids.flatMap((id) => found.find((deal) => deal.id === id) ?? [])))
          }
        })
    }),
})

/** Removes the fields that the actor may not request. Only staff may see partner names. */
const allowed = <Field extends string>(actor: Actor, fields: Field[]): Field[] =>
  fields.filter((field) => field !== 'partner' || isInternal(actor))
