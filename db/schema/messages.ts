import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, users, userRef, partnerRef } from './accounts.ts'
import { dealRef } from './deals.ts'
import { files } from './files.ts'

/** A question about a deal and the answers, between a partner's users and the installer's. */
export const threads = pgTable(
  'threads',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    dealId: dealRef(),
    /** The partner that asked. If the deal moves to another partner, its threads stay with this one. */
    partnerId: partnerRef(),
    /** The user who asked, or null once that user is removed. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When the partner began to wait for an answer, or null if not waiting. */
    waitingSince: instant('waiting_since'),
    /** When the installer first answered. Also null for the installer's own questions. */
    answeredAt: instant('answered_at'),
    resolvedAt: instant('resolved_at'),
    /** When operators were reminded of the open question. */
    remindedAt: instant('reminded_at'),
    /**
     * When messages of the thread were last e-mailed. For a few minutes after that, a job collects further
     * messages.
     */
    mailedAt: instant('mailed_at'),
  },
  (thread) => [
    index().on(thread.dealId),
    index().on(thread.partnerId),
    index().on(thread.userId),
    index().on(thread.waitingSince, thread.id),
    // For the time to the first answer.
    index().on(thread.answeredAt),
    check(
      'threads_resolved_wait_no_more',
      sql`${thread.resolvedAt} is null or ${thread.waitingSince} is null`,
    ),
  ],
)

/** A question or an answer. */
export const messages = pgTable(
  'messages',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    threadId: integer('thread_id')
      .notNull()
      .references(() => threads.id, { onDelete: 'cascade' }),
    /** Null once the author is removed. The author's name is kept. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    authorName: text('author_name').notNull(),
    isInstaller: boolean('is_installer').notNull(),
    text: text().notNull(),
    /** The users mentioned in the text. */
    mentions: integer().array().notNull().default([]),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When the message began to wait to be e-mailed. Null if it was or never will be e-mailed. */
    mailDueAt: instant('mail_due_at'),
  },
  (message) => [
    index().on(message.threadId, message.id),
    index().on(message.userId),
    // For messages that wait to be e-mailed.
    index()
      .on(message.threadId)
      .where(sql`${message.mailDueAt} is not null`),
  ],
)

/** Files attached to messages. */
export const messageFiles = pgTable(
  'message_files',
  {
    fileId: text('file_id')
      .primaryKey()
      .references(() => files.id, { onDelete: 'cascade' }),
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
  },
  (file) => [index().on(file.messageId)],
)

/** The last message in a thread that a user has read. */
export const threadReads = pgTable(
  'thread_reads',
  {
    userId: userRef(),
    threadId: integer('thread_id')
      .notNull()
      .references(() => threads.id, { onDelete: 'cascade' }),
    messageId: bigint('message_id', { mode: 'number' }).notNull(),
  },
  (read) => [primaryKey({ columns: [read.userId, read.threadId] }), index().on(read.threadId)],
)

/** A reusable text for operators' answers. */
export const savedReplies = pgTable('saved_replies', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  title: text().notNull().unique(),
  text: text().notNull(),
})

/** Operators' settings for questions, in one row. Without the row, the defaults apply. */
export const messageSettings = pgTable(
  'message_settings',
  {
    id: integer().primaryKey().default(1),
    /** Hours without an answer after which operators are e-mailed, or null for never. */
    remindAfterHours: integer('remind_after_hours'),
  },
  (settings) => [check('message_settings_one_row', sql`${settings.id} = 1`)],
)
