import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { links, users } from '#db/schema/accounts.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { clearSuspended, setSuspended } from '../../partners/store.ts'
import { endAccess } from '../access-store.ts'
import { findLink, replacePassword } from '../link-store.ts'
import type { LinkKind } from '../link.ts'
import type { Mail } from '../mail/mail.ts'
import type { PartnerId, TenantScope } from '../partner.ts'
import { findSession, insertSession } from '../session-store.ts'
import { insertPartner } from '../store.ts'
import { lockInvited, deleteUser } from '../team/store.ts'
import { findUser } from '../user-store.ts'
import { type SigningIn, hashText } from '../user.ts'
import { authenticate } from './authenticate.ts'
import { createUser } from './create-user.ts'
import { openLink } from './open-link.ts'
import { hashPassword } from './password.ts'
import { admit } from './provider.ts'
import { invite, issueLink, mailLink, sendLink } from './send-link.ts'

const publicUrl = 'https://deals.example.com'
const password = 'correct horse battery'
const another = 'another long password'
let database: TestDatabase
let partnerId: PartnerId

beforeAll(async () => {
  database = await createTestDatabase()
  partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id
})
afterAll(() => database.drop())

let lastUser = 0
const makeUser = () =>
  createUser(database.db, {
    email: `user${++lastUser}@sunline.example`,
    name: 'Ana',
    password,
    role: 'member',
    partnerId,
  })
const beginSession = (userId: number, hash = crypto.randomUUID() as string, sessionsEnded = 0) =>
  insertSession(database.db, { hash, userId, sessionsEnded, expiresAt: new Date(Date.now() + 60_000) })

/** Creates a link for a user and returns its token. */
async function makeToken(userId: number, kind: LinkKind): Promise<string> {
  return tokenOf(await issueLink({ db: database.db, publicUrl }, userId, kind))
}

function tokenOf(link: string): string {
  expect(link).toMatch(/^https:\/\/deals\.example\.com\/link\/[\w-]{43}$/)
  return link.slice(-43)
}

/** Opens a link, and records the passwords that were set. */
const passwordsSet: { userId: number; kind: LinkKind }[] = []
const open = (given: unknown) =>
  openLink(database.db, given, async (_, user, kind) => void passwordsSet.push({ userId: user.id, kind }))

/** Returns a mailer that records all e-mails. */
function makeMailer() {
  const sent: { to: string; mail: Mail }[] = []
  return { sent, send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 }
}

const invited = (email: string, role: 'member' | 'admin' = 'member') => ({
  email,
  name: 'new',
  role,
  partnerId,
})

test('an invitation works once and sets the name and password', async () => {
  const mailer = makeMailer()
  const link = (await invite({ db: database.db, publicUrl }, invited('new@sunline.example')))!
  expect(await mailLink({ db: database.db, mailer }, 'new@sunline.example', link, 'Sunline')).toBe(true)
  expect(mailer.sent).toEqual([
    {
      to: 'new@sunline.example',
      mail: expect.objectContaining({ text: expect.stringContaining(link) as string }),
    },
  ])
  const token = tokenOf(link)
  expect(await findLink(database.db, hashText(token))).toMatchObject({
    kind: 'invitation',
    email: 'new@sunline.example',
    name: 'new',
    partnerName: 'Sunline',
  })
  expect(await authenticate(database.db, 'new@sunline.example', '')).toBe('wrong')
  const user = await open({ token, name: ' Nia  Okafor ', password })
  expect(user).toEqual({
    id: expect.any(Number) as number,
    email: 'new@sunline.example',
    name: 'Nia  Okafor',
    role: 'member',
    partnerId,
    sessionsEnded: 1,
  })
  expect(await open({ token, name: 'Mallory', password: another })).toBe('expired')
  expect(await authenticate(database.db, 'new@sunline.example', password)).toEqual(user)
})

test('an invitation can be resent or changed until accepted, and never changes an existing user', async () => {
  const deps = { db: database.db, publicUrl }
  const first = (await invite(deps, invited('again@sunline.example')))!
  const second = (await invite(deps, invited('again@sunline.example', 'admin')))!
  expect(await open({ token: tokenOf(first), password })).toBe('expired')
  const other = (await insertPartner(database.db, 'other', 'Other'))!
  const another = await invite(deps, { ...invited('again@sunline.example'), partnerId: other.id })
  expect(another).toMatch(/\/link\//)
  expect(
    await invite(deps, { ...invited('again@sunline.example'), role: 'operator', partnerId: null }),
  ).toMatch(/\/link\//)
  expect(await open({ token: tokenOf(second), password })).toMatchObject({ role: 'admin', partnerId })
  expect(await invite(deps, invited('again@sunline.example'))).toBeUndefined()
  const { id } = await makeUser()
  await database.db
    .update(users)
    .set({ passwordHash: null, seenAt: new Date() })
    .where(sql`id = ${id}`)
  expect(await invite(deps, invited(`user${lastUser}@sunline.example`))).toBeUndefined()
})

test('an invitation is mailed at most five times in 15 minutes, and only if there is a mail server', async () => {
  const mailer = makeMailer()
  const mail = (own: typeof mailer | null) =>
    mailLink({ db: database.db, mailer: own }, 'often@sunline.example', `${publicUrl}/link/x`, null)
  for (let time = 0; time < 5; time++) expect(await mail(mailer)).toBe(true)
  expect(await mail(mailer)).toBe(false)
  expect(await mail(null)).toBeNull()
  expect(mailer.sent).toHaveLength(5)
})

test('a reset changes only the password, ends all sessions and invalidates all links', async () => {
  const { id, email } = await makeUser()
  await beginSession(id, 'before')
  const [signIn, reset] = [await makeToken(id, 'sign-in'), await makeToken(id, 'reset')]
  expect(await open({ token: reset, name: 'Mallory', password: another })).toMatchObject({ id, name: 'Ana' })
  expect(await findSession(database.db, 'before')).toBeUndefined()
  expect(await open({ token: signIn })).toBe('expired')
  expect(await authenticate(database.db, email, password)).toBe('wrong')
  expect(await authenticate(database.db, email, another)).toMatchObject({ id })
})

test('a sign-in link works once and changes nothing', async () => {
  const { id, email } = await makeUser()
  await beginSession(id, 'stays')
  const token = await makeToken(id, 'sign-in')
  expect(await open({ token, name: 'Mallory', password: another })).toMatchObject({ id, name: 'Ana' })
  expect(await open({ token })).toBe('expired')
  expect(await findSession(database.db, 'stays')).toBeDefined()
  expect(await authenticate(database.db, email, password)).toMatchObject({ id })
})

test.each(['reset', 'sign-in', 'invitation'] as const)(
  'only one of several concurrent uses of a %s link succeeds',
  async (kind) => {
    const { id } = await makeUser()
    const token = await makeToken(id, kind)
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => open({ token, password: another })))
    expect(outcomes.filter((outcome) => outcome !== 'expired')).toEqual([expect.objectContaining({ id })])
  },
)

test('an expired, replaced or unknown link, or a link of a removed user, does not sign in', async () => {
  const { id } = await makeUser()
  const expired = await makeToken(id, 'reset')
  await database.db
    .update(links)
    .set({ expiresAt: sql`now()` })
    .where(sql`hash = ${hashText(expired)}`)
  const replaced = await makeToken(id, 'sign-in')
  const newest = await makeToken(id, 'sign-in')
  for (const token of [expired, replaced, '', 'x'.repeat(43), '\0', "' or true --", hashText(newest)]) {
    expect(await findLink(database.db, hashText(token))).toBeUndefined()
    expect(await open({ token, password: another })).toBe('expired')
  }
  for (const given of [null, {}, { token: 1 }, { token: ['a'] }]) expect(await open(given)).toBe('expired')
  expect(await findLink(database.db, hashText(newest))).toBeDefined()
  await deleteUser(database.db, partnerId, id)
  expect(await open({ token: newest })).toBe('expired')
})

test('an invalid password or name leaves the link unused', async () => {
  const { id } = await makeUser()
  const token = await makeToken(id, 'invitation')
  for (const given of [
    {},
    { password: 'elevenchars' },
    { password: 'x'.repeat(257) },
    { password, name: ' ' },
    { password, name: 'a\0b' },
    { password, name: 'a\nb' },
    { password, name: 'x'.repeat(101) },
  ]) {
    expect(await open({ token, ...given })).toBe('invalid')
  }
  expect(await open({ token, password, name: '<script>' })).toMatchObject({ id, name: '<script>' })
})

test('the link token is not stored anywhere', async () => {
  const { id } = await makeUser()
  const token = await makeToken(id, 'reset')
  const rows = await database.db.execute(
    sql`select row_to_json(links)::text as row from links where user_id = ${id}`,
  )
  expect(JSON.stringify(rows)).toContain(hashText(token))
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('a requested link is mailed only to users, at most five times in 15 minutes', async () => {
  const { id, email } = await makeUser()
  const mailer = makeMailer()
  const deps = { db: database.db, mailer, publicUrl }
  await sendLink(deps, 'nobody@sunline.example', 'reset')
  expect(mailer.sent).toEqual([])
  await Promise.all(Array.from({ length: 8 }, () => sendLink(deps, email, 'reset')))
  expect(mailer.sent.map(({ to }) => to)).toEqual(Array(5).fill(email))
  await sendLink(deps, email, 'sign-in')
  expect(mailer.sent).toHaveLength(6)
  const tokens = mailer.sent.map(({ mail }) => /link\/([\w-]{43})\n/.exec(mail.text)![1]!)
  const kinds = await Promise.all(
    tokens.map(async (token) => (await findLink(database.db, hashText(token)))?.kind),
  )
  expect(kinds.filter((kind) => kind !== undefined).toSorted()).toEqual(['reset', 'sign-in'])
  expect(await open({ token: tokens[5] })).toMatchObject({ id })
})

test('a link issued by an operator or admin is not replaced by a publicly requested one', async () => {
  const { id, email } = await makeUser()
  const mailer = makeMailer()
  const deps = { db: database.db, mailer, publicUrl }
  const issued = await makeToken(id, 'reset')
  await Promise.all(Array.from({ length: 3 }, () => sendLink(deps, email, 'reset')))
  expect(await findLink(database.db, hashText(issued))).toMatchObject({ kind: 'reset' })
  const requested = mailer.sent.map(({ mail }) => /link\/([\w-]{43})\n/.exec(mail.text)![1]!)
  const usable = await Promise.all(
    requested.map(async (token) => (await findLink(database.db, hashText(token))) !== undefined),
  )
  expect(usable.filter(Boolean)).toHaveLength(1)
  // A link issued by an admin replaces all earlier links.
  const newest = await makeToken(id, 'reset')
  for (const token of [issued, ...requested]) expect(await open({ token, password: another })).toBe('expired')
  expect(await open({ token: newest, password: another })).toMatchObject({ id })
})

describe('a sign-in in progress', () => {
  test.each<[string, (user: SigningIn) => Promise<unknown>]>([
    [
      'a password is set by a link',
      async ({ id }) => open({ token: await makeToken(id, 'reset'), password: another }),
    ],
    [
      'the password is changed',
      async ({ id, email }) =>
        replacePassword(database.db, {
          userId: id,
          from: (await findUser(database.db, email))!.passwordHash!,
          to: await hashPassword(another),
          keep: '',
        }),
    ],
    ['all sessions are ended', ({ id }) => endAccess(database.db, { userId: id })],
  ])('no session begins if %s', async (_, end) => {
    const { email } = await makeUser()
    const begun = (await authenticate(database.db, email, password)) as SigningIn
    await end(begun)
    const { id, sessionsEnded } = (await findUser(database.db, email))!
    expect(await beginSession(id, undefined, begun.sessionsEnded)).toBe(false)
    expect(await beginSession(id, undefined, sessionsEnded)).toBe(true)
  })
})

describe('a first sign-in', () => {
  /** Returns an invited user and the token of the invitation. */
  async function makeInvited() {
    const email = `user${++lastUser}@sunline.example`
    const token = tokenOf((await invite({ db: database.db, publicUrl }, invited(email)))!)
    return { email, token, id: (await findUser(database.db, email))!.id }
  }

  test.each(['by a mailed link', 'by a provider'])(
    '%s ends the invitation, which can no longer set a password or end a session',
    async (means) => {
      const { id, email, token } = await makeInvited()
      if (means === 'by a mailed link') {
        const mailer = makeMailer()
        await sendLink({ db: database.db, mailer, publicUrl }, email, 'sign-in')
        expect(
          await open({ token: /link\/([\w-]{43})\n/.exec(mailer.sent[0]!.mail.text)![1] }),
        ).toMatchObject({ id })
      } else {
        expect(
          await admit(database.db, { issuer: 'https://login.example', trustEmail: null }, email, {
            email,
            email_verified: true,
          }),
        ).toBeNull()
      }
      await beginSession(id, `first of ${email}`)
      expect(await findLink(database.db, hashText(token))).toBeUndefined()
      expect(await open({ token, password })).toBe('expired')
      expect(await findSession(database.db, `first of ${email}`)).toBeDefined()
      expect(await authenticate(database.db, email, password)).toBe('wrong')
      // The user cannot be invited again, even before viewing the first page.
      expect(await invite({ db: database.db, publicUrl }, invited(email))).toBeUndefined()
      expect(await database.db.transaction((tx) => lockInvited(tx, 0 as TenantScope, id))).toBeUndefined()
    },
  )

  test('revokes a concurrent invitation', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, email } = await makeInvited()
      await Promise.all([
        beginSession(id),
        invite({ db: database.db, publicUrl }, invited(email)),
        database.db.transaction(async (tx) => {
          if ((await lockInvited(tx, 0 as TenantScope, id)) !== undefined)
            await issueLink({ db: tx, publicUrl }, id, 'invitation')
        }),
      ])
      expect(await database.db.$count(links, sql`user_id = ${id}`)).toBe(0)
    }
  })

  test('keeps links requested afterwards; signing out everywhere ends all links', async () => {
    const { id } = await makeUser()
    const tokens = [await makeToken(id, 'reset'), await makeToken(id, 'sign-in')]
    await beginSession(id)
    for (const token of tokens) expect(await findLink(database.db, hashText(token))).toBeDefined()
    await endAccess(database.db, { userId: id })
    for (const token of tokens) expect(await open({ token, password: another })).toBe('expired')
  })
})

test('audits a password set by link in the same transaction, with the kind of link; sign-ins are not audited', async () => {
  const { id, email } = await makeUser()
  passwordsSet.length = 0
  await open({ token: await makeToken(id, 'sign-in') })
  for (const kind of ['invitation', 'reset'] as const)
    await open({ token: await makeToken(id, kind), password: another })
  expect(passwordsSet).toEqual([
    { userId: id, kind: 'invitation' },
    { userId: id, kind: 'reset' },
  ])
  const token = await makeToken(id, 'reset')
  const failing = openLink(database.db, { token, password }, () => Promise.reject(new Error('not written')))
  await expect(failing).rejects.toThrow('not written')
  expect(await authenticate(database.db, email, another)).toMatchObject({ id })
  expect(await open({ token, password })).toMatchObject({ id })
})

test.each(['sign-in', 'reset'] as const)(
  'a %s link of a suspended partner is rejected, and works again once the partner is resumed',
  async (kind) => {
    const { db } = database
    const { id: suspendedId } = (await insertPartner(db, `suspended-${kind}`, 'Suspended'))!
    const user = await createUser(db, {
      email: `ana@suspended-${kind}.example`,
      name: 'Ana',
      password,
      role: 'member',
      partnerId: suspendedId,
    })
    const given = { token: await makeToken(user.id, kind), password: another }
    await db.transaction((tx) => setSuspended(tx, suspendedId))
    expect(await open(given)).toBe('suspended')
    await db.transaction((tx) => clearSuspended(tx, suspendedId))
    expect(await open(given)).toMatchObject({ id: user.id })
  },
)
