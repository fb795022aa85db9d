import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { links, sessions, throttles, users } from '#db/schema/accounts.ts'
import { createUser } from '#e2e/create-user.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { beginSession } from '#e2e/signed-in.ts'
import { everyone } from '../../access/actor.ts'
import { clearSuspended, setSuspended } from '../../partners/store.ts'
import { endAccess } from '../access-store.ts'
import { findLink, replacePassword } from '../link-store.ts'
import { invite, issueLink } from '../link.ts'
import { hashPassword } from '../password.ts'
import type { LinkKind } from '../policy.ts'
import { findSession } from '../session-store.ts'
import { insertPartner } from '../store.ts'
import { deleteUser, lockInvited } from '../team-store.ts'
import { countAttempt } from '../throttle-store.ts'
import { isRecorded, limits } from '../throttle.ts'
import { findUser } from '../user-store.ts'
import { type SigningIn, hashText } from '../user.ts'
import { admit, authenticate, openLink, recordFailure } from './authenticate.ts'

const publicUrl = 'https://deals.example.com'
const password = 'correct horse battery'
const another = 'another long password'
const attemptsMax = limits['sign-in'].max
/** The outcome after too many attempts, with the time to wait. */
const isThrottled = { problem: 'throttled', retryAfterS: expect.any(Number) as number }

const { db } = await openTestDatabase()

/** Creates a member of a new partner. */
async function makeUser() {
  const { id: partnerId } = (await insertPartner(db, crypto.randomUUID(), 'Sunline'))!
  const email = `${crypto.randomUUID()}@sunline.example`
  const { id } = await createUser(db, { email, name: 'Ana', password, role: 'member', partnerId })
  return { id, email, partnerId }
}

async function makeToken(userId: number, kind: LinkKind): Promise<string> {
  return (await issueLink({ db, publicUrl }, userId, kind)).slice(-43)
}

/** Opens a link, and records the passwords that were set. */
const passwordsSet: { userId: number; kind: LinkKind }[] = []
const open = (form: unknown) =>
  openLink(db, form, async (_, user, kind) => void passwordsSet.push({ userId: user.id, kind }))

describe('a password', () => {
  test('signs in its user, and is stored as Argon2id with the configured cost', async () => {
    const { id, email, partnerId } = await makeUser()
    expect(await authenticate(db, ` ${email.toUpperCase()}`, password)).toEqual({
      id,
      email,
      name: 'Ana',
      role: 'member',
      partnerId,
      sessionsEnded: 0,
    })
    expect((await findUser(db, email))!.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('if wrong, looks the same and takes as long as for an unknown user or one without a password', async () => {
    const [{ email: wrong }, { email: without }] = [await makeUser(), await makeUser()]
    await db.$client`update users set password_hash = null where email = ${without}`
    const spentUs: Record<string, number> = { [wrong]: 0, [without]: 0, 'nobody@sunline.example': 0 }
    for (let round = 0; round < 5; round++) {
      for (const email of Object.keys(spentUs)) {
        // Measures processor time, which other processes do not affect.
        const start = process.cpuUsage()
        expect(await authenticate(db, email, 'not the password')).toBe('wrong')
        const { user, system } = process.cpuUsage(start)
        spentUs[email]! += user + system
      }
    }
    expect(Math.min(...Object.values(spentUs))).toBeGreaterThan(spentUs[wrong]! / 2)
  })

  test('is rejected after 20 wrong attempts, for known and unknown e-mail addresses; a success resets the count', async () => {
    const { email: known } = await makeUser()
    for (let attempts = 1; attempts < attemptsMax; attempts++)
      await countAttempt(db, { purpose: 'sign-in', of: [known] })
    expect(await authenticate(db, known, password)).toMatchObject({ name: 'Ana' })
    for (const email of [known, 'unknown@sunline.example']) {
      const outcomes = await Promise.all(
        Array.from({ length: attemptsMax + 5 }, () => authenticate(db, email, 'not the password')),
      )
      expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(attemptsMax)
      expect(outcomes.filter((outcome) => outcome !== 'wrong')).toEqual(Array(5).fill(isThrottled))
      expect(await authenticate(db, email, password)).toEqual(isThrottled)
    }
  })

  test('of an invalid e-mail address is neither counted nor accepted', async () => {
    const before = await db.$count(throttles)
    for (const text of ['no address', '', 'a@b', 'a@b.example\0', `${'x'.repeat(300)}@sunline.example`])
      expect(await authenticate(db, text, password)).toBe('wrong')
    expect(await db.$count(throttles)).toBe(before)
  })

  test('typed in a known browser has its own count: it and other clients cannot lock each other out', async () => {
    const { id, email } = await makeUser()
    const guess = (device: string | null) => authenticate(db, email, 'not the password', device)
    await Promise.all(Array.from({ length: attemptsMax }, () => guess(null)))
    expect(await guess(null)).toEqual(isThrottled)
    expect(await authenticate(db, email, password, 'mine')).toMatchObject({ id })
    const outcomes = await Promise.all(Array.from({ length: attemptsMax + 2 }, () => guess('stolen')))
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(attemptsMax)
    expect(await authenticate(db, email, password, 'stolen')).toEqual(isThrottled)
    expect(await authenticate(db, email, password, 'mine')).toMatchObject({ id })
    // When the owner signs in from a known browser, other people's attempts are still counted.
    expect(await guess(null)).toEqual(isThrottled)
  })
})

describe('a failed sign-in', () => {
  test('is recorded up to the limit, then at powers of ten, even if concurrent', async () => {
    const { id, email, partnerId } = await makeUser()
    const recorded: number[] = []
    const fail = () =>
      recordFailure(db, ` ${email.toUpperCase()}`, async (user, attempts) => {
        expect(user).toMatchObject({ id, email, partnerId })
        recorded.push(attempts)
      })
    await Promise.all(Array.from({ length: 120 }, fail))
    const first = Array.from({ length: 21 }, (_, index) => index + 1)
    expect(recorded.toSorted((a, b) => a - b)).toEqual([...first, 100])
    expect([1000, 1001, 10_000].map(isRecorded)).toEqual([true, false, true])
  })

  test('with an unknown e-mail address is not recorded', async () => {
    for (const typed of ['nobody@sunline.example', 'my password', '', '\0'])
      await recordFailure(db, typed, async () => expect.fail('was recorded'))
  })
})

describe('a link', () => {
  test.each([
    ['invitation', 'Nia  Okafor', another],
    ['reset', 'Ana', another],
    ['sign-in', 'Ana', password],
  ] as const)(
    'for %s works once, even if opened concurrently, but not while the partner is suspended',
    async (kind, name, current) => {
      const { id, email, partnerId } = await makeUser()
      const form = { token: await makeToken(id, kind), name: ' Nia  Okafor ', password: another }
      await db.transaction((tx) => setSuspended(tx, partnerId))
      expect(await open(form)).toBe('suspended')
      await db.transaction((tx) => clearSuspended(tx, partnerId))
      passwordsSet.length = 0
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => open(form)))
      const user = { id, email, name, role: 'member', partnerId, sessionsEnded: expect.any(Number) as number }
      expect(outcomes.filter((outcome) => outcome !== 'expired')).toEqual([user])
      expect(await authenticate(db, email, current)).toEqual(user)
      expect(passwordsSet).toEqual(kind === 'sign-in' ? [] : [{ userId: id, kind }])
    },
  )

  test('that is expired, replaced or unknown, or of a removed user, does not sign in', async () => {
    const { id, partnerId } = await makeUser()
    const expired = await makeToken(id, 'reset')
    await db.$client`update links set expires_at = now() where user_id = ${id}`
    const [replaced, newest] = [await makeToken(id, 'sign-in'), await makeToken(id, 'sign-in')]
    for (const token of [expired, replaced, '', 'x'.repeat(43), '\0', "' or true --", hashText(newest)]) {
      expect(await findLink(db, hashText(token))).toBeUndefined()
      expect(await open({ token, password: another })).toBe('expired')
    }
    for (const form of [null, {}, { token: 1 }, { token: ['a'] }]) expect(await open(form)).toBe('expired')
    expect(await findLink(db, hashText(newest))).toBeDefined()
    await deleteUser(db, partnerId, id)
    expect(await open({ token: newest })).toBe('expired')
  })

  test('stays usable after an invalid password or name, or a failed audit entry', async () => {
    const { id, email } = await makeUser()
    const token = await makeToken(id, 'invitation')
    for (const form of [
      {},
      { password: 'elevenchars' },
      { password: 'x'.repeat(257) },
      { password: another, name: ' ' },
      { password: another, name: 'a\nb' },
      { password: another, name: 'x'.repeat(101) },
    ])
      expect(await open({ token, ...form })).toBe('invalid')
    const failing = openLink(db, { token, password: another }, () => Promise.reject(new Error('not written')))
    await expect(failing).rejects.toThrow('not written')
    expect(await authenticate(db, email, password)).toMatchObject({ id })
    expect(await open({ token, password: another, name: '<script>' })).toMatchObject({ name: '<script>' })
  })
})

describe('a session', () => {
  test('is valid until it expires; expired sessions are deleted', async () => {
    const { id, partnerId } = await makeUser()
    const expiresAt = new Date(Date.now() + 60_000)
    const live = (await beginSession(db, id, { expiresAt }))!
    const expired = (await beginSession(db, id, { expiresAt: new Date(Date.now() - 1) }))!
    expect(await findSession(db, live)).toMatchObject({
      user: { id, role: 'member', partnerId },
      partner: { id: partnerId, name: 'Sunline' },
      expiresAt,
    })
    expect(await findSession(db, expired)).toBeUndefined()
    await beginSession(db, id)
    expect(await db.$count(sessions, sql`hash = ${expired}`)).toBe(0)
  })

  test.each<[string, (user: SigningIn) => Promise<unknown>]>([
    [
      'a password is set by a link',
      async ({ id }) => open({ token: await makeToken(id, 'reset'), password: another }),
    ],
    [
      'the password is changed',
      async ({ id, email }) =>
        replacePassword(db, {
          userId: id,
          from: (await findUser(db, email))!.passwordHash!,
          to: await hashPassword(another),
          keep: '',
        }),
    ],
    ['all sessions are ended', ({ id }) => endAccess(db, { userId: id })],
  ])('does not begin if %s during the sign-in', async (_, end) => {
    const { email } = await makeUser()
    const begun = (await authenticate(db, email, password)) as SigningIn
    await end(begun)
    const { id, sessionsEnded } = (await findUser(db, email))!
    expect(await beginSession(db, id, { sessionsEnded: begun.sessionsEnded })).toBeNull()
    expect(await beginSession(db, id, { sessionsEnded })).not.toBeNull()
  })
})

const issuer = { issuer: 'https://login.example', trustEmail: null }

describe('a first sign-in', () => {
  /** Returns an invited user and the token of the invitation. */
  async function makeInvited() {
    const { id: partnerId } = (await insertPartner(db, crypto.randomUUID(), 'Sunline'))!
    const invited = { email: `${crypto.randomUUID()}@sunline.example`, name: 'new', role: 'member' } as const
    const again = () => invite({ db, publicUrl }, { ...invited, partnerId })
    const token = (await again())!.slice(-43)
    return { email: invited.email, token, again, id: (await findUser(db, invited.email))!.id }
  }

  test.each(['by a mailed link', 'by a provider'])(
    '%s ends the invitation, which can no longer set a password or end a session',
    async (means) => {
      const { id, email, token, again } = await makeInvited()
      const reset = await makeToken(id, 'reset')
      if (means === 'by a mailed link')
        expect(await open({ token: await makeToken(id, 'sign-in') })).toMatchObject({ id })
      else expect(await admit(db, issuer, email, { email, email_verified: true })).toBeNull()
      const session = (await beginSession(db, id))!
      expect(await findLink(db, hashText(token))).toBeUndefined()
      expect(await open({ token, password })).toBe('expired')
      expect(await findSession(db, session)).toBeDefined()
      expect(await authenticate(db, email, password)).toBe('wrong')
      expect(await findLink(db, hashText(reset))).toBeDefined()
      // The user cannot be invited again, even before viewing the first page.
      expect(await again()).toBeUndefined()
      expect(await db.transaction((tx) => lockInvited(tx, everyone, id))).toBeUndefined()
    },
  )

  test('revokes a concurrent invitation', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, again } = await makeInvited()
      await Promise.all([
        beginSession(db, id),
        again(),
        db.transaction(async (tx) => {
          if ((await lockInvited(tx, everyone, id)) !== undefined)
            await issueLink({ db: tx, publicUrl }, id, 'invitation')
        }),
      ])
      expect(await db.$count(links, sql`user_id = ${id}`)).toBe(0)
    }
  })

  test.each([true, false])(
    'by a provider requires an invited, verified e-mail address, later ones only the subject; concurrent: %s',
    async (isConcurrent) => {
      const { email } = await makeUser()
      const subject = `subject of ${email}`
      const claims = { email: email.toUpperCase(), email_verified: true }
      expect(await admit(db, issuer, subject, { email })).toBe('unverified')
      const stranger = { email: 'nobody@sunline.example', email_verified: true }
      expect(await admit(db, issuer, subject, stranger)).toBe('uninvited')
      const first = Array.from({ length: isConcurrent ? 4 : 1 }, () => admit(db, issuer, subject, claims))
      expect(new Set(await Promise.all(first))).toEqual(new Set([null]))
      expect(await admit(db, issuer, subject, undefined)).toBeNull()
      expect(await admit(db, issuer, 'somebody to whom the address has passed', claims)).toBe('uninvited')
      const elsewhere = { ...issuer, issuer: 'https://another.example' }
      expect(await admit(db, elsewhere, 'another subject', claims)).toBeNull()
    },
  )
})

test('the database accepts users only with a lower-case e-mail address and a partner that fits the role', async () => {
  const { partnerId } = await makeUser()
  const user = { email: 'rules@sunline.example', name: 'Ana', role: 'member', partnerId } as const
  for (const change of [
    { email: 'Rules@sunline.example' },
    { partnerId: null },
    { role: 'operator' },
    { role: 'owner' as 'admin' },
  ] as const)
    await expect(db.insert(users).values({ ...user, ...change })).rejects.toThrow()
})
