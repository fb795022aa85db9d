import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '#db/client.ts'
import { tokens } from '#db/schema/tokens.ts'

/** Fictional use of a demo token. */
export interface DemoUse {
  /** Days since the token was created. */
  createdDaysAgo: number
  /** Days since the token was revoked, or null if it is active. */
  revokedDaysAgo: number | null
  requestsPerDay: number
  address: string
  agent: string
}

/** Generates use of a token over the last 30 days. @proof the token, which was just created */
export async function insertDemoUse(tx: Transaction, tokenId: number, use: DemoUse): Promise<void> {
  const until = use.revokedDaysAgo ?? 0
  await tx.execute(sql`
    insert into token_days (token_id, day, requests, errors)
    select ${tokenId}, day::date, (passed * (${use.requestsPerDay}::integer * case when extract(isodow from day) > 5 then 1 else 3 end / 3
        + (extract(doy from day)::integer * 37) % 41))::integer / 24,
      passed * ((extract(doy from day)::integer * 7) % 4) / 24
    from generate_series((now() at time zone 'UTC')::date - 29, (now() at time zone 'UTC')::date - ${until}::integer, interval '1 day') day
    cross join lateral (
      select case when day < now()::date then 24 else extract(hour from now())::integer end as passed) today`)
  const ago = (days: number) => sql`now() - ${days}::integer * interval '1 day'`
  await tx
    .update(tokens)
    .set({
      createdAt: ago(use.createdDaysAgo),
      lastUsedAt: sql`${ago(until)} - interval '6 minutes'`,
      lastUsedFrom: use.address,
      lastUsedBy: use.agent,
      revokedAt: use.revokedDaysAgo === null ? null : ago(use.revokedDaysAgo),
    })
    .where(eq(tokens.id, tokenId))
}
