import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { Channel, NotificationKind, NotificationOf } from '#server/notifications/notification.ts'
import type { TeamKind, TeamService } from '#server/notifications/team/wire.ts'
import type { Schedule } from '#server/notifications/when.ts'
import type { RelativeDays } from '#server/search/relative-days.ts'
import type { DealFilter } from '#server/search/wire.ts'
import { partners, users } from './accounts.ts'
import { deals, people } from './deals.ts'
import { views } from './views.ts'

/** Follows: a deal, or the deals of a saved view. */
export const follows = pgTable(
  'follows',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    dealId: bigint('deal_id', { mode: 'bigint' }).references(() => deals.id, { onDelete: 'cascade' }),
    viewId: integer('view_id').references(() => views.id, { onDelete: 'cascade' }),
    /** The filter of the view when the user last opened it. */
    filter: jsonb().$type<DealFilter>(),
    /** The view's relative days; the filter has the days as they were when the view was opened. */
    relativeDays: jsonb('relative_days').$type<RelativeDays>().notNull().default({}),
    /** False: nothing about this deal, although it is in a followed view or names the user. */
    isOn: boolean('is_on').notNull().default(true),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (follow) => [
    uniqueIndex('follows_deal_once').on(follow.dealId, follow.userId),
    uniqueIndex('follows_view_once').on(follow.viewId, follow.userId),
    index().on(follow.userId),
    check('follows_deal_or_view', sql`(${follow.dealId} is null) <> (${follow.viewId} is null)`),
    check('follows_filter_of_view', sql`(${follow.viewId} is null) = (${follow.filter} is null)`),
  ],
)

/** The people in deals that a user has confirmed to be: deals that name them are followed. */
export const userPeople = pgTable(
  'user_people',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (row) => [primaryKey({ columns: [row.userId, row.personId] }), index().on(row.personId)],
)

/** Notification settings per user: kinds, channels and times. No row: the defaults. */
export const notificationSettings = pgTable('notification_settings', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  stage: boolean().notNull().default(true),
  dates: boolean().notNull().default(true),
  late: boolean().notNull().default(true),
  items: boolean().notNull().default(true),
  files: boolean().notNull().default(true),
  /** Answers and mentions. */
  messages: boolean().notNull().default(true),
  schedule: text().$type<Schedule>().notNull().default('at-once'),
  /** The hour of the daily message, in the user's zone. */
  hour: integer().notNull().default(7),
  /** Whether messages are also sent at night. */
  atNight: boolean('at_night').notNull().default(false),
  byMail: boolean('by_mail').notNull().default(true),
  /** When and why a mail server rejected the user's e-mail address; nothing is sent to it after that. */
  mailRejectedAt: timestamp('mail_rejected_at', { withTimezone: true }),
  mailProblem: text('mail_problem'),
})

/** Notifications of a user about a deal. */
export const notifications = pgTable(
  'notifications',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The partner that had the deal: the notification is hidden once the deal has moved. */
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    dealId: bigint('deal_id', { mode: 'bigint' })
      .notNull()
      .references(() => deals.id, { onDelete: 'cascade' }),
    /**
     * Identifies the news, once per user and deal: `event:3:123:stage`, `late:2026-11-25`, `file:<id>`,
     * `message:45`.
     */
    key: text().notNull(),
    kind: text().$type<NotificationKind>().notNull(),
    /** What changed, by kind. */
    changes: jsonb().$type<NotificationOf[NotificationKind]>().notNull(),
    /** The followed view that alone caused it. */
    viewId: integer('view_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    readAt: timestamp('read_at', { withTimezone: true }),
  },
  (notification) => [
    // By the deal first, for the deletion of deals.
    uniqueIndex('notifications_once').on(notification.dealId, notification.userId, notification.key),
    index().on(notification.userId, notification.id),
    index('notifications_unread')
      .on(notification.userId, notification.id)
      .where(sql`${notification.readAt} is null`),
    index().on(notification.createdAt),
    // Notifications that may no longer be late.
    index('notifications_late')
      .on(notification.userId, notification.dealId)
      .where(sql`${notification.kind} = 'late'`),
  ],
)

/** How far a partner's events have been turned into notifications. */
export const notificationCursors = pgTable('notification_cursors', {
  partnerId: integer('partner_id')
    .primaryKey()
    .references(() => partners.id),
  /** The last event sent to all followers; below, the last follower of the next event. */
  sequence: bigint({ mode: 'number' }).notNull(),
  userId: integer('user_id').notNull().default(0),
})

/**
 * The last day, in a zone, for which followers of a partner's deals there have been notified of late and
 * upcoming steps.
 */
export const notificationDays = pgTable(
  'notification_days',
  {
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    zone: text().notNull(),
    day: date().notNull(),
  },
  (row) => [primaryKey({ columns: [row.partnerId, row.zone] })],
)

/** One message to a user's mailbox or a push subscription: the queue, and the record for the ten-minute collection. */
export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    channel: text().$type<Channel>().notNull(),
    /** The push subscription; 0 for mail. */
    targetId: integer('target_id').notNull().default(0),
    /** The deal that it is about; 0 if it collects the changes of all deals. */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    notificationIds: bigint('notification_ids', { mode: 'number' }).array().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** When the next attempt may begin; null once it was sent, had no content, or failed. */
    dueAt: timestamp('due_at', { withTimezone: true }),
    leasedUntil: timestamp('leased_until', { withTimezone: true }),
    /** Number of leases so far: results of an earlier one are discarded. */
    lease: integer().notNull().default(0),
    sentAt: timestamp('sent_at', { withTimezone: true }),
    /** Why the last attempt failed. */
    problem: text(),
  },
  (delivery) => [
    // The waiting message, to which newer changes are added.
    uniqueIndex('notification_deliveries_open')
      .on(delivery.userId, delivery.channel, delivery.targetId, delivery.dealId)
      .where(sql`lease = 0 and due_at is not null`),
    index('notification_deliveries_due')
      .on(delivery.dueAt)
      .where(sql`due_at is not null`),
    // The time of the last message about a deal.
    index().on(delivery.userId, delivery.dealId, delivery.sentAt),
    index().on(delivery.createdAt),
  ],
)

/** The keys that identify this installation to push services (RFC 8292); at most one row. */
export const pushKeys = pgTable(
  'push_keys',
  {
    id: integer().primaryKey().default(1),
    /** The public key, base64url. */
    public: text().notNull(),
    /** The encrypted private key. */
    encrypted: text().notNull(),
  },
  (keys) => [check('push_keys_once', sql`${keys.id} = 1`)],
)

/** A Slack or Microsoft Teams channel for news of a partner's deals. */
export const teamChannels = pgTable(
  'team_channels',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    name: text().notNull(),
    service: text().$type<TeamService>().notNull(),
    /** Encrypted, because anyone with the URL can post. */
    encryptedUrl: text('encrypted_url').notNull(),
    /** The shortened URL, to recognize it. */
    shownUrl: text('shown_url').notNull(),
    kinds: text().array().$type<TeamKind[]>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /**
     * When and why it was switched off: by an admin, or because the service permanently rejected a message.
     */
    switchedOffAt: timestamp('switched_off_at', { withTimezone: true }),
    switchedOffBecause: text('switched_off_because').$type<'admin' | 'rejected'>(),
    /** The last event before it was added or switched on. */
    sequence: bigint({ mode: 'number' }).notNull(),
    /** No message is posted before. While it is in the future, a job waits for it. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull().defaultNow(),
    /** Failures since the last posted message. */
    failures: integer().notNull().default(0),
    lastSentAt: timestamp('last_sent_at', { withTimezone: true }),
    failedAt: timestamp('failed_at', { withTimezone: true }),
    problem: text(),
  },
  (channel) => [index().on(channel.partnerId)],
)

/** News of deals that a team channel has not been sent yet. */
export const channelNews = pgTable(
  'channel_news',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    channelId: integer('channel_id')
      .notNull()
      .references(() => teamChannels.id, { onDelete: 'cascade' }),
    dealId: bigint('deal_id', { mode: 'bigint' })
      .notNull()
      .references(() => deals.id, { onDelete: 'cascade' }),
    /** The key of the notifications with the same news. */
    key: text().notNull(),
    kind: text().$type<TeamKind>().notNull(),
    changes: jsonb().$type<NotificationOf[TeamKind]>().notNull(),
    /** When it may be posted. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
  },
  (news) => [
    // By the deal first, for the deletion of deals.
    uniqueIndex('channel_news_once').on(news.dealId, news.channelId, news.key),
    index().on(news.channelId, news.id),
  ],
)
