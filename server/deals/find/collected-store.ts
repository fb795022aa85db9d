import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import { listOfAll } from '../list-store.ts'
import { narrowMax } from '../policy.ts'
import { emailConditions, hasWords, isWithin, peopleConditions, wordsOfSearch } from './condition-store.ts'
import type { DealFilter } from './wire.ts'

/**
 * The most deals, of all partners, that an index of words or of people is asked for: it collects all that have a word before
 * it returns the first one.
 */
const collectedMax = 75_000

/** A sample may mislead: a word below the first estimate has fewer than `narrowMax` deals, one above the second has more. */
const [rareMax, perhapsRareMax] = [narrowMax / 2, narrowMax * 1.5]

/** How many of the oldest and of the newest deals are the sample that tells how common a word or a person is. */
const sampleLength = 1000

/**
 * Returns the conditions on words and people by which an index finds all matching deals at a bounded cost; those that too
 * many deals meet are left out.
 */
export async function collectedConditions(
  sql: ISql,
  tenant: TenantScope,
  { search = '', ...filter }: DealFilter,
): Promise<Fragment[]> {
  const words = wordsOfSearch(search)
  const others = [...emailConditions(sql, search), ...peopleConditions(sql, filter)]
  const together = words.length === 0 ? [] : [hasWords(sql, words)]
  const each = words.map((word) => hasWords(sql, [word]))
  const counts = await estimateCounts(sql, tenant, [...others, ...together, ...each])
  return [
    ...others.filter((_, index) => counts[index]! <= collectedMax),
    ...wordsToAsk(words, counts.slice(others.length)).map((asked) => hasWords(sql, asked)),
  ]
}

/**
 * Returns the words of a search that an index is asked for: none when each is too common. `counts` is how many deals have all
 * of them, then each. All of them take much longer than the rarest one when another is common.
 */
export function wordsToAsk(words: string[], [countOfAll = 0, ...counts]: number[]): string[][] {
  if (words.length === 0) return []
  const countOfRarest = Math.min(...counts)
  if (countOfRarest > rareMax && countOfAll <= perhapsRareMax) return [words]
  return countOfRarest <= collectedMax ? [[words[counts.indexOf(countOfRarest)]!]] : []
}

/** Returns about how many deals of all partners meet each condition, judged by a sample of those of the tenant. */
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
