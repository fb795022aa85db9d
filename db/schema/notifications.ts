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
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { Channel, NotificationKind, NotificationOf } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'
import type { TeamKind, TeamService } from '#server/notifications/wire.ts'
import type { RelativeDays } from '#server/search/filter-text.ts'
import type { DealFilter } from '#server/search/wire.ts'
import { instant, partners, users, userRef, partnerRef } from './accounts.ts'
import { deals, people, dealRef } from './deals.ts'
import { views } from './views.ts'

/** What users follow: a deal, or the deals of a saved view. */
export const follows = pgTable(
  'follows',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: userRef(),
    dealId: bigint('deal_id', { mode: 'bigint' }).references(() => deals.id, { onDelete: 'cascade' }),
    viewId: integer('view_id').references(() => views.id, { onDelete: 'cascade' }),
    /** The filter of the view when the user last opened it. */
    filter: jsonb().$type<DealFilter>(),
    /** Relative days of the view. In `filter`, days are fixed as of when the view was opened. */
    relativeDays: jsonb('relative_days').$type<RelativeDays>().notNull().default({}),
    /**
     * If false, the user gets no notifications about this deal, even if it is in a followed view or names the
     * user.
     */
    isOn: boolean('is_on').notNull().default(true),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (follow) => [
    uniqueIndex('follows_deal_once').on(follow.dealId, follow.userId),
    uniqueIndex('follows_view_once').on(follow.viewId, follow.userId),
    index().on(follow.userId),
    check('follows_deal_or_view', sql`(${follow.dealId} is null) <> (${follow.viewId} is null)`),
    check('follows_filter_of_view', sql`(${follow.viewId} is null) = (${follow.filter} is null)`),
  ],
)

/**
 * People in deals whom a user has confirmed to be themselves. The user follows all deals with these people.
 */
export const userPeople = pgTable(
  'user_people',
  {
    userId: userRef(),
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (row) => [primaryKey({ columns: [row.userId, row.personId] }), index().on(row.personId)],
)

/** Notification settings of a user: kinds, channels, and times. Without a row, the defaults apply. */
export const notificationSettings = pgTable('notification_settings', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  stage: boolean().notNull().default(true),
  dates: boolean().notNull().default(true),
  late: boolean().notNull().default(true),
  items: boolean().notNull().default(true),
  files: boolean().notNull().default(true),
  /** True to notify about answers and mentions. */
  messages: boolean().notNull().default(true),
  schedule: text().$type<Schedule>().notNull().default('at-once'),
  /** Hour of the daily message, in the user's time zone. */
  hour: integer().notNull().default(7),
  /** True if messages are also sent at night. */
  atNight: boolean('at_night').notNull().default(false),
  byMail: boolean('by_mail').notNull().default(true),
  /**
   * When and why a mail server rejected the user's e-mail address. No e-mails are sent to the address after
   * that.
   */
  mailRejectedAt: instant('mail_rejected_at'),
  mailProblem: text('mail_problem'),
})

/** Notifications of a user about a deal. */
export const notifications = pgTable(
  'notifications',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userRef(),
    /** Partner that had the deal. The notification is hidden once the deal has moved to another partner. */
    partnerId: partnerRef(),
    dealId: dealRef(),
    /**
     * Identifies what happened, and is unique per user and deal: `event:3:123:stage`, `late:2026-11-25`,
     * `file:<id>`, `message:45`.
     */
    key: text().notNull(),
    kind: text().$type<NotificationKind>().notNull(),
    /** The changes, by kind. */
    changes: jsonb().$type<NotificationOf[NotificationKind]>().notNull(),
    /** Set if a followed view is the only reason for the notification. */
    viewId: integer('view_id'),
    createdAt: instant('created_at').notNull().defaultNow(),
    readAt: instant('read_at'),
  },
  (notification) => [
    // Starts with the deal's id, so that deleting a deal is fast.
    uniqueIndex('notifications_once').on(notification.dealId, notification.userId, notification.key),
    index().on(notification.userId, notification.id),
    index('notifications_unread')
      .on(notification.userId, notification.id)
      .where(sql`${notification.readAt} is null`),
    index().on(notification.createdAt),
    // For notifications about late deals that may no longer be late.
    index('notifications_late')
      .on(notification.userId, notification.dealId)
      .where(sql`${notification.kind} = 'late'`),
  ],
)

/** Position up to which a partner's events have been turned into notifications. */
export const notificationCursors = pgTable('notification_cursors', {
  partnerId: integer('partner_id')
    .primaryKey()
    .references(() => partners.id),
  /**
   * Sequence number of the last event sent to all followers, followed by the last follower who was notified
   * of the next event.
   */
  sequence: bigint({ mode: 'number' }).notNull(),
  userId: integer('user_id').notNull().default(0),
})

/**
 * For each time zone, the last day for which followers of a partner's deals were notified of late and
 * upcoming steps.
 */
export const notificationDays = pgTable(
  'notification_days',
  {
    partnerId: partnerRef(),
    zone: text().notNull(),
    day: date().notNull(),
  },
  (row) => [primaryKey({ columns: [row.partnerId, row.zone] })],
)

/**
 * One message to a user's mailbox or to a push subscription. Rows serve as the queue and as the record for
 * collecting changes over ten minutes.
 */
export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userRef(),
    channel: text().$type<Channel>().notNull(),
    /** The push subscription, or 0 for e-mail. */
    targetId: integer('target_id').notNull().default(0),
    /** The deal that the message is about, or 0 for a digest of several deals. */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    notificationIds: bigint('notification_ids', { mode: 'number' }).array().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When the next attempt may begin. Null once the message was sent, was empty, or failed. */
    dueAt: instant('due_at'),
    leasedUntil: instant('leased_until'),
    /** Number of leases so far. Results of earlier leases are discarded. */
    lease: integer().notNull().default(0),
    sentAt: instant('sent_at'),
    problem: text(),
  },
  (delivery) => [
    // For the waiting message, to which newer changes are added.
    uniqueIndex('notification_deliveries_open')
      .on(delivery.userId, delivery.channel, delivery.targetId, delivery.dealId)
      .where(sql`lease = 0 and due_at is not null`),
    index('notification_deliveries_due')
      .on(delivery.dueAt)
      .where(sql`due_at is not null`),
    // For the time of the last message about a deal.
    index().on(delivery.userId, delivery.dealId, delivery.sentAt),
    index().on(delivery.createdAt),
  ],
)

/** Keys that identify this installation to push services (RFC 8292), in at most one row. */
export const pushKeys = pgTable(
  'push_keys',
  {
    id: integer().primaryKey().default(1),
    /** Public key, base64url. */
    public: text().notNull(),
    /** Encrypted private key. */
    encrypted: text().notNull(),
  },
  (keys) => [check('push_keys_once', sql`${keys.id} = 1`)],
)

/** A Slack or Microsoft Teams channel for updates of a partner's deals. */
export const teamChannels = pgTable(
  'team_channels',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    partnerId: partnerRef(),
    name: text().notNull(),
    service: text().$type<TeamService>().notNull(),
    /** The URL, encrypted because anyone with the URL can post to the channel. */
    encryptedUrl: text('encrypted_url').notNull(),
    /** The shortened URL, for recognizing the channel. */
    shownUrl: text('shown_url').notNull(),
    kinds: text().array().$type<TeamKind[]>().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /**
     * When and why the channel was disabled: by an admin, or because the service permanently rejected a
     * message.
     */
    switchedOffAt: instant('switched_off_at'),
    switchedOffBecause: text('switched_off_because').$type<'admin' | 'rejected'>(),
    /** Sequence number of the last event before the channel was added or enabled. */
    sequence: bigint({ mode: 'number' }).notNull(),
    /** Earliest time of the next message. While this is in the future, a job waits for it. */
    dueAt: instant('due_at').notNull().defaultNow(),
    /** Number of failures since the last posted message. */
    failures: integer().notNull().default(0),
    lastSentAt: instant('last_sent_at'),
    failedAt: instant('failed_at'),
    problem: text(),
  },
  (channel) => [index().on(channel.partnerId)],
)

/** Updates of deals that have not been posted to a team channel yet. */
export const channelNews = pgTable(
  'channel_news',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    channelId: integer('channel_id')
      .notNull()
      .references(() => teamChannels.id, { onDelete: 'cascade' }),
    dealId: dealRef(),
    /** The key of the notifications about the same update. */
    key: text().notNull(),
    kind: text().$type<TeamKind>().notNull(),
    changes: jsonb().$type<NotificationOf[TeamKind]>().notNull(),
    /** When the update may be posted. */
    dueAt: instant('due_at').notNull(),
  },
  (news) => [
    // Starts with the deal's id, so that deleting a deal is fast.
    uniqueIndex('channel_news_once').on(news.dealId, news.channelId, news.key),
    index().on(news.channelId, news.id),
  ],
)
