import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'

/**
 * Returns the condition for threads that a tenant sees: its own threads about its own deals. The query must
 * include `threads` and `deals`.
 */
export const areVisible = (sql: Database['$client'] | TransactionSql, tenant: TenantScope) =>
  sql`(${isWithin(sql, tenant, sql`threads.partner_id`)} and ${isWithin(sql, tenant, sql`deals.partner_id`)})`

/** Returns the partner of a deal, or null if it has none. */
export async function readPartnerOfDeal(
  { $client: sql }: Database,
  tenant: TenantScope,
  dealId: bigint,
): Promise<{ partnerId: PartnerId | null } | undefined> {
  const [deal] = await sql<{ partnerId: PartnerId | null }[]>`
    select partner_id as "partnerId" from deals
    where id = ${String(dealId)} and ${isWithin(sql, tenant)}`
  return deal
}

export type ListedMessage = {
  id: bigint
  question: number
  author: string
  isInstaller: boolean
  text: string
  created: string
  isResolved: boolean
  files: string[]
}

/** Returns a page of the messages about a deal of the tenant, oldest first, and the total number. */
export async function readMessagePage(
  { $client: sql }: Database,
  tenant: TenantScope,
  dealId: bigint,
  { page, size }: { page: number; size: number },
): Promise<{ count: number; messages: ListedMessage[] }> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count
    from messages join threads on threads.id = messages.thread_id join deals on deals.id = threads.deal_id
    where threads.deal_id = ${String(dealId)} and ${areVisible(sql, tenant)}`
  const rows = await sql<(Omit<ListedMessage, 'id'> & { id: string })[]>`
    select messages.id, threads.id as question, author_name as author, is_installer as "isInstaller", text,
           messages.created_at as created, resolved_at is not null as "isResolved",
           array(select file_id from message_files where message_id = messages.id order by file_id) as files
    from messages join threads on threads.id = messages.thread_id join deals on deals.id = threads.deal_id
    where threads.deal_id = ${String(dealId)} and ${areVisible(sql, tenant)}
    order by messages.id
    limit ${size} offset ${(page - 1) * size}`
  return {
    count,
    messages: rows.map((row) => ({
      ...row,
      id: BigInt(row.id),
      created: new Date(row.created).toISOString(),
    })),
  }
}
