import { beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { refusalOf, signedIn } from '#e2e/signed-in.ts'
import { findAccess } from '../access/token-access.ts'
import type { Owner, PartnerId } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { insertPartner } from '../accounts/store.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from './issue-token.ts'
import { internalScopes, scopes } from './policy.ts'
import { tokensRouter } from './router.ts'
import { recordTokenUse } from './store.ts'
import { hashToken } from './token.ts'

const publicUrl = 'https://deals.example.com'
const client = { address: '203.0.113.9', agent: '' }
const dayMs = 86_400_000
const database = await openTestDatabase()
let partner: { id: PartnerId; slug: string; name: string }
let other: { id: PartnerId; slug: string }
const services = { db: database.db, config: { publicUrl } } as unknown as Services
beforeEach(async () => {
  partner = (await insertPartner(database.db, crypto.randomUUID(), 'Sunline'))!
  other = (await insertPartner(database.db, crypto.randomUUID(), 'Other'))!
})

/** Returns the procedures as called by a new user. Operators may view as a partner. */
async function as(role: Role, slug: string | null = null) {
  const context = await signedIn(services, { role, partnerId: partner.id, slug, client })
  return { email: context.actor.user.email, caller: tokensRouter.createCaller(context) }
}

const wanted = { name: 'CRM', scopes: [...scopes], span: 'never' as const, day: '' }
const working = { isEnded: false }
const isUsable = async (token: string) => (await findAccess(database.db, [hashToken(token)])).size === 1
const make = (partnerId: Owner = partner.id, expiresAt: Date | null = null) =>
  issueToken(database.db, { partnerId, name: 'made before', expiresAt })
const entries = async () => database.db.$client<
  { action: string; subject: string; who: string; partner: number | null; address: string | null }[]
>`
  select action, subject, who, partner_id as partner, address from audit_entries order by id desc`

describe('a token created by an admin', () => {
  test('works, is shown once with a command to try it, and is audited without its text', async () => {
    const { caller, email } = await as('admin')
    const made = await caller.create({
      ...wanted,
      name: '  CRM ',
      scopes: ['deals:read', 'deals:read'],
      span: '90d',
    })
    expect(made).toEqual({
      name: 'CRM',
      token: expect.stringMatching(/^pd_\w{36}$/),
      curl: `curl -H "Authorization: Bearer ${made.token}" "${publicUrl}/api/deals?size=1"`,
      expiresAt: expect.any(Date),
    })
    expect(Math.abs(made.expiresAt!.getTime() - Date.now() - 90 * dayMs)).toBeLessThan(60_000)
    expect((await findAccess(database.db, [hashToken(made.token)])).get(hashToken(made.token))).toMatchObject(
      { partnerId: partner.id, scopes: ['deals:read'] },
    )
    const { tokens, next } = await caller.list(working)
    expect(tokens).toEqual([
      {
        id: expect.any(Number),
        name: 'CRM',
        prefix: made.token.slice(0, 9),
        scopes: ['deals:read'],
        isSheet: false,
        partner: { slug: partner.slug, name: 'Sunline' },
        state: 'works',
        createdAt: expect.any(Date),
        expiresAt: made.expiresAt,
        revokedAt: null,
        replacedBy: null,
        lastUse: null,
        requests: { today: 0, week: 0, weekErrors: 0 },
      },
    ])
    expect(next).toBeNull()
    expect((await entries())[0]).toEqual({
      action: 'token.created',
      subject: `CRM (${made.token.slice(0, 9)}…)`,
      who: email,
      partner: partner.id,
      address: '203.0.113.9',
    })
    expect(JSON.stringify([tokens, await entries()])).not.toContain(made.token.slice(0, 12))
  })

  test('expires at the end of the chosen day', async () => {
    const { caller } = await as('admin')
    const day = new Date(Date.now() + 5 * dayMs).toISOString().slice(0, 10)
    expect((await caller.create({ ...wanted, span: 'day', day })).expiresAt).toEqual(
      new Date(Date.parse(day) + dayMs),
    )
    expect((await caller.list(working)).tokens[0]!.state).toBe('expires-soon')
  })

  test.each([
    ['no name', { name: ' ' }, 'name: must not be empty'],
    ['no scope', { scopes: [] }, 'scopes: must be one at least'],
    ['no day', { span: 'day' as const }, 'day: must be a day such as 2026-03-01'],
    ['an invalid day', { span: 'day' as const, day: '2026-02-30' }, 'day: must be a day such as 2026-03-01'],
    [
      'a past day',
      { span: 'day' as const, day: '2020-01-01' },
      'day: must be today or later, and within ten years',
    ],
  ])('is not created with %s', async (_what, input, error) => {
    const { caller } = await as('admin')
    expect(await refusalOf(caller.create({ ...wanted, ...input }))).toMatchObject({
      code: 'BAD_REQUEST',
      errors: [error],
    })
    expect((await caller.list(working)).tokens).toEqual([])
  })

  test('is one of at most 100 active tokens, not counting replaced and expired ones', async () => {
    const { caller } = await as('admin')
    await database.db
      .$client`insert into tokens (partner_id, name, prefix, hash, scopes, revoked_at, expires_at)
      select ${partner.id}, 'many', 'pd_x', ${partner.slug} || n, '{deals:read}', case when n > 105 then now() end, case when n between 101 and 105 then now() end from generate_series(1, 110) n`
    await database.db.$client`update tokens set replaced_by_id = id where hash = ${partner.slug} || 100`
    await caller.create(wanted)
    expect(await refusalOf(caller.create(wanted))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'There are 100 active tokens already; revoke one first',
    })
    await caller.rotate({ id: (await caller.list(working)).tokens[0]!.id, grace: '7d' })
    expect((await refusalOf(caller.create(wanted))).code).toBe('BAD_REQUEST')
  })
})

test('an operator creates internal tokens and tokens of a viewed partner', async () => {
  const { caller } = await as('operator')
  expect((await refusalOf(caller.create(wanted))).errors).toEqual([
    'scopes: must be some of deals:read, files:read, insight:read',
  ])
  const { token } = await caller.create({ ...wanted, scopes: [...internalScopes] })
  expect((await findAccess(database.db, [hashToken(token)])).get(hashToken(token))).toMatchObject({
    partnerId: null,
  })
  expect((await entries())[0]).toMatchObject({ action: 'token.created', partner: null })
  const { token: ofPartner } = await (await as('operator', partner.slug)).caller.create(wanted)
  expect((await findAccess(database.db, [hashToken(ofPartner)])).get(hashToken(ofPartner))).toMatchObject({
    partnerId: partner.id,
  })
  expect((await entries())[0]).toMatchObject({ action: 'token.created', partner: partner.id })
})

describe('the token list', () => {
  test('shows when, from where, by which client and how often each token was used', async () => {
    const { id } = await make()
    await recordTokenUse(database.db, id, { address: '203.0.113.9', agent: 'curl/8.14.1' })
    await database.db
      .$client`insert into token_days values (${id}, current_date, 5, 1), (${id}, current_date - 6, 10, 2), (${id}, current_date - 7, 100, 100)`
    const { caller } = await as('admin')
    expect((await caller.list(working)).tokens[0]).toMatchObject({
      lastUse: { at: expect.any(Date), from: '203.0.113.9', by: 'curl' },
      requests: { today: 5, week: 15, weekErrors: 3 },
    })
    const days = await caller.days({ id })
    expect(days).toHaveLength(30)
    expect(days.slice(-8).map(({ requests, errors }) => [requests, errors])).toEqual([
      [100, 100],
      [10, 2],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [5, 1],
    ])
  })

  test('lists expired and revoked tokens separately, in pages', async () => {
    const { caller } = await as('admin')
    const { id: workingId } = await make()
    const ended: number[] = []
    for (let round = 0; round < 53; round++)
      ended.unshift((await make(partner.id, new Date(Date.now() - 1))).id)
    expect((await caller.list(working)).tokens.map(({ id }) => id)).toEqual([workingId])
    const first = await caller.list({ isEnded: true })
    const second = await caller.list({ isEnded: true, cursor: first.next! })
    expect([...first.tokens, ...second.tokens].map(({ id, state }) => [id, state])).toEqual(
      ended.map((id) => [id, 'expired']),
    )
    expect([first.tokens.length, second.next]).toEqual([50, null])
  })

  test("shows an operator all tokens, those of a partner, or internal ones, and an admin only the partner's", async () => {
    const [mine, theirs, staff] = [await make(), await make(other.id), await make(null)]
    const ids = async ({ caller }: Awaited<ReturnType<typeof as>>, owner?: string | null) => {
      const listed = (
        await caller.list({ ...working, ...(owner === undefined ? {} : { owner }) })
      ).tokens.map(({ id }) => id)
      return [mine, theirs, staff].map(({ id }) => listed.includes(id))
    }
    const [all, chosen, admin] = [await as('operator'), await as('operator', partner.slug), await as('admin')]
    expect([
      await ids(all),
      await ids(all, other.slug),
      await ids(all, null),
      await ids(all, 'nobody'),
    ]).toEqual([
      [true, true, true],
      [false, true, false],
      [false, false, true],
      [false, false, false],
    ])
    for (const narrow of [chosen, admin])
      expect([await ids(narrow), await ids(narrow, other.slug), await ids(narrow, null)]).toEqual([
        [true, false, false],
        [false, false, false],
        [false, false, false],
      ])
    await database.db.$client`update partners set suspended_at = now() where id = ${other.id}`
    expect((await all.caller.list({ ...working, owner: other.slug })).tokens[0]!.state).toBe('suspended')
  })
})

describe('rotation of a token', () => {
  test('creates a token of the same kind; the old token works for the grace period within its own lifetime', async () => {
    const { caller, email } = await as('admin')
    const old = await issueToken(database.db, {
      partnerId: partner.id,
      name: 'CRM',
      scopes: ['deals:read'],
      expiresAt: new Date(Date.now() + 20 * dayMs),
    })
    await database.db.$client`update tokens set created_at = now() - interval '70 days' where id = ${old.id}`
    const made = await caller.rotate({ id: old.id, grace: '24h' })
    expect(Math.abs(made.oldEndsAt.getTime() - Date.now() - dayMs)).toBeLessThan(60_000)
    expect(Math.abs(made.expiresAt!.getTime() - Date.now() - 90 * dayMs)).toBeLessThan(60_000)
    expect([await isUsable(old.token), await isUsable(made.token)]).toEqual([true, true])
    const { tokens } = await caller.list(working)
    expect(
      tokens.map(({ name, scopes: allowed, state, replacedBy }) => ({ name, allowed, state, replacedBy })),
    ).toEqual([
      { name: 'CRM', allowed: ['deals:read'], state: 'works', replacedBy: null },
      { name: 'CRM', allowed: ['deals:read'], state: 'replaced', replacedBy: made.token.slice(0, 9) },
    ])
    expect((await entries())[0]).toEqual({
      action: 'token.rotated',
      subject: `CRM (${old.token.slice(0, 9)}…)`,
      who: email,
      partner: partner.id,
      address: '203.0.113.9',
    })
    const endless = await make()
    expect((await caller.rotate({ id: endless.id, grace: 'now' })).expiresAt).toBeNull()
    expect(await isUsable(endless.token)).toBe(false)
  })

  test('succeeds once if concurrent, and not for an expired or revoked token', async () => {
    const { caller } = await as('admin')
    const old = await make()
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => caller.rotate({ id: old.id, grace: '24h' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await caller.list(working)).tokens).toHaveLength(2)
    const [expired, revoked] = [await make(partner.id, new Date(Date.now() - 1)), await make()]
    await caller.revoke({ id: revoked.id })
    for (const { id } of [old, expired, revoked])
      expect(await refusalOf(caller.rotate({ id, grace: 'now' }))).toMatchObject({
        code: 'BAD_REQUEST',
        message: 'This token has ended or has already been replaced',
      })
    expect(
      (await entries()).filter(({ action, partner: of }) => action === 'token.rotated' && of === partner.id),
    ).toHaveLength(1)
  })
})

test('revoking ends a token immediately, and is audited once', async () => {
  const { caller, email } = await as('admin')
  const { id, token } = await make()
  await caller.revoke({ id })
  expect(await isUsable(token)).toBe(false)
  expect((await caller.list({ isEnded: true })).tokens).toMatchObject([
    { id, state: 'revoked', revokedAt: expect.any(Date) },
  ])
  expect((await refusalOf(caller.revoke({ id }))).code).toBe('NOT_FOUND')
  expect((await entries()).filter(({ who }) => who === email)).toEqual([
    {
      action: 'token.revoked',
      subject: `made before (${token.slice(0, 9)}…)`,
      who: email,
      partner: partner.id,
      address: '203.0.113.9',
    },
  ])
  const theirs = await make(other.id)
  await (await as('operator')).caller.revoke({ id: theirs.id })
  expect((await entries())[0]).toMatchObject({ action: 'token.revoked', partner: other.id })
})

test("another tenant's token is not found and does not change", async () => {
  const [theirs, staff] = [await make(other.id), await make(null)]
  for (const { caller } of [await as('admin'), await as('operator', partner.slug)]) {
    for (const id of [theirs.id, staff.id, 2_000_000_000]) {
      for (const procedure of [caller.days, caller.rotate, caller.revoke])
        expect(await refusalOf(procedure({ id, grace: 'now' }))).toMatchObject({
          code: 'NOT_FOUND',
          message: 'Token not found',
        })
    }
    for (const id of [0, -1, 1.5, 2 ** 31, Number.NaN])
      expect((await refusalOf(caller.revoke({ id }))).code).toBe('BAD_REQUEST')
  }
  expect([await isUsable(theirs.token), await isUsable(staff.token)]).toEqual([true, true])
})

test('rejects members and signed-out callers', async () => {
  const { id, token } = await make(partner.id, new Date(Date.now() + dayMs))
  const nobody = tokensRouter.createCaller({ services, actor: null, ifNoneMatch: () => false })
  for (const [caller, code] of [
    [(await as('member')).caller, 'FORBIDDEN'],
    [nobody, 'UNAUTHORIZED'],
  ] as const) {
    const calls = [
      () => caller.list(working),
      () => caller.days({ id }),
      () => caller.create(wanted),
      () => caller.rotate({ id, grace: 'now' }),
      () => caller.revoke({ id }),
    ]
    for (const ask of calls) expect((await refusalOf(ask())).code).toBe(code)
  }
  expect(await isUsable(token)).toBe(true)
  expect((await refusalOf(nobody.expiring())).code).toBe('UNAUTHORIZED')
})

test('notifies only admins of expiring tokens', async () => {
  await make(partner.id, new Date(Date.now() + dayMs))
  expect(await (await as('admin')).caller.expiring()).toEqual({ count: 1, first: expect.any(Date) })
  for (const { caller } of [await as('member'), await as('operator'), await as('operator', partner.slug)])
    expect(await caller.expiring()).toEqual({ count: 0, first: null })
})
