import type { ISql } from 'postgres'
import { type ReadDatabase, withoutScans } from '#db/client.ts'
import type { Query } from './condition-store.ts'
import { type SimilarWords, hasOtherSpellings, meansAnyOf, queryOfSlip, slipsOf, termsOf } from './search.ts'
import { type FoundDeal, findDeals } from './store.ts'
import type { DealSort } from './wire.ts'

/** Maximum words checked for typos; each takes some hundred index lookups. */
const wordsMax = 3

/**
 * Returns deals that a search does not find, but would find with one slip less in any of its words. Reads a
 * bounded number of deals, so more may match.
 */
export async function findSimilar(
  db: ReadDatabase,
  query: Query,
  sort: DealSort,
  limit: number,
): Promise<{ deals: FoundDeal[]; similarWords: SimilarWords }> {
  const slips = termsOf(query.filter.search ?? '').flatMap(({ start, isEmail }) =>
    isEmail ? [] : slipsOf(start).map((slip) => ({ start, slip })),
  )
  const words = [...new Set(slips.map(({ start }) => start))].slice(0, wordsMax)
  const similarWords = await withoutScans(db, (sql) =>
    knownSlips(
      sql,
      slips.filter(({ start }) => words.includes(start)),
    ),
  )
  if (similarWords.size === 0) return { deals: [], similarWords }
  const filter = { ...query.filter, similarWords }
  const { deals } = await findDeals(db, { ...query, filter }, sort, null, limit)
  return { deals, similarWords }
}

interface Slip {
  start: string
  slip: string
}

/**
 * Returns the slips that are words of any partner's deals; users see of them only what their own deals have. An index takes
 * 2 µs to say that there is no such word, which is why no table of words is kept; but it collects all deals of a common one,
 * so that these are known from the statistics.
 */
async function knownSlips(sql: ISql, slips: Slip[]): Promise<SimilarWords> {
  if (slips.length === 0) return new Map()
  const meansCommon = meansAnyOf(await readCommonWords(sql))
  const isCommon = ({ slip }: Slip) => hasOtherSpellings(slip) || meansCommon(slip)
  const { known = [], others = [] } = Object.groupBy(slips, (each) => (isCommon(each) ? 'known' : 'others'))
  const rows = await sql<{ number: number }[]>`
    select number::integer from unnest(${others.map(({ slip }) => queryOfSlip(slip))}::text[])
      with ordinality as each (query, number)
    where exists (select from deals where words @@ each.query::tsquery)`
  const found = rows.map(({ number }) => others[number - 1]!)
  const byStart = Map.groupBy([...known, ...found], ({ start }) => start)
  return new Map([...byStart].map(([start, all]) => [start, all.map(({ slip }) => slip)]))
}

/** Returns the most common words of all deals, as far as statistics have been made. */
async function readCommonWords(sql: ISql): Promise<string[]> {
  const [row] = await sql<{ words: string[] }[]>`
    select most_common_elems::text::text[] as words from pg_stats
    where schemaname = current_schema and tablename = 'deals' and attname = 'words' and most_common_elems is not null`
  return row?.words ?? []
}
