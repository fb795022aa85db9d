import { type SQL, and, eq, isNull, or, sql as builder } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { within } from '../accounts/tenant-store.ts'

// Which files are seen, in one place: those of a deal by all who see the deal, and those of a thread by the thread's
// partner alone, while the deal is that partner's.

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
