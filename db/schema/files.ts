import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import type { StorageName } from '../../server/files/file.ts'
import type { FileKind } from '../../server/files/kind.ts'
import { instant, partners, users } from './accounts.ts'
import { dealRef } from './deals.ts'

/** A file of a deal. The content is in the file storage under the same id. */
export const files = pgTable(
  'files',
  {
    id: text().primaryKey(),
    dealId: dealRef(),
    /**
     * Partner in whose thread the file is attached. Only this partner can see the file. Null for a file of
     * the deal.
     */
    threadPartnerId: integer('thread_partner_id').references(() => partners.id),
    name: text().notNull(),
    type: text().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    kind: text().$type<FileKind>().notNull().default('other'),
    storage: text().$type<StorageName>().notNull().default('disk'),
    /** When the content was put into that storage. */
    storedAt: instant('stored_at').notNull().defaultNow(),
    /** SHA-256 in hexadecimal digits, or null for files from before checksums were stored. */
    checksum: text(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (file) => [index().on(file.dealId), index().on(file.threadPartnerId)],
)

/**
 * A file that is being uploaded in slices. Each slice is stored as separate content until all have arrived.
 */
export const fileUploads = pgTable(
  'file_uploads',
  {
    /** Becomes the id of the file. */
    id: text().primaryKey(),
    /**
     * There is no foreign key, because the slices must remain findable through this row even if the deal is
     * deleted.
     */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /** Partner in whose thread the file will be attached, or null for a file of the deal. */
    threadPartnerId: integer('thread_partner_id').references(() => partners.id),
    name: text().notNull(),
    kind: text().$type<FileKind>().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
    offsets: bigint({ mode: 'number' }).array().notNull().default([]),
    /** Unique name of each slice, or empty for slices from before names existed. */
    names: text().array().notNull().default([]),
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (upload) => [index().on(upload.dealId), index().on(upload.userId), index().on(upload.threadPartnerId)],
)
