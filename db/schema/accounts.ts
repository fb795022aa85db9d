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
import type { LinkKind } from '#server/accounts/policy.ts'
import { type Role, roles } from '#server/accounts/role.ts'

/** A column for a point in time. */
export const instant = (name: string) => timestamp(name, { withTimezone: true })

/**
 * A dealer who sells solar systems for the installer. The partner's id determines everything a partner can
 * see.
 */
export const partners = pgTable('partners', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** Time when the partner was suspended, which blocks tokens and sessions, or null if not suspended. */
  suspendedAt: instant('suspended_at'),
  /** IANA time zone chosen by an admin or operator, or null for `usualZone`. */
  timeZone: text('time_zone'),
  /** Time zone of most of the partner's deals, or null until known. */
  usualZone: text('usual_zone'),
  /** Number of deals when `usualZone` was computed. The zone is recomputed when that number has doubled. */
  usualZoneDeals: bigint('usual_zone_deals', { mode: 'number' }).notNull().default(0),
  /** True if members can see the scorecard, which admins can always see. */
  membersSeeScorecard: boolean('members_see_scorecard').notNull().default(false),
  /** True if push messages, which appear on lock screens, include the homeowner's name. */
  pushNames: boolean('push_names').notNull().default(true),
  /**
   * Maximum total size in bytes of the files attached by the partner's users, or null for the default quota.
   */
  fileQuotaBytes: bigint('file_quota_bytes', { mode: 'number' }),
})

/** The column of a partner. */
export const partnerRef = () =>
  integer('partner_id')
    .notNull()
    .references(() => partners.id)

/** A user of the portal. */
export const users = pgTable(
  'users',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /**
     * E-mail address in lower case. At most one user with the address has joined. Several partners may have
     * invited the same address, and the first accepted invitation decides.
     */
    email: text().notNull(),
    name: text().notNull(),
    /** Argon2id hash in PHC string format, or null until the user has set a password. */
    passwordHash: text('password_hash'),
    role: text().$type<Role>().notNull(),
    /** Null for the installer's staff. */
    partnerId: integer('partner_id').references(() => partners.id),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Number of times that all sessions were ended, to reject sign-ins that began before the last time. */
    sessionsEnded: integer('sessions_ended').notNull().default(0),
    /** When the user was last active in the portal. Written at most once a minute. */
    seenAt: instant('seen_at'),
    /** When the previous visit ended. Later changes are new to the user. */
    lastVisitAt: instant('last_visit_at'),
    /** IANA time zone chosen by the user, or null for the partner's time zone. */
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

/** The column of a user, with whom the row is deleted. */
export const userRef = () =>
  integer('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** A signed-in browser. Stores only the hexadecimal SHA-256 of the token in the browser's cookie. */
export const sessions = pgTable(
  'sessions',
  {
    hash: text().primaryKey(),
    userId: userRef(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    /** The browser's `User-Agent`, for recognizing the browser. */
    userAgent: text('user_agent').notNull().default(''),
  },
  (session) => [index().on(session.userId), index().on(session.expiresAt)],
)

/** A browser subscription to push messages (RFC 8030). */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: userRef(),
    /**
     * Session in which the browser was subscribed, or null once the session has expired. Signing out ends the
     * subscription.
     */
    sessionHash: text('session_hash').references(() => sessions.hash, { onDelete: 'set null' }),
    /** URL of the push service, as provided by the browser. */
    endpoint: text().notNull().unique(),
    /** The browser's public key and secret (RFC 8291), base64url. */
    p256dh: text().notNull(),
    auth: text().notNull(),
    /** The browser's `User-Agent`, for recognizing the browser. */
    userAgent: text('user_agent').notNull().default(''),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When messages began to fail, and the most recent reason. Null once a message arrives. */
    failedAt: instant('failed_at'),
    problem: text(),
    /** When the subscription was given up because its push service permanently rejects messages. */
    endedAt: instant('ended_at'),
  },
  (subscription) => [index().on(subscription.userId), index().on(subscription.sessionHash)],
)

/**
 * A link that signs a user in once: to accept an invitation, to set a new password, or to sign in. Stores
 * only the hexadecimal SHA-256 of the token.
 */
export const links = pgTable(
  'links',
  {
    hash: text().primaryKey(),
    userId: userRef(),
    kind: text().$type<LinkKind>().notNull(),
    /**
     * True if the link was requested on the public sign-in page. Such a link never replaces a link issued by
     * an operator or admin.
     */
    isRequested: boolean('is_requested').notNull().default(false),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (link) => [
    index().on(link.userId),
    index().on(link.expiresAt),
    check('links_kind', sql`${link.kind} in ('invitation', 'reset', 'sign-in')`),
  ],
)

/** An e-mail that has not been sent yet, or that failed. Rows are deleted once sent. */
export const mails = pgTable(
  'mails',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    recipient: text().notNull(),
    /** The encrypted subject, text, and HTML, or null once the e-mail has failed. */
    encrypted: text(),
    /** The link in the e-mail. Deleting the link deletes the e-mail. */
    linkHash: text('link_hash').references(() => links.hash, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Time after which the e-mail is of no use to the recipient. */
    expiresAt: instant('expires_at').notNull(),
    attempts: integer().notNull().default(0),
    /** When the next attempt may begin or, during an attempt, when its lease ends. Null once failed. */
    dueAt: instant('due_at'),
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
    userId: userRef(),
  },
  (identity) => [primaryKey({ columns: [identity.issuer, identity.subject] }), index().on(identity.userId)],
)

/** A count of rate-limited attempts. See `server/accounts/throttle.ts`. */
export const throttles = pgTable(
  'throttles',
  {
    /** Hexadecimal SHA-256 of the purpose and the subject: an e-mail address, a session, or a partner. */
    hash: text().primaryKey(),
    attempts: integer().notNull().default(1),
    endsAt: instant('ends_at').notNull(),
  },
  (throttle) => [index().on(throttle.endsAt)],
)

/**
 * Counts of actions in the current minute or day, by member, and for all members of a partner or of the
 * staff.
 */
export const spending = pgTable(
  'spending',
  {
    /** Null in the row that counts all members together. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Null in the rows of single members and of the installer's staff. */
    partnerId: integer('partner_id').references(() => partners.id, { onDelete: 'cascade' }),
    what: text().notNull(),
    beganAt: instant('began_at').notNull(),
    amount: bigint({ mode: 'number' }).notNull(),
  },
  (spent) => [
    unique('spending_once_an_owner').on(spent.userId, spent.partnerId, spent.what).nullsNotDistinct(),
    index().on(spent.partnerId),
  ],
)
