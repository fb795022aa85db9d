import { sql } from 'drizzle-orm'
import { users } from '#db/schema/accounts.ts'

/** All columns of a user but the password. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  partnerId: users.partnerId,
}

/** What a sign-in needs to know of its user. */
export const signInColumns = { ...userColumns, sessionsEnded: users.sessionsEnded }

/** When the visit before the present one ended. */
export const lastVisit =
  sql<Date | null>`case when ${users.seenAt} <= now() - interval '30 minutes' then ${users.seenAt} else ${users.lastVisitAt} end`.mapWith(
    users.lastVisitAt,
  )

/** Whether the last recorded activity is more than a minute old. */
export const visitIsNews = sql<boolean>`(${users.seenAt} is null or ${users.seenAt} <= now() - interval '1 minute')`
