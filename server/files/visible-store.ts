import { type SQL, and, eq, isNull, or, sql as builder } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'

// Defines who can see files: a deal's files are visible to everybody who sees the deal; a message thread's
// files are visible only to the thread's partner, and only while the deal belongs to that partner.

/** Returns the files of deals, without those of message threads, as a table named `files`. */
export const filesOfDeals = (sql: ISql): Fragment =>
  sql`(select * from files where thread_partner_id is null) as files`

/** Returns the files of message threads as a table named `files`. */
export const filesOfThreads = (sql: ISql): Fragment =>
  sql`(select * from files where thread_partner_id is not null) as files`

/** The same condition as in `filesOfDeals`, for the query builder. */
export const isOfDeal = isNull(files.threadPartnerId)

/** True in SQL if the deal's partner can see the file. Requires the tables `files` and `deals`. */
export const isSeenByPartner = or(isOfDeal, eq(files.threadPartnerId, deals.partnerId))!

/** Returns the condition that the tenant can see a file. Requires the tables `files` and `deals`. */
export const isSeen = (tenant: TenantScope): SQL =>
  isEveryone(tenant) ? builder`true` : and(within(tenant, deals.partnerId), isSeenByPartner)!
