import { asc } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { createTestDatabase } from '#db/test-database.ts'
import { actorOfSession } from '../access/actor.ts'
import { findSession, insertSession } from '../accounts/session-store.ts'
import { insertPartner } from '../accounts/store.ts'
import { toRefusal } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { viewsRouter } from './router.ts'

test('changes of views are audited, refused ones are not', async () => {
  const { db, drop } = await createTestDatabase()
  const { id: partnerId } = (await insertPartner(db, 'sunline', 'Sunline'))!
  const [user] = await db
    .insert(users)
    .values({ email: 'ana@sunline.example', name: 'Ana', role: 'member', partnerId })
    .returning()
  await insertSession(db, {
    hash: 'here',
    userId: user!.id,
    sessionsEnded: 0,
    expiresAt: new Date(Date.now() + 60_000),
  })
  const caller = viewsRouter.createCaller({
    services: { db } as Services,
    actor: actorOfSession((await findSession(db, 'here'))!),
    holds: () => false,
  })
  const { id } = await caller.save({ name: 'Waiting', query: 'q=a', isShared: true })
  await caller.save({ name: 'Other', query: '', isShared: false })
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => null,
      (error: unknown) => toRefusal(error).code,
    )
  expect(await codeOf(caller.rename({ id, name: 'Other' }))).toBe('BAD_REQUEST')
  await caller.rename({ id, name: 'Late' })
  await caller.remove({ id })
  expect(await codeOf(caller.remove({ id }))).toBe('NOT_FOUND')
  const entries = await db.select().from(auditEntries).orderBy(asc(auditEntries.id))
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ['view.saved', 'Waiting'],
    ['view.saved', 'Other'],
    ['view.renamed', 'Late'],
    ['view.removed', 'Late'],
  ])
  for (const entry of entries)
    expect(entry).toMatchObject({ partnerId, who: 'ana@sunline.example', userId: user!.id })
  await drop()
})
