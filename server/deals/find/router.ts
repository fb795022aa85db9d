import { z } from 'zod'
import type { Database } from '#db/client.ts'
import { type Actor, isInternal } from '../../access/actor.ts'
import { note } from '../../access/audited.ts'
import { runExport } from '../../access/exports.ts'
import { router, scoped } from '../../access/procedure.ts'
import type { Reach } from '../../accounts/partner.ts'
import { notFound } from '../../protocol/errors.ts'
import { Prepared } from '../../protocol/prepared.ts'
import type { Zone } from '../../protocol/zone.ts'
import { makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import { type Deal, type DealField, dealFields } from '../deal.ts'
import type { EventType } from '../event.ts'
import { readHistory } from '../history-store.ts'
import { findPoints } from '../map/map-store.ts'
import { commonArea } from '../map/point.ts'
import { countPlaced, readMap } from '../map/read-map.ts'
import type { DealPoints } from '../map/wire.ts'
import { type HeldDeal, heldOf as heldBy } from '../milestones/money.ts'
import { type NearestMilestone, nearestMilestone } from '../milestones/nearest.ts'
import { timelineOf } from '../milestones/timeline.ts'
import { readBoard, readChoices } from '../overview-store.ts'
import { portionsOf } from '../portions.ts'
import { parseDeal, renderValue } from '../render.ts'
import { readDeal, readListAge } from '../store.ts'
import { readMatching } from './export-store.ts'
import { asMeant } from './meant-filter.ts'
import { findNeighbours } from './neighbour-store.ts'
import { readPartnerNames } from './partner-store.ts'
import { findDeals, readAgain } from './store.ts'
import {
  CountDeals,
  DealHistory,
  type DerivedField,
  ExportDeals,
  FindDeals,
  FindNeighbours,
  FindPoints,
  RefreshDeals,
  cursorText,
  derivedFields,
} from './wire.ts'

/** A matching deal with the requested fields. */
export type FoundRow = Partial<Deal> & {
  id: bigint
  milestone?: NearestMilestone | null
  partner?: string | null
  /** What holds it, and who has it; null when it is lost. */
  held?: HeldDeal | null
}

/** A page of matching deals with the requested fields. */
export interface FoundDeals {
  deals: FoundRow[]
  /** The cursor of the next page; null when there is none. A page that is not full, or empty, may have a next one. */
  next: string | null
}

/** Deals that were looked at again, and which of them match. */
export interface RefreshedDeals {
  deals: FoundRow[]
  matching: bigint[]
}

/** The history of a deal, newest first. */
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

/** The procedures that find deals. */
export const findProcedures = {
  find: scoped('deals:read')
    .input(FindDeals)
    .query(async ({ ctx: { db, reads, actor }, input: { filter, sort, fields, cursor = null, limit } }) => {
      const [page, told] = await Promise.all([
        findDeals(reads, actor.reach, await asMeant(filter, actor), actor.zone, sort, cursor, limit),
        tellingOf(db, actor, fields),
      ])
      const next = page.next === null ? null : cursorText(page.next)
      const found = page.deals.map(({ json, cursor: { id } }) => ({ id, json }))
      return new Prepared<FoundDeals>(
        `{"deals":[${await renderRows(db, actor, found, fields, told)}],"next":${JSON.stringify(next)}}`,
        '',
      )
    }),

  /** Returns the deals with these ids as they are now, and which of them match. */
  refresh: scoped('deals:read')
    .input(RefreshDeals)
    .query(async ({ ctx: { db, actor }, input: { ids, filter, fields } }) => {
      const [found, told] = await Promise.all([
        readAgain(db, actor.reach, await asMeant(filter, actor), actor.zone, ids),
        tellingOf(db, actor, fields),
      ])
      const matching = found.filter(({ isMatch }) => isMatch).map(({ id }) => id)
      return new Prepared<RefreshedDeals>(
        `{"deals":[${await renderRows(db, actor, found, fields, told)}],"matching":[${matching.join(',')}]}`,
        '',
      )
    }),

  /** Returns the ids of the deals before and after one in a list; null at its ends. */
  neighbours: scoped('deals:read')
    .input(FindNeighbours)
    .query(async ({ ctx: { db, actor }, input: { id, filter, sort } }) => {
      const { previous, next } = await findNeighbours(
        db,
        actor.reach,
        await asMeant(filter, actor),
        actor.zone,
        sort,
        id,
      )
      return {
        previous: previous === null ? null : String(previous),
        next: next === null ? null : String(next),
      }
    }),

  /** Returns how many milliseconds ago the deals within reach last changed; null when there has never been one. */
  age: scoped('deals:read')
    .input(z.object({}))
    .query(({ ctx: { db, actor } }) => readListAge(db, actor.reach)),

  count: scoped('deals:read')
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      countPlaced(services, actor.reach, await asMeant(filter, actor), actor.zone),
    ),

  /** Returns the number of matching deals of each county. */
  map: scoped('deals:read')
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      readMap(services, actor.reach, await asMeant(filter, actor), actor.zone),
    ),

  /** Returns matching deals in an area with their coordinates. */
  points: scoped('deals:read')
    .input(FindPoints)
    .query(async ({ ctx: { reads, actor }, input: { filter, within } }): Promise<DealPoints> => {
      const area = filter.area === undefined ? within : commonArea(filter.area, within)
      if (area === null) return { deals: [], isMore: false }
      const meant = await asMeant({ ...filter, area }, actor)
      return findPoints(reads, actor.reach, { ...meant, area }, actor.zone)
    }),

  /** Returns the name of a deal's partner; null when it has none. */
  partner: scoped('deals:read')
    .input(DealHistory.pick({ id: true }))
    .query(
      async ({ ctx: { db, actor }, input: { id } }) =>
        (await readPartnerNames(db, actor.reach, [id])).get(id) ?? null,
    ),

  choices: scoped('deals:read')
    .input(z.object({}))
    .query(({ ctx: { services, actor } }) => readChoices(services, actor.reach)),

  board: scoped('deals:read')
    .input(CountDeals)
    .query(async ({ ctx: { services, actor }, input: { filter } }) =>
      readBoard(services, actor.reach, await asMeant(filter, actor), actor.zone),
    ),

  history: scoped('deals:read')
    .input(DealHistory)
    .query(async ({ ctx: { db, actor }, input: { id, before = null } }) => {
      if ((await readDeal(db, actor.reach, id)) === undefined) throw notFound('Deal')
      const entries = await readHistory(db, actor.reach, id, before, historySize + 1)
      const shown = entries.slice(0, historySize)
      const events = shown.map(
        ({ sequence, type, timestamp, changes }) =>
          `{"sequence":${sequence},"type":"${type}","timestamp":"${timestamp}","changes":${changes}}`,
      )
      return new Prepared<HistoryPage>(
        `{"events":[${events.join(',')}],"next":${entries.length > historySize ? shown.at(-1)!.sequence : null}}`,
        '',
      )
    }),
}

/** A deal of an export. */
export type ExportedDeal = Deal & {
  milestone: NearestMilestone | null
  held: HeldDeal | null
  partner: string | null
}

/** Streams for the route handlers of this process. */
export const dealStreams = router({
  /** Returns a function that yields all matching deals in batches. */
  export: scoped('deals:read')
    .input(ExportDeals)
    .query(async ({ ctx: { db, reads, services, actor }, input: { filter, sort, derived } }) => {
      return (take: (deals: ExportedDeal[]) => Promise<void>): Promise<void> =>
        runExport(services.exports, actor, async () => {
          await note({ db, actor }, { action: 'deals.exported' })
          const { milestoneOf, heldOf } = await tellingOf(db, actor, derived)
          await readMatching(
            reads,
            actor.reach,
            await asMeant(filter, actor),
            actor.zone,
            sort,
            async (jsons) => {
              const deals = jsons.map(parseDeal)
              const partners =
                derived.includes('partner') && isInternal(actor)
                  ? await readPartnerNames(
                      db,
                      actor.reach,
                      deals.map(({ id }) => id),
                    )
                  : null
              await take(
                deals.map((deal) => ({
                  ...deal,
                  milestone: milestoneOf?.(deal) ?? null,
                  held: heldOf?.(deal) ?? null,
                  partner: partners?.get(deal.id) ?? null,
                })),
              )
            },
          )
        })
    }),
})

type RowField = DealField | DerivedField

const isDerived = (field: string): field is DerivedField =>
  (derivedFields as readonly string[]).includes(field)

type MilestoneOf = (deal: Deal) => NearestMilestone | null

/** What the timelines of deals tell; null when it was not asked for. */
interface Told {
  milestoneOf: MilestoneOf | null
  heldOf: ((deal: Deal) => HeldDeal | null) | null
}

/** Returns how what is asked for is told by the timelines of deals. */
const tellingOf = async (db: Database, actor: Actor, fields: RowField[]): Promise<Told> => ({
  milestoneOf: fields.includes('milestone') ? await makeMilestoneOf(db, actor, Date.now()) : null,
  heldOf: fields.includes('held') ? await makeHeldOf(db, actor, Date.now()) : null,
})

/** Returns how the nearest milestones of the deals within reach are told at `nowMs`, in a zone. */
async function makeMilestoneOf(
  db: Database,
  { reach, zone }: { reach: Reach; zone: Zone },
  nowMs: number,
): Promise<MilestoneOf> {
  const stageOf = makeStageOf(await readStages(db, reach))
  return (deal) => nearestMilestone(deal, stageOf(deal.stage).kind, nowMs, zone)
}

/** Returns fields of deals within the actor's reach as JSON, separated by commas. */
async function renderRows(
  db: Database,
  actor: Actor,
  found: { id: bigint; json: string }[],
  fields: RowField[],
  told: Told,
): Promise<string> {
  const partners =
    fields.includes('partner') && isInternal(actor)
      ? await readPartnerNames(
          db,
          actor.reach,
          found.map(({ id }) => id),
        )
      : null
  const chosen = [...new Set<DealField>(['id', ...fields.filter((field) => !isDerived(field))])]
  const rows: string[] = []
  for await (const portion of portionsOf(found.map(({ json }) => json)))
    rows.push(...portion.map((json) => pick(parseDeal(json), chosen, { ...told, partners })))
  return rows.join(',')
}

/** Returns how it is told at `nowMs`, in a zone, what holds the deals within reach. */
async function makeHeldOf(
  db: Database,
  { reach, zone }: { reach: Reach; zone: Zone },
  nowMs: number,
): Promise<NonNullable<Told['heldOf']>> {
  const stageOf = makeStageOf(await readStages(db, reach))
  return (deal) => heldBy(deal, stageOf(deal.stage).kind, timelineOf(deal, 'open', nowMs, zone))
}

/** What is told of deals beside their fields; null when it was not asked for. */
interface Derived extends Told {
  partners: Map<bigint, string> | null
}

/** Returns some fields of a deal as JSON. */
function pick(deal: Deal, fields: DealField[], { milestoneOf, heldOf, partners }: Derived): string {
  const members = fields.map((field) => `"${field}":${renderValue(dealFields[field].kind, deal[field])}`)
  if (milestoneOf !== null) members.push(`"milestone":${JSON.stringify(milestoneOf(deal))}`)
  if (heldOf !== null) members.push(`"held":${JSON.stringify(heldOf(deal))}`)
  if (partners !== null) members.push(`"partner":${JSON.stringify(partners.get(deal.id) ?? null)}`)
  return `{${members.join(',')}}`
}
