import { asc } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { auditEntries } from '#db/schema/audit.ts'
import { createTestDatabase } from '#db/test-database.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { insertPartner } from '../accounts/store.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { viewsRouter } from './router.ts'

test('changes to views are audited; rejected changes are not', async () => {
  const { db, drop } = await createTestDatabase()
  const { id: partnerId } = (await insertPartner(db, 'sunline', 'Sunline'))!
  const context = await signedIn({ db } as Services, { role: 'member', partnerId })
  const caller = viewsRouter.createCaller(context)
  const { id } = await caller.save({ name: 'Waiting', query: 'q=a', isShared: true })
  await caller.save({ name: 'Other', query: '', isShared: false })
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => null,
      (error: unknown) => toApiError(error).code,
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
  const { email, id: userId } = context.actor.user
  for (const entry of entries) expect(entry).toMatchObject({ partnerId, who: email, userId })
  await drop()
})
