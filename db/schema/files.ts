import { bigint, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { FileKind, StorageName } from '../../server/files/file.ts'
import { deals } from './deals.ts'

/** A file of a deal; its content is in the file storage under the same id. */
export const files = pgTable(
  'files',
  {
    id: text().primaryKey(),
    dealId: bigint('deal_id', { mode: 'bigint' })
      .notNull()
      .references(() => deals.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    type: text().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    kind: text().$type<FileKind>().notNull().default('other'),
    storage: text().$type<StorageName>().notNull().default('disk'),
    /** Since when the content is in that storage. */
    storedAt: timestamp('stored_at', { withTimezone: true }).notNull().defaultNow(),
    /** SHA-256 in hexadecimal digits; null for files from before it was kept. */
    checksum: text(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (file) => [index().on(file.dealId)],
)
