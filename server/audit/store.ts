import { sql } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import { type Database, type Transaction, withoutScans } from '#db/client.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { type Action, actionsLike } from './action.ts'

export type NewEntry = Omit<typeof auditEntries.$inferInsert, 'id' | 'action'> & { action: Action }

// Truncates user agents and names, which can have any length.
const textMax = 500

/** Writes an audit entry. @system audited.ts, which knows the affected partner */
export async function insertEntry(db: Database | Transaction, entry: NewEntry): Promise<void> {
  // The user may have deleted their own account.
  const userId = entry.userId == null ? null : sql`(select id from users where id = ${entry.userId})`
  await db
    .insert(auditEntries)
    .values({ ...entry, userId, subject: entry.subject.slice(0, textMax), who: entry.who.slice(0, textMax) })
}

/** Filters for audit entries. */
export interface EntryFilter {
  /** Text contained in the actor, the action's label, or the subject. */
  text?: string | undefined
  /** The earliest time, inclusive. */
  since?: Date | undefined
  /** The latest time, exclusive. */
  until?: Date | undefined
}

export interface StoredEntry {
  id: number
  at: Date
  /** One of `actions`, or an action of an older version. */
  action: string
  subject: string
  who: string
  address: string | null
  /** Name of the affected partner; null for the installer. */
  partner: string | null
}

/** Audit entries, newest first, and the cursor for the next page, or null on the last page. */
export interface EntryPage {
  entries: StoredEntry[]
  next: number | null
}

/** Maximum number of entries scanned per page. */
const walkLength = 20_000

/**
 * Returns up to `limit` matching audit entries of the tenant, newest first, starting after the entry
 * `behind`. Limits how many entries are scanned, so a page can be short even if more pages follow.
 */
export async function readEntries(
  db: Database,
  tenant: TenantScope,
  filter: EntryFilter,
  { behind, limit }: { behind: number | null; limit: number },
): Promise<EntryPage> {
  const rows = await withoutScans(db, (sql) => {
    // With `=`, PostgreSQL would scan the index of all partners' entries to get the order.
    const owned = isEveryone(tenant) ? sql`true` : sql`partner_id between ${tenant} and ${tenant}`
    const order = sql`${isEveryone(tenant) ? sql`` : sql`partner_id desc,`} id desc`
    const matches = matchesOf(sql, filter)
    return sql<(Omit<StoredEntry, 'at'> & { at: string; isMatch: boolean; isEnd: boolean })[]>`
      select entry.id::float8 as id, at, action, subject, who, address, partners.name as partner,
        ${matches} as "isMatch", step = ${walkLength} as "isEnd"
      from (
        select *, row_number() over (order by ${order}) as step
        from (
          select * from audit_entries
          where ${owned} and ${behind === null ? sql`true` : sql`id < ${behind}::bigint`}
          order by ${order} limit ${walkLength}) walked) entry
        left join partners on partners.id = entry.partner_id
      where ${matches} or step = ${walkLength}
      order by ${isEveryone(tenant) ? sql`` : sql`entry.partner_id desc,`} entry.id desc limit ${limit + 1}`
  })
  const found = rows.filter(({ isMatch }) => isMatch)
  const entries = found
    .slice(0, limit)
    .map(({ at, isMatch: _match, isEnd: _end, ...entry }) => ({ ...entry, at: new Date(at) }))
  const last = rows.at(-1)
  if (found.length > limit) return { entries, next: entries.at(-1)!.id }
  return { entries, next: last?.isEnd === true ? last.id : null }
}

function matchesOf(sql: ISql, { text, since, until }: EntryFilter): Fragment {
  const contains = (part: string) => {
    const lowered = sql`lower(${part}::text)`
    return sql`(position(${lowered} in lower(who)) > 0 or position(${lowered} in lower(subject)) > 0
      or action = any(${actionsLike(part)}::text[]))`
  }
  return sql`(true
    ${text === undefined ? sql`` : sql`and ${contains(text)}`}
    ${since === undefined ? sql`` : sql`and at >= ${since.toISOString()}::timestamptz`}
    ${until === undefined ? sql`` : sql`and at < ${until.toISOString()}::timestamptz`})`
}

const batchSize = 500

/** Yields all matching entries in batches, newest first. */
export async function* readAll(
  db: Database,
  tenant: TenantScope,
  filter: EntryFilter,
): AsyncGenerator<StoredEntry[]> {
  for (let behind: number | null = null; ;) {
    const { entries, next } = await readEntries(db, tenant, filter, { behind, limit: batchSize })
    if (entries.length > 0) yield entries
    if (next === null) return
    behind = next
  }
}
