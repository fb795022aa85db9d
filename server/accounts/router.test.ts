import { asc, eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { links, users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { createUser } from '#e2e/create-user.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { beginSession, contextOf, refusalOf } from '#e2e/signed-in.ts'
import type { Services } from '../runtime/services.ts'
import { issueLink } from './link.ts'
import type { Mail } from './mail.ts'
import type { LinkKind } from './policy.ts'
import type { Role } from './role.ts'
import { accountsRouter } from './router.ts'
import { findSession } from './session-store.ts'
import { AnonymousLimit, anonymousRates } from './sign-in/anonymous-limit.ts'
import { authenticate } from './sign-in/authenticate.ts'
import { type Partner, insertPartner } from './store.ts'
import { limits } from './throttle.ts'
import { saveInvited } from './user-store.ts'
import { hashText } from './user.ts'

const attemptsMax = limits['password-change'].max
const password = 'correct horse battery'
const publicUrl = 'https://deals.example.com'
const sent: { to: string; mail: Mail }[] = []
const underway: Promise<unknown>[] = []
const database = await openTestDatabase()
let services: Services
let partner: Partner
beforeAll(async () => {
  partner = (await insertPartner(database.db, 'sunline', 'Sunline'))!
  services = {
    db: database.db,
    config: { publicUrl, oidc: null },
    mailer: { send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 },
    anonymous: new AnonymousLimit(),
    background: ((_kind, _key, run) => underway.push(run()) > 0) satisfies Services['background'],
  } as unknown as Services
})

const anybody = (own: Services = services) =>
  accountsRouter.createCaller({ services: own, actor: null, ifNoneMatch: () => false })

/** Returns the procedures as seen by a browser with this session that views the partner `slug`. */
const as = async (hash: string, slug: string | null = null) =>
  accountsRouter.createCaller(await contextOf(services, hash, slug))

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
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'
  const hashes: string[] = []
  while (hashes.length < browsers) hashes.push((await beginSession(database.db, user.id, { userAgent }))!)
  return { ...user, hashes, hash: hashes[0]! }
}

const codeOf = async (asked: Promise<unknown>) => (await refusalOf(asked)).code

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

  test('sees who a link belongs to', async () => {
    const { id, email } = await makeUser()
    const token = (await issueLink({ db: database.db, publicUrl }, id, 'reset')).slice(-43)
    const shown = { kind: 'reset', email, name: 'Ana', partnerName: 'Sunline' }
    expect(await anybody().link({ token })).toEqual(shown)
    for (const unknown of [`${token}x`, 'x'.repeat(100_000)])
      expect(await refusalOf(anybody().link({ token: unknown }))).toMatchObject({ code: 'NOT_FOUND' })
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
    const invited = { email: 'late@sunline.example', name: 'New', role: 'member' } as const
    const { id } = (await saveInvited(database.db, { ...invited, partnerId: partner.id }))!
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
    expect(
      await refusalOf(anybody().requestReset({ email: 'a@b.example\r\nBcc: c@d.example' })),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      errors: ['email: must be an e-mail address'],
    })
  })

  test('is throttled per network before any lookup', async () => {
    const own = {
      ...services,
      db: new Proxy({}, { get: (_, name) => expect.fail(`queried the database: ${String(name)}`) }),
      anonymous: new AnonymousLimit(),
      background: () => true,
    } as unknown as Services
    const from = (address: string) =>
      accountsRouter.createCaller({
        services: own,
        actor: null,
        client: { address, agent: '' },
        ifNoneMatch: () => false,
      })
    for (const work of ['link-request', 'sign-in'] as const)
      for (let count = 0; count < anonymousRates[work].network.burst; count++)
        own.anonymous.countWork(work, '203.0.113.9', performance.now())
    for (const call of [
      from('203.0.113.9').requestReset({ email: 'a@b.example' }),
      from('203.0.113.9').link({ token: 'x' }),
      from('203.0.113.9').inviters({ token: 'x' }),
    ])
      expect(await refusalOf(call)).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        headers: { 'Retry-After': expect.any(String) as string },
      })
    expect(await from('203.0.113.10').requestReset({ email: 'a@b.example' })).toEqual({})
  })

  test('triggers no reset or sign-in link if mail cannot be sent', async () => {
    const { email } = await makeUser()
    const own = { ...services, mailer: null, background: () => expect.fail('started') }
    expect(await anybody(own).requestReset({ email })).toEqual({})
  })

  test('can read and change nothing else', async () => {
    const caller = anybody()
    const calls = [
      caller.me(),
      caller.sessions(),
      caller.signOutEverywhere(),
      caller.rename({ name: 'x' }),
      caller.endSession({ id: '0'.repeat(16) }),
      caller.changePassword({ current: password, next: password }),
      caller.partners(),
    ]
    for (const answer of calls) expect(await codeOf(answer)).toBe('UNAUTHORIZED')
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
      expect(await codeOf((await as(hash)).rename({ name }))).toBe('BAD_REQUEST')
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
    expect(await codeOf(asMember.setPartnerTimeZone({ timeZone: null }))).toBe('FORBIDDEN')
    expect(await codeOf(asMember.setTimeZone({ timeZone: 'PST' }))).toBe('BAD_REQUEST')
    await (await as(admin.hash)).setPartnerTimeZone({ timeZone: null })
  })

  test("sees their own sessions and ends one, but not another user's", async () => {
    const [mine, theirs] = [await makeUser('member', 2), await makeUser()]
    const [thisHash, otherHash] = mine.hashes as [string, string]
    const caller = await as(thisHash)
    const sessions = await caller.sessions()
    expect(
      sessions
        .map(({ id, isThis, browser }) => ({ id, isThis, browser }))
        .toSorted((a) => (a.isThis ? -1 : 1)),
    ).toEqual([
      { id: thisHash.slice(0, 16), isThis: true, browser: 'Firefox on Linux' },
      { id: otherHash.slice(0, 16), isThis: false, browser: 'Firefox on Linux' },
    ])
    expect(JSON.stringify(sessions)).not.toContain(thisHash)
    await caller.endSession({ id: otherHash.slice(0, 16) })
    expect(await refusalOf((await as(otherHash)).me())).toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await caller.sessions()).toHaveLength(1)
    expect(await codeOf(caller.endSession({ id: theirs.hash.slice(0, 16) }))).toBe('NOT_FOUND')
    for (const id of ['', '%', '_'.repeat(16), '%'.repeat(16), theirs.hash, "0' or '1'='1"])
      expect(await codeOf(caller.endSession({ id }))).toBe('BAD_REQUEST')
    expect(await findSession(database.db, theirs.hash)).toBeDefined()
  })
})

test('changes their own account with an audit entry, which for operators has no partner', async () => {
  for (const role of ['member', 'operator'] as const) {
    const { id, email, hashes } = await makeUser(role, 3)
    const caller = await as(hashes[0]!, 'sunline')
    await caller.rename({ name: 'Kim' })
    await caller.endSession({ id: hashes[1]!.slice(0, 16) })
    await caller.changePassword({ current: password, next: 'another long password' })
    expect(await findSession(database.db, hashes[0]!)).toBeDefined()
    expect(await findSession(database.db, hashes[2]!)).toBeUndefined()
    await refusalOf(caller.changePassword({ current: 'wrong', next: 'another long password' }))
    await refusalOf(caller.endSession({ id: '0'.repeat(16) }))
    await caller.signOutEverywhere()
    expect(await findSession(database.db, hashes[0]!)).toBeUndefined()
    const entries = await database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.userId, id))
      .orderBy(asc(auditEntries.id))
    const entry = { who: email, partnerId: role === 'operator' ? null : partner.id }
    expect(entries).toMatchObject([
      { ...entry, action: 'account.renamed', subject: 'Kim' },
      { ...entry, action: 'account.session-ended', subject: 'Firefox on Linux' },
      { ...entry, action: 'account.password-changed', subject: '' },
      { ...entry, action: 'account.signed-out', subject: '' },
    ])
    expect(await authenticate(database.db, email, 'another long password')).toMatchObject({ id })
  }
})

describe('changing a password', () => {
  const next = 'another long password'

  test('fails without the current password or with one that is too short', async () => {
    const { hash } = await makeUser()
    const caller = await as(hash)
    expect(await refusalOf(caller.changePassword({ current: 'not the password', next }))).toMatchObject({
      code: 'BAD_REQUEST',
      errors: ['current: is not your password'],
    })
    expect(await refusalOf(caller.changePassword({ current: password, next: 'elevenchars' }))).toMatchObject({
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
        codeOf(caller.changePassword({ current: 'not the password', next })),
      ),
    )
    expect(guesses.filter((code) => code === 'BAD_REQUEST')).toHaveLength(attemptsMax)
    expect(await codeOf(caller.changePassword({ current: password, next }))).toBe('TOO_MANY_REQUESTS')
    expect(await authenticate(database.db, email, password)).toMatchObject({ id })
    await (await as(hashes[1]!)).changePassword({ current: password, next })
  })
})

test('lists all partners for operators only', async () => {
  const ask = async (role: Role) => (await as((await makeUser(role)).hash)).partners()
  expect(await ask('operator')).toEqual([{ slug: 'sunline', name: 'Sunline' }])
  for (const role of ['member', 'admin'] as const) expect(await codeOf(ask(role))).toBe('FORBIDDEN')
})
