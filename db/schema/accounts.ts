import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { LinkKind } from '#server/accounts/links/link.ts'
import { type Role, roles } from '#server/accounts/role.ts'

/** A dealer who sells and waits to be paid. Everything visible to a partner depends on its id. */
export const partners = pgTable('partners', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** When the partner was suspended, which blocks tokens and sessions; null if it is not. */
  suspendedAt: timestamp('suspended_at', { withTimezone: true }),
  /** The IANA time zone that an admin or operator chose; null for `usualZone`. */
  timeZone: text('time_zone'),
  /** The time zone of most of its deals; null until that is known. */
  usualZone: text('usual_zone'),
  /** Deal count when `usualZone` was computed; it is recomputed when the count has doubled. */
  usualZoneDeals: bigint('usual_zone_deals', { mode: 'number' }).notNull().default(0),
  /** Whether members see the scorecard; admins always do. */
  membersSeeScorecard: boolean('members_see_scorecard').notNull().default(false),
  /** Whether push messages, which lock screens show, name the homeowner. */
  pushNames: boolean('push_names').notNull().default(true),
  /** How many bytes its people may attach in all; null for the usual quota. */
  fileQuotaBytes: bigint('file_quota_bytes', { mode: 'number' }),
})

/** A user of the portal. */
export const users = pgTable(
  'users',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /**
     * In lower case. At most one user with it has joined; several partners may have invited it, and the first
     * accepted invitation decides.
     */
    email: text().notNull(),
    name: text().notNull(),
    /** Argon2id in PHC string format; null until the user has set a password. */
    passwordHash: text('password_hash'),
    role: text().$type<Role>().notNull(),
    /** Null for the installer's staff. */
    partnerId: integer('partner_id').references(() => partners.id),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** The number of times all sessions were ended; a sign-in that began before is rejected. */
    sessionsEnded: integer('sessions_ended').notNull().default(0),
    /** When the user was last active in the portal; written at most once a minute. */
    seenAt: timestamp('seen_at', { withTimezone: true }),
    /** When the previous visit ended: later changes are new to the user. */
    lastVisitAt: timestamp('last_visit_at', { withTimezone: true }),
    /** The IANA time zone that the user chose; null for the partner's. */
    timeZone: text('time_zone'),
  },
  (user) => [
    index().on(user.partnerId),
    unique('users_email_once_a_partner').on(user.email, user.partnerId).nullsNotDistinct(),
    uniqueIndex('users_email_once_joined')
      .on(user.email)
      .where(sql`${user.passwordHash} is not null or ${user.seenAt} is not null`),
    check('users_email_lower_case', sql`${user.email} = lower(${user.email})`),
    check('users_role', sql`${user.role} in (${sql.raw(roles.map((role) => `'${role}'`).join(', '))})`),
    check('users_partner_unless_operator', sql`(${user.role} = 'operator') = (${user.partnerId} is null)`),
  ],
)

/** A signed-in browser. Stores only the hexadecimal SHA-256 of the token in its cookie. */
export const sessions = pgTable(
  'sessions',
  {
    hash: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    /** The browser's `User-Agent`, to recognize it. */
    userAgent: text('user_agent').notNull().default(''),
  },
  (session) => [index().on(session.userId), index().on(session.expiresAt)],
)

/** A browser subscription to push messages (RFC 8030). */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The session in which it was subscribed; null once expired. Signing out ends the subscription. */
    sessionHash: text('session_hash').references(() => sessions.hash, { onDelete: 'set null' }),
    /** The URL at the push service, from the browser. */
    endpoint: text().notNull().unique(),
    /** The browser's public key and secret (RFC 8291), base64url. */
    p256dh: text().notNull(),
    auth: text().notNull(),
    /** The browser's `User-Agent`, to recognize it. */
    userAgent: text('user_agent').notNull().default(''),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Since when messages fail, and the last reason; null once one has arrived. */
    failedAt: timestamp('failed_at', { withTimezone: true }),
    problem: text(),
    /** When it was given up, because its push service will not accept messages. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
  },
  (subscription) => [index().on(subscription.userId), index().on(subscription.sessionHash)],
)

/**
 * A link that signs its holder in once: to accept an invitation, to set a new password, or to sign in. Stores
 * only the hexadecimal SHA-256 of its token.
 */
export const links = pgTable(
  'links',
  {
    hash: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text().$type<LinkKind>().notNull(),
    /**
     * Whether it was requested on the public sign-in page; such a link never replaces one issued by an
     * operator or admin.
     */
    isRequested: boolean('is_requested').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (link) => [
    index().on(link.userId),
    index().on(link.expiresAt),
    check('links_kind', sql`${link.kind} in ('invitation', 'reset', 'sign-in')`),
  ],
)

/** Mail that has not been sent yet, or failed. Rows are deleted once sent. */
export const mails = pgTable(
  'mails',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    recipient: text().notNull(),
    /** The encrypted subject, text and HTML; null once it has failed. */
    encrypted: text(),
    /** The link that it contains; deleting the link deletes the mail. */
    linkHash: text('link_hash').references(() => links.hash, { onDelete: 'cascade' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** The time after which the mail is of no use to its recipient. */
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    attempts: integer().notNull().default(0),
    /** When the next attempt may begin; while one runs, when its lease ends. Null once it has failed. */
    dueAt: timestamp('due_at', { withTimezone: true }),
    /** Why the last attempt failed. */
    problem: text(),
  },
  (mail) => [
    index().on(mail.dueAt),
    index().on(mail.linkHash),
    check('mails_content_until_failed', sql`(${mail.encrypted} is null) = (${mail.dueAt} is null)`),
  ],
)

/** A user's identity at an OpenID Connect provider. */
export const identities = pgTable(
  'identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (identity) => [primaryKey({ columns: [identity.issuer, identity.subject] }), index().on(identity.userId)],
)

/** A count of limited attempts; see `server/accounts/sign-in/throttle.ts`. */
export const throttles = pgTable(
  'throttles',
  {
    /** Hexadecimal SHA-256 of the purpose and the subject: an e-mail address, a session or a partner. */
    hash: text().primaryKey(),
    attempts: integer().notNull().default(1),
    /** When the count restarts. */
    endsAt: timestamp('ends_at', { withTimezone: true }).notNull(),
  },
  (throttle) => [index().on(throttle.endsAt)],
)

/** Counts of actions in the current minute or day: by member, and by all members of a partner or of the staff. */
export const spending = pgTable(
  'spending',
  {
    /** Null for all members together. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Null for a member, and for the staff. */
    partnerId: integer('partner_id').references(() => partners.id, { onDelete: 'cascade' }),
    what: text().notNull(),
    beganAt: timestamp('began_at', { withTimezone: true }).notNull(),
    amount: bigint({ mode: 'number' }).notNull(),
  },
  (spent) => [
    unique('spending_once_an_owner').on(spent.userId, spent.partnerId, spent.what).nullsNotDistinct(),
    index().on(spent.partnerId),
  ],
)
