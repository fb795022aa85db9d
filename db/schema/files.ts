import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { StorageName } from '../../server/files/file.ts'
import type { FileKind } from '../../server/files/kind.ts'
import { partners, users } from './accounts.ts'
import { deals } from './deals.ts'

/** A file of a deal; its content is in the file storage under the same id. */
export const files = pgTable(
  'files',
  {
    id: text().primaryKey(),
    dealId: bigint('deal_id', { mode: 'bigint' })
      .notNull()
      .references(() => deals.id, { onDelete: 'cascade' }),
    /** The partner in whose thread it is attached, which alone sees it; null for a file of the deal. */
    threadPartnerId: integer('thread_partner_id').references(() => partners.id),
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
  (file) => [index().on(file.dealId), index().on(file.threadPartnerId)],
)

/** A file that is uploaded in slices; each is a content of its own until all have arrived. */
export const fileUploads = pgTable(
  'file_uploads',
  {
    /** Becomes the id of the file. */
    id: text().primaryKey(),
    /** No reference: the slices of an upload are found by its row, also when the deal is gone. */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /** The partner in whose thread it will be attached; null for a file of the deal. */
    threadPartnerId: integer('thread_partner_id').references(() => partners.id),
    name: text().notNull(),
    kind: text().$type<FileKind>().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
    /** The offset of each slice. */
    offsets: bigint({ mode: 'number' }).array().notNull().default([]),
    /** The name of each slice, which no other slice has; none for those from before they had names. */
    names: text().array().notNull().default([]),
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (upload) => [index().on(upload.dealId), index().on(upload.userId), index().on(upload.threadPartnerId)],
)
