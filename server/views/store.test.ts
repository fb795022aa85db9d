import { asc } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { codeOf, signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import type { Services } from '../runtime/services.ts'
import { viewsRouter } from './router.ts'
import { countViews, listViews, removeView, renameView, saveView } from './store.ts'

const database = useDatabase()

async function makeTeam(): Promise<{ tenant: TenantScope; ana: number; ben: number }> {
  const tenant = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
  const [ana, ben] = await Promise.all(
    ['Ana', 'Ben'].map(
      async (name) =>
        (
          await database.db
            .insert(users)
            .values({ email: `${crypto.randomUUID()}@team.example`, name, role: 'member', partnerId: tenant })
            .returning()
        )[0]!.id,
    ),
  )
  return { tenant, ana: ana!, ben: ben! }
}

const names = async (tenant: TenantScope, userId: number) =>
  (await listViews(database.db, tenant, userId)).map(({ name }) => name)

test('a user sees their own and shared views by name, and none of another partner', async () => {
  const { tenant, ana, ben } = await makeTeam()
  const other = await makeTeam()
  await saveView(database.db, tenant, ana, { name: 'Waiting', query: 'stage=NTP+Review', isShared: true })
  await saveView(database.db, tenant, ana, { name: 'Mine', query: 'q=a', isShared: false })
  await saveView(database.db, tenant, ben, { name: 'Also', query: '', isShared: false })
  expect(await listViews(database.db, tenant, ben)).toEqual([
    { id: expect.any(Number), name: 'Also', query: '', isShared: false, isMine: true, ownerName: 'Ben' },
    {
      id: expect.any(Number),
      name: 'Waiting',
      query: 'stage=NTP+Review',
      isShared: true,
      isMine: false,
      ownerName: 'Ana',
    },
  ])
  expect(await names(tenant, ana)).toEqual(['Mine', 'Waiting'])
  expect(await names(other.tenant, other.ana)).toEqual([])
  expect(await names(everyone, ana)).toEqual([])
  expect(await database.db.transaction((tx) => countViews(tx, tenant, ana))).toBe(2)
})

test("saving a view again updates it, including operators' views of all partners; a colleague's view of the same name stays", async () => {
  const { tenant, ana, ben } = await makeTeam()
  for (const place of [tenant, everyone]) {
    const id = await saveView(database.db, place, ana, { name: 'A', query: 'q=1', isShared: true })
    await saveView(database.db, place, ben, { name: 'A', query: 'q=2', isShared: false })
    expect(await saveView(database.db, place, ana, { name: 'A', query: 'q=3', isShared: false })).toBe(id)
    expect((await listViews(database.db, place, ana)).map(({ query }) => query)).toEqual(['q=3'])
  }
})

test('only the owner can rename or remove a view, and only within its tenant', async () => {
  const { tenant, ana, ben } = await makeTeam()
  const id = await saveView(database.db, tenant, ana, { name: 'A', query: '', isShared: true })
  await saveView(database.db, tenant, ana, { name: 'B', query: '', isShared: true })
  for (const [place, user] of [
    [tenant, ben],
    [everyone, ana],
    [(await makeTeam()).tenant, ana],
  ] as const) {
    expect(await renameView(database.db, place, user, id, 'C')).toBe('missing')
    expect(await removeView(database.db, place, user, id)).toBeUndefined()
  }
  expect(await renameView(database.db, tenant, ana, id, 'B')).toBe('taken')
  expect(await renameView(database.db, tenant, ana, id, 'A')).toBe('renamed')
  expect(await renameView(database.db, tenant, ana, id, 'C')).toBe('renamed')
  expect(await names(tenant, ben)).toEqual(['B', 'C'])
  expect(await removeView(database.db, tenant, ana, id)).toBe('C')
  expect(await names(tenant, ana)).toEqual(['B'])
})

test('changes to views are audited; rejected changes are not', async () => {
  const { db } = database
  const { id: partnerId } = (await insertPartner(db, 'sunline', 'Sunline'))!
  const context = await signedIn({ db } as Services, { role: 'member', partnerId })
  const caller = viewsRouter.createCaller(context)
  const { id } = await caller.save({ name: 'Waiting', query: 'q=a', isShared: true })
  await caller.save({ name: 'Other', query: '', isShared: false })
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
})
