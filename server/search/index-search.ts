import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import { listOfAll } from '../deals/list-store.ts'
import { narrowMax } from '../deals/policy.ts'
import { emailConditions, hasWords, peopleConditions, wordsOfSearch } from './condition-store.ts'
import type { DealFilter } from './wire.ts'

/**
 * Maximum number of expected matches across all partners for a GIN index, which collects all matches before
 * it returns the first.
 */
const indexSearchMax = 75_000

/**
 * Estimates are rough, so a word counts as rare only below the first limit, and as common only above the
 * second.
 */
const [rareMax, perhapsRareMax] = [narrowMax / 2, narrowMax * 1.5]

/**
 * Number of oldest deals, and of newest deals, in the sample for estimating how common a word or person is.
 */
const sampleLength = 1000

/**
 * Returns the conditions on words and people that an index can serve at a bounded cost. Omits conditions that
 * match many deals.
 */
export async function indexedConditions(
  sql: ISql,
  tenant: TenantScope,
  filter: DealFilter,
): Promise<Fragment[]> {
  const words = wordsOfSearch(filter)
  const others = [...emailConditions(sql, filter.search ?? ''), ...peopleConditions(sql, filter)]
  const together = words.length === 0 ? [] : [hasWords(sql, words)]
  const each = words.map((word) => hasWords(sql, [word]))
  const counts = await estimateCounts(sql, tenant, [...others, ...together, ...each])
  return [
    ...others.filter((_, index) => counts[index]! <= indexSearchMax),
    ...wordsToLookUp(words, counts.slice(others.length)).map((requested) => hasWords(sql, requested)),
  ]
}

/**
 * Returns the words of a search to look up in an index, or no words if all are too common. `counts` starts
 * with the number of deals that contain all words, followed by the number for each word. If one word is
 * common, looking up all words is much slower than looking up only the rarest.
 */
export function wordsToLookUp(words: string[], [countOfAll = 0, ...counts]: number[]): string[][] {
  if (words.length === 0) return []
  const countOfRarest = Math.min(...counts)
  if (countOfRarest > rareMax && countOfAll <= perhapsRareMax) return [words]
  return countOfRarest <= indexSearchMax ? [[words[counts.indexOf(countOfRarest)]!]] : []
}

/** Estimates how many deals across all partners match each condition, from a sample of the tenant's deals. */
async function estimateCounts(sql: ISql, tenant: TenantScope, conditions: Fragment[]): Promise<number[]> {
  if (conditions.length === 0) return []
  const counts = conditions.map((condition) => sql`count(*) filter (where ${condition})`)
  const some = (direction: Fragment) => sql`
    (select * from deals where ${isWithin(sql, tenant)} order by id ${direction} limit ${sampleLength})`
  const [{ sampled, matching, all }] = await sql<[{ sampled: number; matching: number[]; all: number }]>`
    select count(*)::integer as sampled,
      array[${listed(sql, counts)}]::integer[] as matching,
      coalesce((select deal_count from deal_lists where id = ${listOfAll}), 0)::float8 as all
    from (${some(sql`asc`)} union all ${some(sql`desc`)}) deals`
  return matching.map((count) => (count / Math.max(1, sampled)) * all)
}
