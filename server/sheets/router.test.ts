import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { findAccess } from '../access/token-access.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { insertPartner } from '../accounts/store.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { hashToken } from '../tokens/token.ts'
import { dayMs } from '../values/units.ts'
import { sheetsRouter } from './router.ts'
import { readSheet } from './store.ts'

const publicUrl = 'https://deals.example.com'
let database: TestDatabase
let services: Services
let partner: { id: PartnerId; slug: string }

beforeAll(async () => {
  database = await createTestDatabase()
  services = { db: database.db, config: { publicUrl } } as unknown as Services
})
afterAll(() => database.drop())
beforeEach(async () => {
  partner = (await insertPartner(database.db, crypto.randomUUID(), 'Sunline'))!
})

/** Returns the procedures as called by a new user. Operators may view as a partner. */
async function as(role: Role, slug: string | null = null) {
  const client = { address: '203.0.113.9', agent: '' }
  return sheetsRouter.createCaller(await signedIn(services, { role, partnerId: partner.id, slug, client }))
}

const view = {
  filter: { stages: ['Permit Submitted'] },
  relativeDays: { dates: { permitSubmitted: 'last-7-days' } },
  sort: { field: 'dealname', direction: 'asc' } as const,
  columns: [
    { column: 'dealname', title: 'Deal' },
    { column: 'amount', title: 'Amount' },
  ] as const,
}
const wanted = { ...view, columns: [...view.columns], name: 'Permits' }

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('was answered'),
    (error: unknown) => toApiError(error).code,
  )
const accessOf = async (token: string) =>
  (await findAccess(database.db, [hashToken(token)])).get(hashToken(token))

test('an admin creates a link that works for 180 days and returns the current view', async () => {
  const made = await (await as('admin')).create(wanted)
  const access = await accessOf(made.token)
  expect(access).toMatchObject({ partnerId: partner.id, scopes: [], isSheet: true })
  expect(made).toMatchObject({
    name: 'Permits',
    curl: null,
    sheet: {
      url: `${publicUrl}/api/sheets/${access!.tokenId}.csv`,
      columns: [
        { title: 'Deal', kind: 'text' },
        { title: 'Amount', kind: 'number' },
      ],
    },
  })
  expect(Math.abs(made.expiresAt!.getTime() - Date.now() - 180 * dayMs)).toBeLessThan(60_000)
  expect(await readSheet(database.db, partner.id, access!.tokenId)).toEqual(view)
})

test('an operator creates a link for the viewed partner; members, and operators without a partner, cannot', async () => {
  const made = await (await as('operator', partner.slug)).create(wanted)
  expect(await accessOf(made.token)).toMatchObject({ partnerId: partner.id })
  expect(await refusalOf((await as('member')).create(wanted))).toBe('FORBIDDEN')
  expect(await refusalOf((await as('operator')).create(wanted))).toBe('FORBIDDEN')
})

test('rejects a view whose deals depend on the viewer', async () => {
  const caller = await as('admin')
  for (const filter of [{ isMine: true }, { assignees: ['me'] }] as const)
    expect(await refusalOf(caller.create({ ...wanted, filter: filter as object }))).toBe('BAD_REQUEST')
})

test('a rotated link reads the same view at another URL', async () => {
  const caller = await as('admin')
  const old = await accessOf((await caller.create(wanted)).token)
  const made = await caller.rotate({ id: old!.tokenId, grace: 'now' })
  const access = await accessOf(made.token)
  expect(made.sheet.url).toBe(`${publicUrl}/api/sheets/${access!.tokenId}.csv`)
  expect(await readSheet(database.db, partner.id, access!.tokenId)).toEqual(view)
  expect(Math.abs(made.expiresAt!.getTime() - Date.now() - 180 * dayMs)).toBeLessThan(60_000)
})

test('does not rotate a token that is not a sheet link, or a link of another partner', async () => {
  const { db } = database
  const caller = await as('admin')
  const token = await issueToken(db, { partnerId: partner.id, name: 'CRM', expiresAt: null })
  const other = (await insertPartner(db, crypto.randomUUID(), 'Other'))!
  const foreign = await issueToken(db, { partnerId: other.id, name: 'x', expiresAt: null, sheet: view })
  for (const { id } of [token, foreign])
    expect(await refusalOf(caller.rotate({ id, grace: 'now' }))).toBe('NOT_FOUND')
})
