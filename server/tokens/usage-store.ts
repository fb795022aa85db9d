import { type Database, deleteInBatches } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import type { TokenDay } from './wire.ts'

/** Use of a token on a day. `dayNumber` is the number of days since 1970-01-01 in UTC. */
export interface DayUse {
  tokenId: number
  dayNumber: number
  requests: number
  errors: number
}

/** Adds to the stored counts, in an order that avoids deadlocks. @system the counter of requests */
export async function addUses(db: Database, uses: DayUse[]): Promise<void> {
  const column = (name: keyof DayUse) => uses.map((use) => use[name])
  await db.$client`
    insert into token_days as known (token_id, day, requests, errors)
    select token.id, date '1970-01-01' + use.day_number, use.requests, use.errors
    from unnest(
      ${column('tokenId')}::int[], ${column('dayNumber')}::int[],
      ${column('requests')}::int[], ${column('errors')}::int[]) use(token_id, day_number, requests, errors)
      join tokens token on token.id = use.token_id
    order by 1, 2
    on conflict (token_id, day) do update
    set requests = known.requests + excluded.requests, errors = known.errors + excluded.errors`
}

/** Returns the usage of a token of the tenant on each of the last `days`, up to today. */
export async function readDays(
  db: Database,
  tenant: TenantScope,
  tokenId: number,
  days: number,
): Promise<TokenDay[]> {
  return db.$client<TokenDay[]>`
    select to_char(each.day, 'YYYY-MM-DD') as day, coalesce(known.requests, 0) as requests,
      coalesce(known.errors, 0) as errors
    from generate_series(current_date - ${days - 1}::int, current_date, interval '1 day') each(day)
      left join token_days known on known.day = each.day
        and known.token_id in (select id from tokens where id = ${tokenId} and ${isWithin(db.$client, tenant)})
    order by each.day`
}

/** Deletes counts older than `days`, in batches. Returns the number of deleted counts. @system retention */
export const removeOldTokenDays = (db: Database, days: number): Promise<number> =>
  deleteInBatches(db, 'token_days', db.$client`day < current_date - ${days}::int`)
