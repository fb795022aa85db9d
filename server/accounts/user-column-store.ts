import { type AnyColumn, asc, sql } from 'drizzle-orm'
import { links, users } from '#db/schema/accounts.ts'

/** All columns of a user except the password. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  partnerId: users.partnerId,
}

/** Returns the condition that a user has joined, which means having a password or having signed in. */
export const isJoined = ({ passwordHash, seenAt }: Record<'passwordHash' | 'seenAt', AnyColumn>) =>
  sql<boolean>`(${passwordHash} is not null or ${seenAt} is not null)`

export const hasJoined = isJoined(users)

/**
 * The order in which users with the same e-mail address are considered: a user who has joined, then the
 * oldest open invitation.
 */
export const bySignIn = [
  sql`${hasJoined} desc`,
  sql`exists (select from ${links} where ${links.userId} = ${users.id} and ${links.kind} = 'invitation' and ${links.expiresAt} > now()) desc`,
  asc(users.id),
]

/** The columns that a sign-in requires. */
export const signInColumns = { ...userColumns, sessionsEnded: users.sessionsEnded }

/** Time when the user's previous visit ended. */
export const lastVisit =
  sql<Date | null>`case when ${users.seenAt} <= now() - interval '30 minutes' then ${users.seenAt} else ${users.lastVisitAt} end`.mapWith(
    users.lastVisitAt,
  )

/** True if the user's recorded activity is more than a minute old and should be updated. */
export const visitIsNews = sql<boolean>`(${users.seenAt} is null or ${users.seenAt} <= now() - interval '1 minute')`
