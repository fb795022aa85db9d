import { expect, test, beforeEach, describe } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { refusalOf } from '#e2e/signed-in.ts'
import type { TenantScope, PartnerId } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import type { PartnerName, Session } from '../accounts/session-store.ts'
import { insertPartner } from '../accounts/store.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { internalScopes, scopes } from '../tokens/policy.ts'
import { listTokens } from '../tokens/store.ts'
import { makeToken } from '../tokens/token.ts'
import { utc } from '../values/zone.ts'
import {
  everyone,
  callerOf,
  callerOfClient,
  callerOfSession,
  actorOfPage,
  actorOfRequest,
  actorOfSession,
  isInternal,
  partnerOf,
  tenantOfPartner,
} from './actor.ts'
import { noClient } from './client.ts'
import { type AccessLoader, makeAccessLoader } from './token-access.ts'

const database = await openTestDatabase()
let services: Services
let background: Promise<unknown>[]
let partner: { id: PartnerId; slug: string; name: string }
beforeEach(async () => {
  background = []
  partner = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
  services = {
    db: database.db,
    access: makeAccessLoader(database.db),
    background: (_kind, _key, run) => background.push(run()) > 0,
  } as Services
})

const makePartnerToken = () =>
  issueToken(database.db, { partnerId: partner.id, name: 'test', expiresAt: null })

const notAuthorized = (message: string, challenge: string) => ({
  code: 'UNAUTHORIZED',
  message,
  errors: null,
  headers: { 'WWW-Authenticate': challenge },
})

describe('a system with a token', () => {
  test("acts for its partner, with the token's scopes and the list's revision", async () => {
    const { id, token } = await makePartnerToken()
    expect(await actorOfRequest(services, `Bearer ${token}`)).toEqual({
      zone: utc,
      tenant: partner.id,
      scopes: [...scopes],
      tokenId: id,
      user: null,
      client: noClient,
      listRevision: 0,
    })
  })

  test("acts as the installer's staff with an internal token", async () => {
    const { token } = await issueToken(database.db, { partnerId: null, name: 'test', expiresAt: null })
    const actor = await actorOfRequest(services, `Bearer ${token}`)
    expect(isInternal(actor)).toBe(true)
    expect(actor.scopes).toEqual([...internalScopes])
  })

  test('may write the scheme in any case, with spaces around the token', async () => {
    const { id, token } = await makePartnerToken()
    for (const header of [`bearer ${token}`, `BEARER  ${token}`, `Bearer ${token} `])
      expect(await actorOfRequest(services, header)).toMatchObject({ tokenId: id })
  })

  test('records the use of the token at most once a minute', async () => {
    const { id, token } = await makePartnerToken()
    await actorOfRequest(services, `Bearer ${token}`)
    expect(background).toHaveLength(1)
    await Promise.all(background)
    expect((await listTokens(database.db)).find((each) => each.id === id)!.lastUsedAt).toBeInstanceOf(Date)
    await actorOfRequest(services, `Bearer ${token}`)
    expect(background).toHaveLength(1)
  })

  test.each([
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer  ',
    'Basic dXNlcjpwYXNz',
    'pd_a',
    'Bearer a b',
    'Bearer: a',
    'Bearer,a',
    'xBearer a',
  ])('gets an error for the header %j that names the required form', async (header) =>
    expect(await refusalOf(actorOfRequest(services, header))).toEqual(
      notAuthorized(
        header === undefined
          ? 'A bearer token is required'
          : 'The Authorization header must be Bearer, a space and the token',
        'Bearer',
      ),
    ),
  )

  test('rejects unknown tokens', async () => {
    const { token } = await makePartnerToken()
    const invalid = notAuthorized('The token is not valid', 'Bearer error="invalid_token"')
    const unknown = makeToken((count) => Buffer.alloc(count, 7))
    for (const text of [unknown, 'x', token.toLowerCase(), `${token}x`, token.slice(0, -1), `"${token}"`]) {
      expect(await refusalOf(actorOfRequest(services, `Bearer ${text}`))).toEqual(invalid)
    }
  })

  test('rejects a bad checksum without a query', async () => {
    const { token } = await makePartnerToken()
    const access = { load: () => expect.fail('asked') } as unknown as AccessLoader
    for (const text of [`${token.slice(0, -1)}!`, 'x'.repeat(16_000)])
      expect(await refusalOf(actorOfRequest({ ...services, access }, `Bearer ${text}`))).toMatchObject({
        code: 'UNAUTHORIZED',
      })
  })
})

function sessionOf(role: Role, partnerId: number | null, own: PartnerName | null = null): Session {
  return {
    hash: 'a',
    user: { id: 3, email: 'ana@sunline.example', name: 'Ana', role, partnerId },
    partner: own,
    expiresAt: new Date(),
    visitIsNews: false,
    zone: utc,
  }
}

describe('a signed-in user', () => {
  test('gets the scopes of the role', () => {
    expect(actorOfSession(sessionOf('member', 7))).toMatchObject({
      tenant: 7,
      scopes: ['deals:read', 'files:read', 'insight:read'],
      tokenId: null,
    })
    expect(actorOfSession(sessionOf('admin', 7))).toMatchObject({ tenant: 7, scopes })
    expect(actorOfSession(sessionOf('operator', null))).toMatchObject({
      tenant: everyone,
      scopes: [...internalScopes, 'webhooks:read'],
    })
  })

  test("as an operator, sees the page's partner or all partners", async () => {
    const { id, slug, name } = partner
    const session = sessionOf('operator', null)
    expect(await actorOfPage(services, session, slug)).toMatchObject({
      tenant: id,
      scopes: [...internalScopes, 'webhooks:read', 'webhooks:write'],
      user: { id: 3, role: 'operator', sessionHash: 'a', chosenPartner: { id, slug, name } },
    })
    expect(await actorOfPage(services, session, null)).toEqual(actorOfSession(session))
  })

  test.each([['nobody'], [''], ['-'], ['a\0b'], ['x'.repeat(1000)], ['SUNLINE'], ['__proto__']])(
    'as an operator on a page of the unknown partner %j, gets an error',
    async (slug) => {
      expect(await refusalOf(actorOfPage(services, sessionOf('operator', null), slug))).toMatchObject({
        code: 'BAD_REQUEST',
        errors: ['partner: must be the slug of a partner'],
      })
    },
  )

  test.each(['member', 'admin'] as const)(
    'as a %s, sees only pages of their own partner, and cannot tell whether other partners exist',
    async (role) => {
      const other = (await insertPartner(services.db, `other-${role}`, 'Other'))!
      const session = sessionOf(role, partner.id, partner)
      for (const slug of [null, partner.slug])
        expect(await actorOfPage(services, session, slug)).toMatchObject({
          tenant: partner.id,
          user: { chosenPartner: null },
        })
      const refusals = await Promise.all(
        [other.slug, 'nobody', '-', '__proto__'].map((slug) =>
          refusalOf(actorOfPage(services, session, slug)),
        ),
      )
      for (const refusal of refusals)
        expect(refusal).toEqual({
          code: 'FORBIDDEN',
          message: 'This page belongs to another partner',
          errors: null,
          headers: {},
        })
      expect(await refusalOf(actorOfPage(services, sessionOf(role, null), other.slug))).toMatchObject({
        code: 'FORBIDDEN',
      })
    },
  )

  test('sees nothing without a partner, unless an operator', () => {
    for (const role of ['member', 'admin'] as const)
      expect(isInternal(actorOfSession(sessionOf(role, null)))).toBe(false)
  })
})

describe('an operator acting for a partner', () => {
  test.each([[undefined], [7], [['a', 'b']], [{}]])('rejects the slug %j', async (slug) => {
    expect(await tenantOfPartner(services, partner.slug)).toBe(partner.id)
    expect(await refusalOf(tenantOfPartner(services, slug))).toEqual({
      code: 'BAD_REQUEST',
      message: 'The request is not valid',
      errors: ['partner: must be the slug of a partner'],
      headers: {},
    })
  })

  test('rejects internal actors', async () => {
    expect(partnerOf(actorOfSession(sessionOf('member', 7)))).toBe(7)
    expect(() => partnerOf(actorOfSession(sessionOf('operator', null)))).toThrow('Only partners can do this')
  })
})

const user = (role: Role) => ({ id: 3, email: 'a@b.c', role, sessionHash: '', chosenPartner: null })

test.each([
  [
    'a token of a partner',
    { tenant: 7 as TenantScope, user: null, tokenId: 5 },
    ['partner', 'partner 7', 'token 5'],
  ],
  [
    'a member',
    { tenant: 7 as TenantScope, user: user('member'), tokenId: null },
    ['partner', 'partner 7', 'user 3'],
  ],
  ['an internal token', { tenant: everyone, user: null, tokenId: 5 }, ['staff', 'staff', 'token 5']],
  [
    'an operator who views the portal as a partner',
    { tenant: 7 as TenantScope, user: user('operator'), tokenId: null },
    ['staff', 'staff', 'user 3'],
  ],
])('admits the work of %s in its own group', (_, actor, [kind, group, member]) => {
  expect(callerOf(actor)).toEqual({ kind, group, member })
})

test("admits the work of a session in its partner's group", () => {
  const session = (role: Role, partnerId: number | null) => ({
    user: { id: 3, email: 'a@b.c', name: 'Ana', role, partnerId },
  })
  expect(callerOfSession(session('member', 7))).toEqual({
    kind: 'partner',
    group: 'partner 7',
    member: 'user 3',
  })
  expect(callerOfSession(session('operator', null))).toMatchObject({ kind: 'staff', group: 'staff' })
})

test('admits anonymous work by network; clients without a known IP address count as one', () => {
  const caller = (address: string | null) => callerOfClient({ address, agent: '' })
  const anonymous = { kind: 'anonymous', group: 'anonymous' }
  expect(caller('2001:db8::6')).toEqual({ ...anonymous, member: '2001:db8:0:0' })
  expect(caller(null)).toEqual({ ...anonymous, member: '' })
})
