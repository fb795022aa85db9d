import type { ISql } from 'postgres'
import { type ReadDatabase, withoutScans } from '#db/client.ts'
import {
  type SimilarWords,
  hasOtherSpellings,
  meansAnyOf,
  queryOfTypo,
  typosOf,
  termsOf,
} from '../deals/search-text.ts'
import type { Query } from './condition-store.ts'
import { type FoundDeal, findDeals } from './store.ts'
import type { DealSort } from './wire.ts'

/** Maximum number of words checked for typos. A word takes a few hundred index lookups. */
const wordsMax = 3

/**
 * Returns deals that a search would find if one typo in any of its words were corrected. Reads a bounded
 * number of deals, so more deals may match.
 */
export async function findSimilar(
  db: ReadDatabase,
  query: Query,
  sort: DealSort,
  limit: number,
): Promise<{ deals: FoundDeal[]; similarWords: SimilarWords }> {
  const typos = termsOf(query.filter.search ?? '').flatMap(({ start, email }) =>
    email !== null ? [] : typosOf(start).map((typo) => ({ start, typo })),
  )
  const words = [...new Set(typos.map(({ start }) => start))].slice(0, wordsMax)
  const similarWords = await withoutScans(db, (sql) =>
    knownTypos(
      sql,
      typos.filter(({ start }) => words.includes(start)),
    ),
  )
  if (similarWords.size === 0) return { deals: [], similarWords }
  const filter = { ...query.filter, similarWords }
  const { deals } = await findDeals(db, { ...query, filter }, sort, null, limit)
  return { deals, similarWords }
}

interface Typo {
  start: string
  typo: string
}

/**
 * Returns the spellings that occur as words in any partner's deals, although users see only their own deals.
 * An index shows within 2 µs that a word does not exist, so there is no table of words. For a common word,
 * however, the index would collect all its deals, so common words come from the statistics.
 */
async function knownTypos(sql: ISql, typos: Typo[]): Promise<SimilarWords> {
  if (typos.length === 0) return new Map()
  const meansCommon = meansAnyOf(await readCommonWords(sql))
  const isCommon = ({ typo }: Typo) => hasOtherSpellings(typo) || meansCommon(typo)
  const { known = [], others = [] } = Object.groupBy(typos, (each) => (isCommon(each) ? 'known' : 'others'))
  const rows = await sql<{ number: number }[]>`
    select number::integer from unnest(${others.map(({ typo }) => queryOfTypo(typo))}::text[])
      with ordinality as each (query, number)
    where exists (select from deals where words @@ each.query::tsquery)`
  const found = rows.map(({ number }) => others[number - 1]!)
  const byStart = Map.groupBy([...known, ...found], ({ start }) => start)
  return new Map([...byStart].map(([start, all]) => [start, all.map(({ typo }) => typo)]))
}

/** Returns the most common words of all deals, or no words if there are no statistics. */
async function readCommonWords(sql: ISql): Promise<string[]> {
  const [row] = await sql<{ words: string[] }[]>`
    select most_common_elems::text::text[] as words from pg_stats
    where schemaname = current_schema and tablename = 'deals' and attname = 'words' and most_common_elems is not null`
  return row?.words ?? []
}
