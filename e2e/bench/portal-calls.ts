import type { Database } from '#db/client.ts'
import { everyone } from '#server/access/actor.ts'
import type { PartnerId, TenantScope } from '#server/accounts/partner.ts'
import { readFlow, readSlices } from '#server/insight/flow-store.ts'
import { readMoney } from '#server/insight/money-store.ts'
import { weekOf } from '#server/insight/periods.ts'
import { readHome } from '#server/insight/read-home.ts'
import { readSlicedTrends, readTrends } from '#server/insight/trends-store.ts'
import { readWeek } from '#server/insight/week.ts'
import { countDeals } from '#server/search/count-store.ts'
import { readMap } from '#server/search/map-store.ts'
import { readBoard, readChoices } from '#server/search/overview-store.ts'
import { findSimilar } from '#server/search/similar-store.ts'
import { findDeals } from '#server/search/store.ts'
import { type DealFilter, type DealSort, initialSort } from '#server/search/wire.ts'
import { dayOf, mondayOf, utc } from '#server/values/zone.ts'
import { percentile95 } from './drive.ts'
import type { Filled, Site } from './site.ts'

/** A call of a portal procedure. */
type Call = [name: string, run: () => Promise<unknown>]

const pageSize = 50
const eventRetentionDays = 30

const filters: Record<string, DealFilter> = {
  'all deals': {},
  'a common word': { search: '602' },
  'a letter': { search: 's' },
  'a common word and a letter': { search: 'garcia m' },
  'starts of words that few deals have together': { search: 'w pal' },
  'a rare word': { search: 'zzz' },
  'an absent e-mail address': { search: 'nobody@nowhere.example' },
  'a stage': { stages: ['Permit Submitted'] },
  'an absent stage': { stages: ['Absent'] },
  'an absent state': { states: ['XX'] },
  'an absent person': { people: ['Nobody'] },
  'absent days': { dates: { createDate: { to: '2001-01-01' } } },
  'an absent amount': { amount: { min: 1e9 } },
  'some flags': { flags: { hasBattery: true, hasHoa: true, scopeOfWorkPacket: true } },
  'days that no index has': { dates: { fundingSubmitted: { to: '2001-01-01' } } },
}

/** Filters of the board and the map: a common value, a missing value, and one without an index. */
const boardFilters = ['a common word', 'an absent state', 'some flags']

/** Searches with typos in every word: common names, several words, and words that do not exist. */
const typos = ['lopes', 'garsia', 'pheonix', 'garsia nguyn pheonix', 'qqqqqq']

const sortFields = ['dealname', 'stage', 'timeInCurrentStage', 'systemSize', 'amount'] as const

/** Returns calls that find, count and sum the deals of one partner or of all partners. */
function dealCalls(db: Database, tenant: TenantScope): Call[] {
  const deps = { db, config: { eventRetentionDays } }
  const now = new Date()
  const viewer = { tenant, zone: utc }
  const of = (filter: DealFilter) => ({ tenant, filter, zone: utc })
  const find = (filter: DealFilter, sort: DealSort) => async () => {
    const { next } = await findDeals(db, of(filter), sort, null, pageSize)
    if (next !== null) await findDeals(db, of(filter), sort, next, pageSize)
  }
  return [
    ['opens Home', () => readHome(deps, { ...viewer, user: null }, null, now)],
    ['opens money', () => readMoney(deps, viewer, now)],
    ['opens flow', () => readFlow(deps, viewer, now, '6')],
    ['opens flow by utility', () => readSlices(deps, viewer, now, 'utilityName', '6')],
    ['opens trends', () => readTrends(deps, viewer, now, '6', 'month')],
    ['opens trends by lender', () => readSlicedTrends(deps, viewer, now, 'lender', '6')],
    ['opens the week', () => readWeek(deps, viewer, weekOf(mondayOf(dayOf(now, utc))), now)],
    ['opens the filters', () => readChoices(deps, tenant)],
    ...['all deals', ...boardFilters].flatMap((name): Call[] => [
      [`opens the board of ${name}`, () => readBoard(deps, of(filters[name]!))],
      [`opens the map of ${name}`, () => readMap(deps, of(filters[name]!))],
    ]),
    ...Object.entries(filters).flatMap(([name, filter]): Call[] => [
      [`finds ${name}, two pages`, find(filter, initialSort)],
      [`counts ${name}`, () => countDeals(db, of(filter))],
    ]),
    ...typos.map((search): Call => [
      `finds names similar to ${search}`,
      () => findSimilar(db, of({ search }), initialSort, pageSize),
    ]),
    ...(tenant === everyone ? [] : sortFields).flatMap((field) =>
      (['asc', 'desc'] as const).map((direction): Call => [
        `sorts by ${field} ${direction}, two pages`,
        find({}, { field, direction }),
      ]),
    ),
  ]
}

const rounds = 20

/** Runs the calls one after another and reports the slowest. Returns the highest 95th percentile in ms. */
async function timeCalls(calls: Call[], say: Site['say']): Promise<number> {
  const timed: [name: string, ms: number][] = []
  for (const [name, run] of calls) {
    await run()
    const times: number[] = []
    while (times.length < rounds) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
    timed.push([name, percentile95(times)])
  }
  const slowest = timed.toSorted(([, a], [, b]) => b - a)
  for (const [name, ms] of slowest.slice(0, 5)) say(`${Math.round(ms)} ms: ${name}`)
  return slowest[0]![1]
}

/** Returns the measurements of the portal's procedures. */
export function measurePortalCalls({ say }: Site, filled: Filled) {
  return {
    async searchesPerS() {
      const { db, party } = await filled.loaded()
      return timeSearches(db(), party.id)
    },
    async portalCallP95Ms() {
      const { db, party } = await filled.loaded()
      const named = (who: string, calls: Call[]) => calls.map(([name, run]): Call => [`${who} ${name}`, run])
      const partners = named('partner', dealCalls(db(), party.id))
      return timeCalls([...partners, ...named('operator', dealCalls(db(), everyone))], say)
    },
  }
}

/** Searches in the portal: common words, rare words and words without a match. */
export const searches = ['smith', 'pho', 'garcia m', '602', '85', 'w pal', 'zzz', 'nguyen']

const searchers = 8
const warmUpMs = 1000
const durationMs = 2000

/** Searches for a while like several concurrent users. Returns the number of searches per second. */
async function timeSearches(db: Database, tenant: PartnerId): Promise<number> {
  let count = 0
  const searchFor = async (ms: number) => {
    const [began, before] = [performance.now(), count]
    const search = async () => {
      while (performance.now() - began < ms) {
        const filter = { search: searches[count++ % searches.length]! }
        await findDeals(db, { tenant, filter, zone: utc }, initialSort, null, pageSize)
      }
    }
    await Promise.all(Array.from({ length: searchers }, search))
    return ((count - before) / (performance.now() - began)) * 1000
  }
  // Warm-up: the driver caches a query plan after five runs.
  await searchFor(warmUpMs)
  return searchFor(durationMs)
}
