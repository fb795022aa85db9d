import { type SQL, and, eq, isNull, or, sql as builder } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { within } from '../accounts/tenant-store.ts'

// The only conditions of visibility for files: everybody who sees a deal sees its files, and only the partner of a
// thread sees the thread's files, while the deal belongs to that partner.

/** The files of deals, without those of threads, as a table named `files`. */
export const filesOfDeals = (sql: ISql): Fragment =>
  sql`(select * from files where thread_partner_id is null) as files`

/** The files of threads as a table named `files`. */
export const filesOfThreads = (sql: ISql): Fragment =>
  sql`(select * from files where thread_partner_id is not null) as files`

/** The condition of `filesOfDeals` for the query builder. */
export const isOfDeal = isNull(files.threadPartnerId)

/** The condition that the partner of the deal sees a file, of the deal or of a thread. Needs `files` and `deals`. */
export const isSeenByPartner = or(isOfDeal, eq(files.threadPartnerId, deals.partnerId))!

/** Returns the condition that the tenant sees a file. Needs `files` and `deals`. */
export const isSeen = (tenant: TenantScope): SQL =>
  isEveryone(tenant) ? builder`true` : and(within(tenant, deals.partnerId), isSeenByPartner)!
