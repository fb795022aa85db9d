import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { parseDeal } from '../deals/render.ts'
import { countDeals } from '../search/count-store.ts'
import { newsKinds } from '../search/news.ts'
import { resolveQuery } from '../search/resolve-query.ts'
import type { DayRange } from '../search/step-store.ts'
import { findDeals } from '../search/store.ts'
import type { DealFilter } from '../search/wire.ts'
import { type DayWindow, daysOfWindow, windowSince } from '../values/day-window.ts'
import { type Zone, dayOf } from '../values/zone.ts'
import { netChange } from './news.ts'
import { readDealNews } from './store.ts'
import type { DealLine, News, NewsLine } from './wire.ts'

/** The viewer of the news, and the tenant. */
export interface NewsReader {
  tenant: TenantScope
  zone: Zone
  user: { id: number; email: string } | null
}

const newsCount = 6
const firstVisitWindow: DayWindow = 'last-7-days'

/** Counts the deals that match each filter. */
type CountEach = (filters: DealFilter[]) => Promise<{ count: number; isMore: boolean }[]>

/** Returns the news about the matching deals since the day of the viewer's last visit. */
export async function readNews(
  db: Database,
  reader: NewsReader,
  filter: DealFilter,
  now: Date,
  countEach: CountEach = countAll(db, reader),
): Promise<News> {
  const { user, zone } = reader
  const today = dayOf(now, zone)
  const visit = user === null ? null : await readLastVisit(db, user.id)
  const window = visit === null ? firstVisitWindow : windowSince(dayOf(visit, zone), today)
  const days = daysOfWindow(window, today)
  const filters = newsKinds.map((name): DealFilter => ({ ...filter, news: { [name]: days } }))
  const [counts, lines] = await Promise.all([
    countEach(filters),
    readNewsLines(db, reader, filter, days, newsCount),
  ])
  return {
    lastVisit: visit?.toISOString() ?? null,
    counts: newsKinds.map((name, index) => {
      const { count, isMore } = counts[index]!
      return { name, count, isMore, filter: filters[index]! }
    }),
    lines,
  }
}

const countAll =
  (db: Database, reader: NewsReader): CountEach =>
  (filters) =>
    Promise.all(filters.map(async (filter) => countDeals(db, await resolveQuery(reader, filter))))

/** Returns the matching deals that moved or became visible on some days, newest first. */
export async function readNewsLines(
  db: Database,
  reader: NewsReader,
  filter: DealFilter,
  days: DayRange,
  limit: number,
): Promise<NewsLine[]> {
  const sort = { field: 'lastModified', direction: 'desc' } as const
  const found = await Promise.all(
    (['moved', 'new'] as const).map(async (name) =>
      findDeals(db, await resolveQuery(reader, { ...filter, news: { [name]: days } }), sort, null, limit),
    ),
  )
  const ids = found.flatMap(({ deals }) => deals.map(({ json }) => String(parseDeal(json).id)))
  const dealNews = await readDealNews(db, reader.tenant, days, reader.zone, [...new Set(ids)])
  return [...dealNews.values()]
    .map(({ json, isNew, time, changes }) => ({ deal: lineOf(json), isNew, time, ...netChange(changes) }))
    .toSorted((a, b) => b.time.localeCompare(a.time))
    .slice(0, limit)
}

/** Returns the fields that are shown in a line from the JSON of a deal. */
export function lineOf(json: string): DealLine {
  const { id, dealname, firstName, lastName, city, state, stage, amount } = parseDeal(json)
  return { id, dealname, firstName, lastName, city, state, stage, amount }
}
