import { desc, eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { partners, users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { deliveries, endpoints } from '#db/schema/webhooks.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { beginSession, contextOf, refusalOf } from '#e2e/signed-in.ts'
import { everyone, tenantOfPartner } from '../access/actor.ts'
import { makeAccessLoader } from '../access/token-access.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { findSession } from '../accounts/session-store.ts'
import { type Partner, insertPartner, findPartner } from '../accounts/store.ts'
import { saveUser } from '../accounts/user-store.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { updateUsualZones } from '../deals/list-store.ts'
import type { Services } from '../runtime/services.ts'
import { countDeals } from '../search/count-store.ts'
import { countOutdated } from '../search/read-totals.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { hashToken } from '../tokens/token.ts'
import { addDays, dayOf } from '../values/zone.ts'
import { writeEndpoints } from '../webhooks/store.ts'
import type { PartnerSort } from './policy.ts'
import { partnersRouter } from './router.ts'
import { partnerTotals } from './totals-store.ts'

const database = await openTestDatabase()
let partner: Partner
let operator: { email: string; hash: string }
beforeEach(async () => {
  partner = (await insertPartner(database.db, `p${crypto.randomUUID()}`, 'Sunline'))!
  operator = await makeUser('operator')
})

async function makeUser(role: Role) {
  const email = `${crypto.randomUUID()}@team.example`
  const partnerId = role === 'operator' ? null : partner.id
  const { id } = await saveUser(database.db, { email, name: 'Ana', role, partnerId, passwordHash: 'set' })
  return { email, hash: (await beginSession(database.db, id))! }
}

/** Returns the procedures as called by a browser with this session. */
const as = async ({ hash }: { hash: string }) =>
  partnersRouter.createCaller(await contextOf({ db: database.db } as Services, hash))

const codeOf = async (asked: Promise<unknown>) => (await refusalOf(asked)).code

async function newestEntry() {
  const [entry] = await database.db.select().from(auditEntries).orderBy(desc(auditEntries.id)).limit(1)
  return entry && { action: entry.action, subject: entry.subject, partnerId: entry.partnerId, who: entry.who }
}

const rowOf = async ({ slug }: { slug: string }) =>
  (await (await as(operator)).list({ search: slug })).partners[0]

test.each(['member', 'admin'] as const)('are not available to a %s', async (role) => {
  const caller = await as(await makeUser(role))
  const { slug } = partner
  const calls = [
    caller.list({ search: '' }),
    caller.create({ slug: 'mine', name: 'Mine' }),
    caller.rename({ slug, name: 'Mine' }),
    caller.fileUse({ slug }),
    caller.setFileQuota({ slug, gigabytes: 1 }),
    caller.suspend({ slug }),
    caller.resume({ slug }),
  ]
  expect(new Set(await Promise.all(calls.map(codeOf)))).toEqual(new Set(['FORBIDDEN']))
})

test('are listed with their counts, in pages, and by part of a name or slug', async () => {
  const issue = (expiresAt: Date | null = null) =>
    issueToken(database.db, { partnerId: partner.id, name: 'A', expiresAt })
  await issue()
  await issue(new Date(Date.now() - 1000))
  await database.db.execute(sql`update tokens set revoked_at = now() where id = ${(await issue()).id}`)
  await makeUser('member')
  await database.db.insert(users).values({
    email: `${crypto.randomUUID()}@team.example`,
    name: 'Ben',
    role: 'admin',
    partnerId: partner.id,
  })
  await writeDeals(
    database.db,
    [1, 2].map((id) => ({ record: { id: BigInt(Date.now() * 10 + id) }, partnerId: partner.id })),
    { now: new Date(), events: true },
  )
  await database.db.insert(endpoints).values([
    { partnerId: partner.id, kind: 'update', url: 'https://a.example', failingSince: new Date(0) },
    { partnerId: partner.id, kind: 'create', url: 'https://a.example' },
  ])
  expect(await rowOf(partner)).toEqual({
    slug: partner.slug,
    name: 'Sunline',
    createdAt: expect.any(Date),
    suspendedAt: null,
    timeZone: null,
    usualZone: null,
    fileQuotaBytes: null,
    deals: 2,
    people: 1,
    admins: 0,
    adminSeenAt: null,
    invited: 1,
    tokens: 1,
    open: 2,
    late: 0,
    amount: 0,
    seenAt: null,
    endpoints: [
      { kind: 'create', name: null, health: 'untried' },
      { kind: 'update', name: null, health: 'failing' },
    ],
  })
  const caller = await as(operator)
  const slugs = Array.from({ length: 52 }, (_, index) => `many-${String(index).padStart(2, '0')}`)
  for (const slug of slugs) await insertPartner(database.db, slug, 'One of Many')
  const first = await caller.list({ search: ' ONE of ' })
  const second = await caller.list({ search: 'one of', cursor: first.next })
  expect([...first.partners, ...second.partners].map(({ slug }) => slug)).toEqual(slugs)
  expect([first.partners.length, second.next]).toEqual([50, null])
  expect((await caller.list({ search: '%' })).partners).toEqual([])
})

test('are listed with the number of admins who have joined, and the last admin activity', async () => {
  const own = (await insertPartner(database.db, crypto.randomUUID(), 'With admins'))!
  const at = new Date('2026-03-01T00:00:00Z')
  const person = (role: 'admin' | 'member', seenAt: Date | null, passwordHash: string | null) => ({
    email: `${crypto.randomUUID()}@team.example`,
    name: 'A',
    role,
    partnerId: own.id,
    seenAt,
    passwordHash,
    createdAt: new Date('2026-01-01T00:00:00Z'),
  })
  await database.db
    .insert(users)
    .values([
      person('admin', at, 'set'),
      person('admin', null, 'set'),
      person('admin', null, null),
      person('member', new Date(), 'set'),
    ])
  expect(await rowOf(own)).toMatchObject({ admins: 2, adminSeenAt: at })
})

test('are sorted by deal totals, last visit, and endpoint health', async () => {
  const caller = await as(operator)
  const mark = `s${crypto.randomUUID().slice(0, 8)}`
  const [busy, quiet, empty] = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => (await insertPartner(database.db, `${mark}-${name}`, 'Sorted'))!),
  )
  const id = BigInt(Date.now()) * 100n
  const late = { stage: 'Install Scheduled', installedScheduled: '2020-01-02T00:00:00.000Z' }
  await writeDeals(
    database.db,
    [
      { record: { id, amount: 10, ...late }, partnerId: busy!.id },
      { record: { id: id + 1n, amount: 20 }, partnerId: busy!.id },
      { record: { id: id + 2n, amount: 900, ...late, stage: 'Cancelled' }, partnerId: busy!.id },
      { record: { id: id + 3n, amount: 500 }, partnerId: quiet!.id },
    ],
    { now: new Date(), events: false },
  )
  await database.db.insert(endpoints).values({
    partnerId: quiet!.id,
    kind: 'create',
    url: 'https://a.example/',
    failingSince: new Date(),
    failingAnswer: '500',
  })
  await database.db.insert(users).values({
    email: `${mark}@team.example`,
    name: 'Cy',
    role: 'member',
    partnerId: empty!.id,
    seenAt: new Date('2026-01-02T03:04:05Z'),
  })
  const listed = async (field: PartnerSort['field'], direction: 'asc' | 'desc' = 'desc') => {
    const { partners, asOf } = await caller.list({ search: mark, sort: { field, direction } })
    expect(asOf).toBeNull()
    return partners.map(({ slug, open, late, amount, seenAt }) =>
      [slug.at(-1), open, late, amount, seenAt?.toISOString() ?? '-'].join(' '),
    )
  }
  const [a, b, c] = ['a 2 1 30 -', 'b 1 0 500 -', 'c 0 0 0 2026-01-02T03:04:05.000Z']
  expect(await listed('open')).toEqual([a, b, c])
  expect(await listed('late')).toEqual([a, b, c])
  expect(await listed('amount')).toEqual([b, a, c])
  expect(await listed('amount', 'asc')).toEqual([c, a, b])
  expect(await listed('seen')).toEqual([c, a, b])
  expect(await listed('webhooks')).toEqual([b, a, c])
  expect(await listed('slug')).toEqual([c, b, a])
})

test('have as many late deals as their lists, in their own time zones', async () => {
  // At any time, the two zones are on different days.
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone) => toZone(zone))
  const yesterday = addDays(dayOf(new Date(), zones[0]!), -1)
  const late: unknown[] = []
  for (const [index, zone] of zones.entries()) {
    const { id, slug } = (await insertPartner(database.db, `z${crypto.randomUUID()}`, 'Zoned'))!
    await database.db.update(partners).set({ timeZone: zone }).where(eq(partners.id, id))
    const record = {
      id: BigInt(Date.now()) * 100n + BigInt(index),
      stage: 'Install Scheduled',
      installedScheduled: `${yesterday}T00:00:00.000Z`,
    }
    await writeDeals(database.db, [{ record, partnerId: id }], { now: new Date(), events: false })
    const list = await countDeals(database.db, {
      tenant: id as TenantScope,
      filter: { isOpen: true, isLate: true },
      zone,
    })
    late.push([(await rowOf({ slug }))!.late, list.count])
  }
  expect(late).toEqual([
    [1, 1],
    [0, 0],
  ])
})

test('count late deals in a changed time zone after a recount', async () => {
  const { id, slug } = (await insertPartner(database.db, `z${crypto.randomUUID()}`, 'Zoned'))!
  const yesterday = addDays(dayOf(new Date(), toZone('Pacific/Kiritimati')), -1)
  const record = {
    id: BigInt(Date.now()) * 100n + 7n,
    state: 'AZ',
    stage: 'Install Scheduled',
    installedScheduled: `${yesterday}T00:00:00.000Z`,
  }
  await writeDeals(database.db, [{ record, partnerId: id }], { now: new Date(), events: false })
  const caller = await as(operator)
  const read = async () => {
    const { partners: rows, asOf } = await caller.list({ search: slug })
    await runDueJobs(database.db, {
      'count-totals': ({ zone, isFor }) =>
        countOutdated({ db: database.db }, partnerTotals, { tenant: everyone, zone: toZone(zone) }, isFor),
    })
    return { late: rows[0]!.late, isOld: asOf !== null }
  }
  await database.db.$client`update deal_lists set deal_count = deal_count + 25000 where id = 0`
  try {
    await caller.setTimeZone({ slug, timeZone: 'Pacific/Kiritimati' })
    expect(await read()).toEqual({ late: 1, isOld: false })
    await caller.setTimeZone({ slug, timeZone: 'Pacific/Pago_Pago' })
    expect(await read()).toEqual({ late: 1, isOld: true })
    expect(await read()).toEqual({ late: 0, isOld: false })
    await caller.setTimeZone({ slug, timeZone: null })
    await read()
    await database.db.$client`update partners set usual_zone = 'Pacific/Kiritimati' where id = ${id}`
    await updateUsualZones(database.db)
    expect((await read()).isOld).toBe(true)
  } finally {
    await database.db.$client`update deal_lists set deal_count = deal_count - 25000 where id = 0`
  }
})

test('are created and renamed, which is audited; slugs are unique', async () => {
  const caller = await as(operator)
  await caller.create({ slug: 'acme', name: ' Acme <b>Solar</b> ', timeZone: 'America/Phoenix' })
  const made = (await findPartner(database.db, 'acme'))!
  expect(made).toMatchObject({
    name: 'Acme <b>Solar</b>',
    timeZone: 'America/Phoenix',
    suspendedAt: null,
  })
  expect(await newestEntry()).toEqual({
    action: 'partner.created',
    subject: 'acme',
    partnerId: made.id,
    who: operator.email,
  })
  expect(await refusalOf(caller.create({ slug: 'acme', name: 'B' }))).toMatchObject({
    code: 'BAD_REQUEST',
    errors: ['slug: is taken by another partner'],
  })
  for (const slug of ['', 'No Slug', '-a', 'a-', '..', 'x'.repeat(64)])
    expect((await refusalOf(caller.create({ slug, name: 'B' }))).errors).toEqual([
      'slug: must be 1 to 63 of a-z, 0-9 and inner hyphens',
    ])
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(101)])
    expect(await codeOf(caller.rename({ slug: 'acme', name }))).toBe('BAD_REQUEST')
  await caller.rename({ slug: 'acme', name: 'Acme' })
  expect((await findPartner(database.db, 'acme'))!.name).toBe('Acme')
  expect(await newestEntry()).toEqual({
    action: 'partner.renamed',
    subject: 'acme (Acme)',
    partnerId: made.id,
    who: operator.email,
  })
  expect(await codeOf(caller.rename({ slug: 'nobody', name: 'A' }))).toBe('BAD_REQUEST')
})

describe('a suspended partner', () => {
  test('has no access by token or session until resumed; its sessions stay ended', async () => {
    const member = await makeUser('member')
    const { token } = await issueToken(database.db, { partnerId: partner.id, name: 'A', expiresAt: null })
    const access = makeAccessLoader(database.db)
    const isUsable = async () => (await access.load(hashToken(token))) !== undefined
    const caller = await as(operator)
    expect(await isUsable()).toBe(true)
    await caller.suspend({ slug: partner.slug })
    expect(await newestEntry()).toEqual({
      action: 'partner.suspended',
      subject: partner.slug,
      partnerId: partner.id,
      who: operator.email,
    })
    expect([await isUsable(), await findSession(database.db, member.hash)]).toEqual([false, undefined])
    expect(await rowOf(partner)).toMatchObject({ suspendedAt: expect.any(Date) })
    expect(await codeOf(caller.suspend({ slug: partner.slug }))).toBe('BAD_REQUEST')
    await caller.resume({ slug: partner.slug })
    expect(await newestEntry()).toEqual({
      action: 'partner.resumed',
      subject: partner.slug,
      partnerId: partner.id,
      who: operator.email,
    })
    expect([await isUsable(), await findSession(database.db, member.hash)]).toEqual([true, undefined])
    expect(await codeOf(caller.resume({ slug: partner.slug }))).toBe('BAD_REQUEST')
    expect(await findSession(database.db, operator.hash)).toBeDefined()
  })

  test('has its active URLs disabled, and enabled on resume; events are recorded, and pending deliveries become due', async () => {
    const caller = await as(operator)
    await database.db.insert(endpoints).values([
      { partnerId: partner.id, kind: 'create', url: 'https://a.example', failingSince: new Date(0) },
      {
        partnerId: partner.id,
        kind: 'update',
        url: 'https://b.example',
        switchedOffAt: new Date(0),
        switchedOffBecause: 'gone',
      },
    ])
    const states = async () =>
      (
        await database.db
          .select()
          .from(endpoints)
          .where(eq(endpoints.partnerId, partner.id))
          .orderBy(endpoints.kind)
      ).map(({ failingSince, switchedOffBecause }) => [failingSince, switchedOffBecause])
    await caller.suspend({ slug: partner.slug })
    expect(await states()).toEqual([
      [new Date(0), 'suspended'],
      [null, 'gone'],
    ])
    // Endpoints created during the suspension are disabled as well.
    await database.db.delete(endpoints).where(eq(endpoints.partnerId, partner.id))
    const id = await tenantOfPartner({ db: database.db } as Services, partner.slug)
    await writeEndpoints(database.db, id, { create: 'https://a.example' })
    await writeEndpoints(database.db, id, { create: 'https://c.example' })
    expect(await states()).toEqual([[null, 'suspended']])
    await writeDeals(database.db, [{ record: { id: BigInt(Date.now()) }, partnerId: partner.id }], {
      now: new Date(),
      events: true,
    })
    const [waiting] = await database.db
      .update(deliveries)
      .set({ step: 3, dueAt: sql`now() + interval '1 day'` })
      .where(eq(deliveries.partnerId, partner.id))
      .returning()
    expect(waiting).toMatchObject({ state: 'waiting', kind: 'create' })
    await caller.resume({ slug: partner.slug })
    expect(await states()).toEqual([[null, null]])
    const [sent] = await database.db
      .select({ isDue: sql<boolean>`due_at <= now()` })
      .from(deliveries)
      .where(eq(deliveries.partnerId, partner.id))
    expect(sent).toEqual({ isDue: true })
  })
})
