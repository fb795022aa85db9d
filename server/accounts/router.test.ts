import { asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { links, users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { actorOfPage } from '../access/actor.ts'
import { type ErrorCode, toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import type { LinkKind } from './link.ts'
import type { Mail } from './mail/mail.ts'
import type { Role } from './role.ts'
import { accountsRouter } from './router.ts'
import { findSession, insertSession } from './session-store.ts'
import { AnonymousLimit, anonymousRates } from './sign-in/anonymous-limit.ts'
import { authenticate } from './sign-in/authenticate.ts'
import { createUser } from './sign-in/create-user.ts'
import { issueLink } from './sign-in/send-link.ts'
import { limits } from './sign-in/throttle.ts'
import { type Partner, insertPartner } from './store.ts'
import { hashText } from './user.ts'

const attemptsMax = limits['password-change'].max
const password = 'correct horse battery'
const publicUrl = 'https://deals.example.com'
const sent: { to: string; mail: Mail }[] = []
const underway: Promise<unknown>[] = []
let database: TestDatabase
let services: Services
let partner: Partner

beforeAll(async () => {
  database = await createTestDatabase()
  partner = (await insertPartner(database.db, 'sunline', 'Sunline'))!
  services = {
    db: database.db,
    config: { publicUrl, oidc: null },
    mailer: { send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 },
    anonymous: new AnonymousLimit(),
    background: ((_kind, _key, run) => underway.push(run()) > 0) satisfies Services['background'],
  } as unknown as Services
})
afterAll(() => database.drop())

const anybody = (own: Services = services) =>
  accountsRouter.createCaller({ services: own, actor: null, ifNoneMatch: () => false })

/** Returns the procedures as seen by a browser with this session that views the partner `slug`. */
async function as(hash: string, slug: string | null = null) {
  const session = await findSession(database.db, hash)
  return accountsRouter.createCaller({
    services,
    actor: session === undefined ? null : await actorOfPage(services, session, slug),
    ifNoneMatch: () => false,
  })
}

let last = 0
/** Creates a user who is signed in to several browsers. */
async function makeUser(role: Role = 'member', browsers = 1) {
  const user = await createUser(database.db, {
    email: `user${++last}@sunline.example`,
    name: 'Ana',
    password,
    role,
    partnerId: role === 'operator' ? null : partner.id,
  })
  const hashes = Array.from({ length: browsers }, () => hashText(`session ${++last}`))
  for (const hash of hashes) await signIn(user.id, hash)
  return { ...user, hashes, hash: hashes[0]! }
}

const signIn = (userId: number, hash: string) =>
  insertSession(database.db, {
    hash,
    userId,
    sessionsEnded: 0,
    expiresAt: new Date(Date.now() + 60_000),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  })

async function refusalOf(asked: Promise<unknown>): Promise<{ code: ErrorCode; errors: string[] | null }> {
  const { code, errors } = toApiError(
    await asked.then(
      () => expect.fail('was accepted'),
      (error: unknown) => error,
    ),
  )
  return { code, errors }
}

describe('a signed-out user', () => {
  test('sees the options of the sign-in page', async () => {
    expect(await anybody().means()).toEqual({ mail: true, contact: null, oidc: null })
    const own = {
      ...services,
      mailer: null,
      config: {
        ...services.config,
        supportContact: 'help@installer.example',
        oidc: {
          issuer: 'https://login.example:8443/realm',
          clientId: 'a',
          clientSecret: 'b',
          trustEmail: null,
        },
      },
    }
    expect(await anybody(own).means()).toEqual({
      mail: false,
      contact: 'help@installer.example',
      oidc: { name: 'login.example' },
    })
  })

  test('sees who a link belongs to, without using it up', async () => {
    const { id, email } = await makeUser()
    const token = (await issueLink({ db: database.db, publicUrl }, id, 'reset')).slice(-43)
    for (let round = 0; round < 2; round++)
      expect(await anybody().link({ token })).toEqual({
        kind: 'reset',
        email,
        name: 'Ana',
        partnerName: 'Sunline',
      })
    for (const unknown of [`${token}x`, 'x'.repeat(100_000)])
      expect(await refusalOf(anybody().link({ token: unknown }))).toEqual({ code: 'NOT_FOUND', errors: null })
  })

  test('sees who can renew an expired invitation, and no details of other links', async () => {
    const { id: adminId } = await makeUser('admin')
    await database.db.update(users).set({ name: 'Olga Admin' }).where(eq(users.id, adminId))
    const linkOf = async (userId: number, kind: LinkKind, isExpired: boolean) => {
      const token = (await issueLink({ db: database.db, publicUrl }, userId, kind)).slice(-43)
      if (isExpired)
        await database.db
          .update(links)
          .set({ expiresAt: new Date(0) })
          .where(eq(links.hash, hashText(token)))
      return token
    }
    const [invited] = await database.db
      .insert(users)
      .values({
        email: 'late@sunline.example',
        name: 'New',
        role: 'member',
        partnerId: partner.id,
      })
      .returning()
    const { id } = invited!
    const renewed = await anybody().inviters({ token: await linkOf(id, 'invitation', true) })
    expect(renewed?.partnerName).toBe('Sunline')
    expect(renewed?.admins).toContain('Olga Admin')
    for (const token of [
      await linkOf(id, 'invitation', false),
      await linkOf(id, 'reset', true),
      await linkOf(id, 'sign-in', true),
      'A'.repeat(43),
    ])
      expect(await anybody().inviters({ token })).toBeNull()
  })

  test('gets the same immediate response for existing and unknown users', async () => {
    const { email } = await makeUser()
    sent.length = 0
    for (const address of [` ${email.toUpperCase()}`, 'nobody@sunline.example']) {
      const answers = [
        anybody().requestReset({ email: address }),
        anybody().requestSignIn({ email: address }),
      ]
      expect(sent).toEqual([])
      expect(await Promise.all(answers)).toEqual([{}, {}])
    }
    await Promise.all(underway)
    expect(sent.map(({ to, mail }) => [to, mail.subject]).toSorted()).toEqual([
      [email, 'Reset your Partner Deals password'],
      [email, 'Sign in to Partner Deals'],
    ])
    expect(await refusalOf(anybody().requestReset({ email: 'a@b.example\r\nBcc: c@d.example' }))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['email: must be an e-mail address'],
    })
  })

  test('is throttled per network before any lookup', async () => {
    const reached: string[] = []
    const own = {
      ...services,
      db: new Proxy({}, { get: (_, name) => expect.fail(`queried the database: ${String(name)}`) }),
      anonymous: new AnonymousLimit(),
      background: (kind: string) => reached.push(kind) > 0,
    } as unknown as Services
    const from = (address: string) =>
      accountsRouter.createCaller({
        services: own,
        actor: null,
        client: { address, agent: '' },
        ifNoneMatch: () => false,
      })
    const { burst } = anonymousRates['link-request'].network
    const ask = (address: string, index: number) =>
      from(address).requestReset({ email: `user${index}@nowhere.example` })
    for (let index = 0; index < burst; index++) expect(await ask('203.0.113.9', index)).toEqual({})
    const refusals = await Promise.allSettled(
      Array.from({ length: 400 }, (_, index) => ask('203.0.113.9', index)),
    )
    for (const each of refusals) {
      const { code, headers } = toApiError((each as PromiseRejectedResult).reason)
      expect([code, Number(headers['Retry-After'])]).toEqual(['TOO_MANY_REQUESTS', expect.any(Number)])
    }
    expect(await ask('203.0.113.10', 0)).toEqual({})
    expect(reached).toEqual(Array(burst + 1).fill('requested link'))
    for (let index = 0; index < anonymousRates['sign-in'].network.burst; index++)
      own.anonymous.countWork('sign-in', '203.0.113.9', performance.now())
    expect((await refusalOf(from('203.0.113.9').link({ token: 'x' }))).code).toBe('TOO_MANY_REQUESTS')
    expect((await refusalOf(from('203.0.113.9').inviters({ token: 'x' }))).code).toBe('TOO_MANY_REQUESTS')
  })

  test('triggers no reset or sign-in link if mail cannot be sent', async () => {
    const { email } = await makeUser()
    const own = { ...services, mailer: null, background: () => expect.fail('started') }
    expect(await anybody(own).requestReset({ email })).toEqual({})
  })

  test('can read and change nothing else', async () => {
    const caller = anybody()
    const asked = [
      caller.me(),
      caller.sessions(),
      caller.signOutEverywhere(),
      caller.rename({ name: 'x' }),
      caller.endSession({ id: '0'.repeat(16) }),
      caller.changePassword({ current: password, next: password }),
      caller.partners(),
    ]
    for (const answer of asked) expect((await refusalOf(answer)).code).toBe('UNAUTHORIZED')
  })
})

describe('a signed-in user', () => {
  test('can read and rename their own account', async () => {
    const { id, email, hash } = await makeUser('admin')
    const account = {
      id,
      email,
      name: 'Ana',
      role: 'admin',
      hasPassword: true,
      timeZone: null,
      partner: { slug: 'sunline', name: 'Sunline', timeZone: null, zone: 'UTC', usualZone: 'UTC' },
      chosenPartner: null,
    }
    expect(await (await as(hash)).me()).toEqual(account)
    await (await as(hash)).rename({ name: '  <b>Ana</b> ' })
    expect(await (await as(hash)).me()).toEqual({ ...account, name: '<b>Ana</b>' })
    for (const name of ['', ' ', 'a\0b', 'a\r\nb', 'x'.repeat(101)])
      expect((await refusalOf((await as(hash)).rename({ name }))).code).toBe('BAD_REQUEST')
  })

  test("sees times in the partner's time zone, or in their own", async () => {
    const [admin, member] = [await makeUser('admin'), await makeUser('member')]
    const zoneOf = async (hash: string) => (await findSession(database.db, hash))!.zone
    await (await as(admin.hash)).setPartnerTimeZone({ timeZone: 'America/Los_Angeles' })
    expect(await zoneOf(member.hash)).toBe('America/Los_Angeles')
    await (await as(member.hash)).setTimeZone({ timeZone: 'Pacific/Honolulu' })
    expect(await zoneOf(admin.hash)).toBe('America/Los_Angeles')
    expect(await zoneOf(member.hash)).toBe('Pacific/Honolulu')
    expect(await (await as(member.hash)).me()).toMatchObject({
      timeZone: 'Pacific/Honolulu',
      partner: { timeZone: 'America/Los_Angeles', zone: 'America/Los_Angeles' },
    })
    await (await as(member.hash)).setTimeZone({ timeZone: null })
    expect(await zoneOf(member.hash)).toBe('America/Los_Angeles')
    const asMember = await as(member.hash)
    expect((await refusalOf(asMember.setPartnerTimeZone({ timeZone: null }))).code).toBe('FORBIDDEN')
    expect((await refusalOf(asMember.setTimeZone({ timeZone: 'PST' }))).code).toBe('BAD_REQUEST')
    await (await as(admin.hash)).setPartnerTimeZone({ timeZone: null })
  })

  test('sees their own sessions and ends one', async () => {
    const { hashes } = await makeUser('member', 2)
    const [here, there] = hashes as [string, string]
    const caller = await as(here)
    const sessions = await caller.sessions()
    expect(
      sessions
        .map(({ id, isThis, browser }) => ({ id, isThis, browser }))
        .toSorted((a, b) => Number(b.isThis) - Number(a.isThis)),
    ).toEqual([
      { id: here.slice(0, 16), isThis: true, browser: 'Firefox on Linux' },
      { id: there.slice(0, 16), isThis: false, browser: 'Firefox on Linux' },
    ])
    expect(JSON.stringify(sessions)).not.toContain(here)
    await caller.endSession({ id: there.slice(0, 16) })
    expect(await refusalOf((await as(there)).me())).toEqual({ code: 'UNAUTHORIZED', errors: null })
    expect(await caller.sessions()).toHaveLength(1)
  })

  test("cannot end another user's session", async () => {
    const [mine, theirs] = [await makeUser(), await makeUser()]
    const caller = await as(mine.hash)
    expect(await refusalOf(caller.endSession({ id: theirs.hash.slice(0, 16) }))).toEqual({
      code: 'NOT_FOUND',
      errors: null,
    })
    for (const id of ['', '%', '_'.repeat(16), '%'.repeat(16), theirs.hash, "0' or '1'='1"])
      expect((await refusalOf(caller.endSession({ id }))).code).toBe('BAD_REQUEST')
    expect(await findSession(database.db, theirs.hash)).toBeDefined()
  })

  test('signs out of all browsers without signing out other users', async () => {
    const [mine, theirs] = [await makeUser('member', 3), await makeUser()]
    await (await as(mine.hash)).signOutEverywhere()
    for (const hash of mine.hashes) expect(await findSession(database.db, hash)).toBeUndefined()
    expect(await findSession(database.db, theirs.hash)).toBeDefined()
  })
})

test('changes their own account with an audit entry, which for operators has no partner', async () => {
  for (const role of ['member', 'operator'] as const) {
    const { id, email, hashes } = await makeUser(role, 2)
    const caller = await as(hashes[0]!, 'sunline')
    await caller.rename({ name: 'Kim' })
    await caller.endSession({ id: hashes[1]!.slice(0, 16) })
    await caller.changePassword({ current: password, next: 'another long password' })
    await refusalOf(caller.changePassword({ current: 'wrong', next: 'another long password' }))
    await refusalOf(caller.endSession({ id: '0'.repeat(16) }))
    await caller.signOutEverywhere()
    const entries = await database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.userId, id))
      .orderBy(asc(auditEntries.id))
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ['account.renamed', 'Kim'],
      ['account.session-ended', 'Firefox on Linux'],
      ['account.password-changed', ''],
      ['account.signed-out', ''],
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({ who: email, partnerId: role === 'operator' ? null : partner.id })
  }
})

describe('changing a password', () => {
  const next = 'another long password'

  test('is possible for its owner, ends all other sessions and invalidates links', async () => {
    const { id, email, hashes } = await makeUser('member', 3)
    const token = (await issueLink({ db: database.db, publicUrl }, id, 'reset')).slice(-43)
    await (await as(hashes[1]!)).changePassword({ current: password, next })
    expect(
      await Promise.all(hashes.map(async (hash) => (await findSession(database.db, hash)) !== undefined)),
    ).toEqual([false, true, false])
    expect((await refusalOf(anybody().link({ token }))).code).toBe('NOT_FOUND')
    expect(await authenticate(database.db, email, password)).toBe('wrong')
    expect(await authenticate(database.db, email, next)).toMatchObject({ id })
  })

  test('fails without the current password or with one that is too short', async () => {
    const { hash } = await makeUser()
    const caller = await as(hash)
    expect(await refusalOf(caller.changePassword({ current: 'not the password', next }))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['current: is not your password'],
    })
    expect(await refusalOf(caller.changePassword({ current: password, next: 'elevenchars' }))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['next: must be at least 12 characters long'],
    })
  })

  test('succeeds for only one of two concurrent calls', async () => {
    const { hash } = await makeUser()
    const caller = await as(hash)
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((number) => caller.changePassword({ current: password, next: `${next} ${number}` })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is blocked in this session after 20 wrong attempts, while other sessions and sign-in continue', async () => {
    const { id, email, hashes } = await makeUser('member', 2)
    const caller = await as(hashes[0]!)
    const guesses = await Promise.all(
      Array.from({ length: attemptsMax + 3 }, () =>
        refusalOf(caller.changePassword({ current: 'not the password', next })),
      ),
    )
    expect(guesses.filter(({ code }) => code === 'BAD_REQUEST')).toHaveLength(attemptsMax)
    expect((await refusalOf(caller.changePassword({ current: password, next }))).code).toBe(
      'TOO_MANY_REQUESTS',
    )
    expect(await authenticate(database.db, email, password)).toMatchObject({ id })
    await (await as(hashes[1]!)).changePassword({ current: password, next })
  })
})

describe('the partners of an operator', () => {
  test('are listed for operators and selected per page: the session stores no choice', async () => {
    const { hash } = await makeUser('operator')
    expect(await (await as(hash)).partners()).toEqual([{ slug: 'sunline', name: 'Sunline' }])
    expect(await (await as(hash, 'sunline')).me()).toMatchObject({
      partner: null,
      chosenPartner: { slug: 'sunline', name: 'Sunline' },
    })
    expect(await (await as(hash)).me()).toMatchObject({ chosenPartner: null })
    for (const slug of ['nobody', '', 'sun%', '\0', 'x'.repeat(1000)])
      expect((await refusalOf(as(hash, slug))).code).toBe('BAD_REQUEST')
  })

  test.each(['member', 'admin'] as const)('are not available to a %s', async (role) => {
    const { hash } = await makeUser(role)
    const caller = await as(hash, 'sunline')
    expect((await refusalOf(caller.partners())).code).toBe('FORBIDDEN')
    expect(await caller.me()).toMatchObject({ chosenPartner: null })
    expect((await refusalOf(as(hash, 'nobody'))).code).toBe('FORBIDDEN')
  })
})
