import { expect, test } from 'vitest'
import { codeOf, signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { deleteUser } from '../accounts/team-store.ts'
import { updateUser } from '../accounts/user-store.ts'
import { api } from '../api.ts'
import { readEntries } from '../audit/store.ts'
import type { Services } from '../runtime/services.ts'
import { writeDeals } from './deal-writer.ts'
import { chosenMax } from './policy.ts'
import { deleteDeal } from './removal-store.ts'

const database = useDatabase()

let lastId = 0n

/** Creates a partner with deals, and a team whose members have these names. */
async function makeTeam(names: string[], dealCount = 2) {
  const { db } = database
  const { id: partnerId } = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!
  const ids = Array.from({ length: dealCount }, () => ++lastId)
  const writes = ids.map((id) => ({ record: { id }, partnerId }))
  await writeDeals(db, writes, { now: new Date(), events: false })
  const team = await Promise.all(
    names.map(async (name) => {
      const context = await signedIn({ db } as Services, { role: 'member', partnerId })
      await db.transaction((tx) => updateUser(tx, context.actor.user.id, { name }))
      return {
        id: context.actor.user.id,
        email: context.actor.user.email,
        ask: api.createCaller(context).deals,
      }
    }),
  )
  return { partnerId: partnerId as PartnerId, ids: ids.map(String), team }
}

type Person = Awaited<ReturnType<typeof makeTeam>>['team'][number]

const nameOf = async ({ ask }: Person, id: string) => (await ask.assignee({ id }))?.name ?? null

test('members assign deals, the team sees the assignee, and an assignment can be undone', async () => {
  const { partnerId, ids, team } = await makeTeam(['Ana', 'Ben'])
  const [ana, ben] = team as [Person, Person]
  expect((await ana.ask.colleagues()).map(({ name, isMe }) => [name, isMe])).toEqual([
    ['Ana', true],
    ['Ben', false],
  ])
  await ana.ask.assign([{ ids: [ids[0]!], userId: ana.id }])
  const before = await ana.ask.assign([{ ids, userId: ben.id }])
  expect(await ben.ask.assignee({ id: ids[1]! })).toMatchObject({
    userId: ben.id,
    name: 'Ben',
    assignedBy: 'Ana',
  })
  const { deals } = (await ben.ask.find({ fields: ['assignee'] })).value()
  expect(deals.map(({ assignee }) => assignee)).toEqual(['Ben', 'Ben'])
  await ana.ask.assign(before)
  expect(await Promise.all(ids.map((id) => nameOf(ben, id)))).toEqual(['Ana', null])
  const { entries } = await readEntries(database.db, partnerId, {}, { behind: null, limit: 9 })
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ['deals.assigned', expect.stringMatching(/\(2 deals\)$/)],
    ['deals.assigned', `${ben.email} (2 deals)`],
    ['deals.assigned', `${ana.email} (deal ${ids[0]})`],
  ])
})

test('rejects deals of another partner and assignees outside the team', async () => {
  const [mine, other] = await Promise.all([makeTeam(['Ana']), makeTeam(['Eve'])])
  const [ana, eve] = [mine.team[0]!, other.team[0]!]
  expect(await codeOf(ana.ask.assign([{ ids: other.ids, userId: ana.id }]))).toBe('NOT_FOUND')
  expect(await codeOf(ana.ask.assign([{ ids: mine.ids, userId: eve.id }]))).toBe('NOT_FOUND')
  await ana.ask.assign([{ ids: [...other.ids, ...mine.ids], userId: ana.id }])
  expect(await nameOf(eve, other.ids[0]!)).toBeNull()
  expect(await nameOf(eve, mine.ids[0]!)).toBeNull()
  expect((await eve.ask.find({ fields: ['id'], filter: { assignees: ['Ana'] } })).value().deals).toEqual([])
})

test('removing a user or a deal clears the assignment', async () => {
  const { ids, team } = await makeTeam(['Ana', 'Ben'])
  const [ana, ben] = team as [Person, Person]
  await ana.ask.assign([{ ids, userId: ben.id }])
  await deleteDeal(database.db, BigInt(ids[1]!))
  await deleteUser(database.db, everyone, ben.id)
  expect(await nameOf(ana, ids[0]!)).toBeNull()
  expect((await ana.ask.find({ fields: ['id'], filter: { assignees: [''] } })).value().deals).toHaveLength(1)
})

test('moving a deal to another partner clears its assignment, even if the deal returns', async () => {
  const [{ partnerId, ids, team }, other] = await Promise.all([makeTeam(['Ana'], 1), makeTeam(['Eve'])])
  const ana = team[0]!
  await ana.ask.assign([{ ids, userId: ana.id }])
  for (const owner of [other.partnerId, partnerId])
    await writeDeals(database.db, [{ record: { id: BigInt(ids[0]!) }, partnerId: owner }], {
      now: new Date(),
      events: true,
    })
  expect(await nameOf(ana, ids[0]!)).toBeNull()
})

test('rejects more deals than a list can select', async () => {
  const { team } = await makeTeam(['Ana'], 1)
  const ids = Array.from({ length: chosenMax + 1 }, (_, index) => String(index + 1))
  const ana = team[0]!
  expect(await codeOf(ana.ask.assign([{ ids, userId: null }]))).toBe('BAD_REQUEST')
  expect(
    await codeOf(
      ana.ask.assign([
        { ids: ids.slice(1), userId: null },
        { ids: ['1'], userId: ana.id },
      ]),
    ),
  ).toBe('BAD_REQUEST')
})
