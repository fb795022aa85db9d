import type { Logger } from 'pino'
import { type Database, deleteInBatches } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { dayMs } from '../values/units.ts'
import type { TokenDay } from './wire.ts'

/** Counts the requests made with each token. */
export interface Usage {
  /** Counts a request with a token and the `status` of the response. */
  count(tokenId: number, status: number): void
  /** Stores the remaining counts and stops. */
  stop(): Promise<void>
}

/** Factor for combining a day and a token id into a key. All token ids are smaller. */
const daySize = 2 ** 32

/** Returns a counter that stores its counts in batches. @system the process */
export function makeUsage(db: Database, log: Logger): Usage {
  const uses = new BufferedCounter(
    { requests: 0, errors: 0 },
    (counts) =>
      addUses(
        db,
        [...counts].map(([key, use]) => ({
          tokenId: key % daySize,
          dayNumber: Math.floor(key / daySize),
          ...use,
        })),
      ),
    (error) => log.warn({ error: causeOf(error) }, 'failed to persist token usage'),
  )
  return {
    count: (tokenId, status) =>
      uses.add(Math.floor(Date.now() / dayMs) * daySize + tokenId, {
        requests: 1,
        errors: status >= 400 ? 1 : 0,
      }),
    stop: () => uses.stop(),
  }
}

/** Use of a token on a day. `dayNumber` is the number of days since 1970-01-01 in UTC. */
interface DayUse {
  tokenId: number
  dayNumber: number
  requests: number
  errors: number
}

/** Adds to the stored counts, in an order that avoids deadlocks. @system the counter of requests */
async function addUses(db: Database, uses: DayUse[]): Promise<void> {
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
