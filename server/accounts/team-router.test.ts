import { desc, eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import { views } from '#db/schema/views.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { beginSession, contextOf, refusalOf } from '#e2e/signed-in.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { findLink } from './link-store.ts'
import type { Mail } from './mail.ts'
import { openInvitationsMax } from './policy.ts'
import type { Role } from './role.ts'
import { findSession } from './session-store.ts'
import { openLink } from './sign-in/authenticate.ts'
import { type Partner, insertPartner } from './store.ts'
import { teamRouter } from './team-router.ts'
import { findUser, saveUser } from './user-store.ts'
import { hashText } from './user.ts'

const publicUrl = 'https://deals.example.com'
const sent: { to: string; mail: Mail }[] = []
const database = await openTestDatabase()
let partner: Partner
let other: Partner
const services = { db: database.db, config: { publicUrl }, mailer: null } as unknown as Services
beforeEach(async () => {
  await database.db.execute(sql`delete from users where role = 'operator'`)
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  partner = (await insertPartner(database.db, first, 'Sunline'))!
  other = (await insertPartner(database.db, second, 'Ridgeline'))!
})

const mailed = { mailer: { send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 } }
const unmailed = { mailer: { send: async () => false } }

/** Returns the procedures as seen by a browser with this session that views the partner `chosen`. */
async function as(
  { hash }: { hash: string },
  { chosen = null, ...more }: { chosen?: Partner | null; mailer?: unknown } = {},
) {
  const own = { ...services, ...more } as Services
  return teamRouter.createCaller(await contextOf(own, hash, chosen?.slug))
}

/** Creates a user who has joined and is signed in. */
async function makeUser(
  role: Role = 'member',
  whose: Partner | null = role === 'operator' ? null : partner,
  name = 'Ana Lopez',
) {
  const email = `${crypto.randomUUID()}@team.example`
  const user = { email, name, role, partnerId: whose?.id ?? null }
  const { id } = await saveUser(database.db, { ...user, passwordHash: 'set' })
  return { ...user, id, hash: (await beginSession(database.db, id))! }
}

const makeEmail = () => `${crypto.randomUUID()}@new.example`
const newMember = () => ({ email: makeEmail(), name: 'A', role: 'member' as const })

/** Opens an invitation link with a new password. Returns the user, or the reason for a failure. */
const accept = (link: string) =>
  openLink(database.db, { token: link.slice(-43), password: 'correct horse battery' }, async () => {})

const codeOf = async (asked: Promise<unknown>) => (await refusalOf(asked)).code

async function newestEntry() {
  const [entry] = await database.db.select().from(auditEntries).orderBy(desc(auditEntries.id)).limit(1)
  return entry && { action: entry.action, subject: entry.subject, partnerId: entry.partnerId, who: entry.who }
}

const everybody = { search: '', isInvited: false }
const roleOf = async (id: number) =>
  (await database.db.select({ role: users.role }).from(users).where(eq(users.id, id)))[0]?.role

describe('the user list', () => {
  test('lists users and invitations separately for an admin', async () => {
    const admin = await makeUser('admin')
    const member = await makeUser()
    await makeUser('member', other)
    const caller = await as(admin)
    const invited = await caller.invite({ email: makeEmail(), name: 'Ben', role: 'member' })
    const { people, next } = await caller.list(everybody)
    expect(people.map(({ id, isLast }) => [id, isLast]).toSorted()).toEqual([
      [admin.id, true],
      [member.id, false],
    ])
    expect(next).toBeNull()
    expect((await caller.list({ ...everybody, isInvited: true })).people).toEqual([
      {
        id: expect.any(Number),
        email: invited.email,
        name: 'Ben',
        role: 'member',
        seenAt: null,
        isLast: false,
        partner: { slug: partner.slug, name: 'Sunline' },
        invitedAt: expect.any(Date),
        linkUntil: expect.any(Date),
      },
    ])
    await database.db.execute(
      sql`update links set expires_at = now() where user_id = (select id from users where email = ${invited.email})`,
    )
    expect((await caller.list({ ...everybody, isInvited: true })).people[0]).toMatchObject({
      invitedAt: expect.any(Date),
      linkUntil: null,
    })
    expect(await codeOf(caller.list({ ...everybody, partner: other.slug }))).toBe('FORBIDDEN')
  })

  test('lists users of all partners, one partner or the installer for an operator, by part of a name or e-mail address, in pages', async () => {
    const operator = await makeUser('operator')
    const ana = await makeUser('admin', partner, 'Ana 100% Lopez')
    const ben = await makeUser('member', other, 'Ben')
    const caller = await as(operator)
    const idsOf = async (given: object) =>
      (await caller.list({ ...everybody, ...given })).people.map(({ id }) => id)
    expect(await idsOf({})).toEqual(expect.arrayContaining([operator.id, ana.id, ben.id]))
    expect(await idsOf({ partner: partner.slug })).toEqual([ana.id])
    expect(await idsOf({ partner: null })).toEqual([operator.id])
    expect(await idsOf({ search: ' 100% LOP ' })).toEqual([ana.id])
    expect(await idsOf({ search: ben.email.slice(3, 20) })).toEqual([ben.id])
    expect(await idsOf({ search: '_' })).toEqual([])
    expect(await codeOf(caller.list({ ...everybody, partner: 'nobody' }))).toBe('BAD_REQUEST')
    expect(await codeOf(caller.list({ ...everybody, search: '\0' }))).toBe('BAD_REQUEST')
    const chosen = await as(operator, { chosen: other })
    expect((await chosen.list(everybody)).people.map(({ id }) => id)).toEqual([ben.id])
    for (let count = 0; count < 51; count++) await makeUser()
    const first = await caller.list({ ...everybody, partner: partner.slug })
    const second = await caller.list({ ...everybody, partner: partner.slug, cursor: first.next })
    expect([first.people.length, second.people.length, second.next]).toEqual([50, 2, null])
    expect(new Set([...first.people, ...second.people].map(({ id }) => id)).size).toBe(52)
  })
})

test('is unavailable to members, as is every action', async () => {
  const [member, admin] = [await makeUser(), await makeUser('admin')]
  const caller = await as(member)
  const calls = [
    caller.list(everybody),
    caller.invite(newMember()),
    caller.inviteAgain({ id: 1 }),
    caller.changeRole({ id: member.id, role: 'admin', evenLast: true }),
    caller.remove({ id: admin.id, evenLast: true }),
    caller.reset({ id: admin.id }),
  ]
  expect(new Set(await Promise.all(calls.map(codeOf)))).toEqual(new Set(['FORBIDDEN']))
  expect(await codeOf((await as({ hash: 'none' })).list(everybody))).toBe('UNAUTHORIZED')
})

describe('an invitation', () => {
  test('is mailed, or its link is returned if mailing failed; the link works, and so does a new link', async () => {
    const caller = await as(await makeUser('admin'), mailed)
    const email = makeEmail()
    expect(await caller.invite({ email: ` ${email.toUpperCase()}`, name: 'Ben', role: 'admin' })).toEqual({
      email,
      link: null,
    })
    expect(sent.at(-1)).toMatchObject({
      to: email,
      mail: { text: expect.stringContaining('Sunline invited you') as string },
    })
    expect(await newestEntry()).toMatchObject({
      action: 'user.invited',
      subject: `${email} (admin)`,
      partnerId: partner.id,
    })
    const { id } = (await findUser(database.db, email))!
    const first = /link\/([\w-]{43})/.exec(sent.at(-1)!.mail.text)![1]!
    for (const own of [unmailed, { mailer: null }]) {
      const { link } = await (await as(await makeUser('admin'), own)).inviteAgain({ id })
      expect(link).toMatch(/^https:\/\/deals\.example\.com\/link\/[\w-]{43}$/)
      expect(await newestEntry()).toMatchObject({ action: 'user.invited', subject: `${email} (admin)` })
      expect(await findLink(database.db, hashText(first))).toBeUndefined()
      expect(await findLink(database.db, hashText(link!.slice(-43)))).toMatchObject({
        kind: 'invitation',
        email,
      })
    }
    const { link } = await caller
      .inviteAgain({ id })
      .then(async () => (await as(await makeUser('admin'))).inviteAgain({ id }))
    expect(await accept(link!)).toMatchObject({ id, role: 'admin', partnerId: partner.id })
    expect(await codeOf(caller.inviteAgain({ id }))).toBe('NOT_FOUND')
  })

  test("by one partner never blocks or replaces another partner's; the first to be accepted counts", async () => {
    const [ours, theirs] = [await as(await makeUser('admin')), await as(await makeUser('admin', other))]
    const email = makeEmail()
    const first = await ours.invite({ email, name: 'Ben', role: 'member' })
    const second = await theirs.invite({ email, name: 'Benjamin', role: 'admin' })
    // Each team sees only its own invitation.
    for (const [caller, name] of [
      [ours, 'Ben'],
      [theirs, 'Benjamin'],
    ] as const)
      expect((await caller.list({ ...everybody, isInvited: true })).people).toMatchObject([{ email, name }])
    expect(await findUser(database.db, email)).toMatchObject({ partnerId: partner.id })
    // When this invitation expires, the other partner's invitation takes effect.
    await database.db.execute(
      sql`update links set expires_at = now() - interval '1 second' where hash = ${hashText(first.link!.slice(-43))}`,
    )
    expect(await findUser(database.db, email)).toMatchObject({ partnerId: other.id })
    const again = await ours.inviteAgain({
      id: (await ours.list({ ...everybody, isInvited: true })).people[0]!.id,
    })
    const outcomes = await Promise.all([accept(again.link!), accept(second.link!)])
    expect(outcomes.filter((outcome) => outcome === 'expired')).toHaveLength(1)
    const joined = outcomes.find((outcome) => typeof outcome === 'object')!
    expect(await findUser(database.db, email)).toMatchObject({ id: joined.id, partnerId: joined.partnerId })
    const loser = joined.partnerId === partner.id ? theirs : ours
    expect((await refusalOf(loser.invite({ email, name: 'B', role: 'member' }))).errors).toEqual([
      'email: cannot be invited here: use another one',
    ])
  })

  test('is rejected beyond 50 open invitations, not counting expired ones', async () => {
    const admin = await makeUser('admin')
    const caller = await as(admin)
    const [partnerId, many] = [partner.id, openInvitationsMax]
    await database.db.execute(sql`with invited as (
        insert into users (email, name, role, partner_id)
        select ${partner.slug} || n || '@new.example', 'B', 'member', ${partnerId} from generate_series(1, ${many - 1}::integer) n
        returning id)
      insert into links (hash, user_id, kind, expires_at)
        select ${partner.slug} || id, id, 'invitation', now() + interval '1 hour' from invited`)
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => caller.invite(newMember())))
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(refused.map(({ reason }) => toApiError(reason))).toMatchObject(
      Array(2).fill({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('50 open invitations') as string,
      }),
    )
    const { people } = await caller.list({ ...everybody, isInvited: true })
    await caller.inviteAgain({ id: people[0]!.id })
    await database.db.execute(sql`update links set expires_at = now() where user_id = ${people[0]!.id}`)
    await caller.invite(newMember())
    expect(await codeOf(caller.inviteAgain({ id: people[0]!.id }))).toBe('BAD_REQUEST')
  })

  test('reveals to operators only which team an e-mail address belongs to', async () => {
    const [admin, theirs] = [await makeUser('admin'), await makeUser('member', other)]
    const operator = await makeUser('operator')
    const count = () => database.db.$count(auditEntries)
    const before = await count()
    const caller = await as(admin)
    const errorsOf = async (asked: Promise<unknown>) => (await refusalOf(asked)).errors
    expect(await errorsOf(caller.invite({ email: admin.email, name: 'A', role: 'member' }))).toEqual([
      'email: is on the team already',
    ])
    for (const { email } of [theirs, operator])
      expect(await errorsOf(caller.invite({ email, name: 'A', role: 'member' }))).toEqual([
        'email: cannot be invited here: use another one',
      ])
    const boss = await as(operator)
    expect(
      await errorsOf(boss.invite({ email: theirs.email, name: 'A', role: 'member', partner: partner.slug })),
    ).toEqual(['email: belongs to Ridgeline already'])
    expect(
      await errorsOf(
        boss.invite({ email: operator.email, name: 'A', role: 'member', partner: partner.slug }),
      ),
    ).toEqual(["email: belongs to the installer's staff already"])
    expect(await count()).toBe(before)
  })

  test('by an operator is for the given partner, the viewed partner, or the installer', async () => {
    const operator = await makeUser('operator')
    const [all, chosen] = [await as(operator), await as(operator, { chosen: other })]
    const invitedTo = async (invitation: Promise<{ email: string }>) => {
      const { partnerId, role } = (await findUser(database.db, (await invitation).email))!
      return [partnerId, role]
    }
    expect(await invitedTo(all.invite({ ...newMember(), role: 'admin', partner: partner.slug }))).toEqual([
      partner.id,
      'admin',
    ])
    expect(await invitedTo(all.invite({ ...newMember(), partner: null }))).toEqual([null, 'operator'])
    expect((await newestEntry())!.partnerId).toBeNull()
    expect(await invitedTo(chosen.invite(newMember()))).toEqual([other.id, 'member'])
    expect(await refusalOf(all.invite(newMember()))).toMatchObject({
      code: 'BAD_REQUEST',
      errors: ['partner: must be given'],
    })
    expect(await codeOf(chosen.invite({ ...newMember(), partner: partner.slug }))).toBe('FORBIDDEN')
    const asAdmin = await as(await makeUser('admin'))
    expect(await codeOf(asAdmin.invite({ ...newMember(), role: 'operator' as 'member' }))).toBe('BAD_REQUEST')
  })
})

describe('a role change and a removal', () => {
  test('take effect immediately in open sessions, and are audited', async () => {
    const [admin, member] = [await makeUser('admin'), await makeUser()]
    const caller = await as(admin)
    await caller.changeRole({ id: member.id, role: 'admin', evenLast: false })
    expect(await newestEntry()).toEqual({
      action: 'user.role-changed',
      subject: `${member.email} (member → admin)`,
      partnerId: partner.id,
      who: admin.email,
    })
    await (await as(member)).list(everybody)
    await caller.changeRole({ id: member.id, role: 'member', evenLast: false })
    expect(await codeOf((await as(member)).list(everybody))).toBe('FORBIDDEN')
    await caller.remove({ id: member.id, evenLast: false })
    expect(await newestEntry()).toEqual({
      action: 'user.removed',
      subject: `${member.email} (member)`,
      partnerId: partner.id,
      who: admin.email,
    })
    expect(await findSession(database.db, member.hash)).toBeUndefined()
    expect(await codeOf(caller.remove({ id: member.id, evenLast: false }))).toBe('NOT_FOUND')
  })

  test('transfer shared views to the remover or an admin, and delete private views', async () => {
    const [admin, operator] = [await makeUser('admin'), await makeUser('operator')]
    const [ben, cleo] = [await makeUser(), await makeUser()]
    const view = (userId: number, name: string, isShared = true) => ({
      userId,
      name,
      isShared,
      query: 'q=1',
      partnerId: partner.id,
    })
    await database.db
      .insert(views)
      .values([
        view(admin.id, 'Late'),
        view(ben.id, 'Late'),
        view(ben.id, 'Ready'),
        view(ben.id, 'Mine', false),
        view(cleo.id, 'Quiet'),
      ])
    const ofAdmin = async () =>
      (await database.db.select().from(views).where(eq(views.userId, admin.id)).orderBy(views.name)).map(
        ({ name, isShared }) => [name, isShared],
      )
    await (await as(admin)).remove({ id: ben.id, evenLast: false })
    expect(await ofAdmin()).toEqual([
      ['Late', true],
      [`Late (${ben.name})`, true],
      ['Ready', true],
    ])
    await (await as(operator)).remove({ id: cleo.id, evenLast: false })
    expect((await ofAdmin()).map(([name]) => name)).toContain('Quiet')
    expect(await database.db.$count(views, eq(views.name, 'Mine'))).toBe(0)
  })

  test("affect no user of another partner or of the installer's staff", async () => {
    const [admin, theirs] = [await makeUser('admin'), await makeUser('member', other)]
    const operator = await makeUser('operator')
    const [caller, chosen] = [await as(admin), await as(operator, { chosen: partner })]
    for (const [actor, id] of [
      [caller, theirs.id],
      [caller, operator.id],
      [chosen, theirs.id],
      [chosen, operator.id],
      [caller, 2_000_000_000],
    ] as const) {
      expect(await codeOf(actor.changeRole({ id, role: 'admin', evenLast: true }))).toBe('NOT_FOUND')
      expect(await codeOf(actor.remove({ id, evenLast: true }))).toBe('NOT_FOUND')
      expect(await codeOf(actor.inviteAgain({ id }))).toBe('NOT_FOUND')
    }
    expect(await codeOf(chosen.reset({ id: theirs.id }))).toBe('NOT_FOUND')
    expect(await roleOf(theirs.id)).toBe('member')
  })

  test('keep one active admin, unless an operator confirms', async () => {
    const [admin, operator] = [await makeUser('admin'), await makeUser('operator')]
    const caller = await as(admin)
    // Users who are still invited cannot manage anything.
    const { email } = await caller.invite({ email: makeEmail(), name: 'B', role: 'admin' })
    for (const evenLast of [false, true]) {
      for (const ask of [
        () => caller.remove({ id: admin.id, evenLast }),
        () => caller.changeRole({ id: admin.id, role: 'member', evenLast }),
      ]) {
        expect(await refusalOf(ask())).toMatchObject({
          code: 'BAD_REQUEST',
          message: 'This is the last admin: make somebody else an admin first',
          errors: null,
        })
      }
    }
    expect(await codeOf((await as(operator)).remove({ id: admin.id, evenLast: false }))).toBe('BAD_REQUEST')
    await caller.remove({ id: (await findUser(database.db, email))!.id, evenLast: false })
    await (await as(operator)).changeRole({ id: admin.id, role: 'member', evenLast: true })
    expect(await roleOf(admin.id)).toBe('member')
  })

  test('keep at least one operator, and operators have no other role', async () => {
    const [first, second] = [await makeUser('operator'), await makeUser('operator')]
    const caller = await as(first)
    expect(await codeOf(caller.changeRole({ id: second.id, role: 'member', evenLast: true }))).toBe(
      'BAD_REQUEST',
    )
    await caller.remove({ id: second.id, evenLast: false })
    expect((await refusalOf(caller.remove({ id: first.id, evenLast: true }))).message).toBe(
      'This is the last operator: invite another one first',
    )
  })

  test.each(['admin', 'operator'] as const)(
    'leave one %s if all of them remove each other concurrently',
    async (role) => {
      for (let round = 0; round < 5; round++) {
        await database.db.execute(sql`delete from users where role = 'operator'`)
        const whose =
          role === 'operator' ? null : (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
        const all = await Promise.all(Array.from({ length: 6 }, () => makeUser(role, whose)))
        const callers = await Promise.all(all.map((user) => as(user)))
        // Each user removes or demotes the next one.
        const outcomes = await Promise.allSettled(
          callers.map((caller, index) => {
            const { id } = all[(index + 1) % all.length]!
            return role === 'admin' && index % 2 === 0
              ? caller.changeRole({ id, role: 'member', evenLast: true })
              : caller.remove({ id, evenLast: true })
          }),
        )
        const [left] = await database.db.execute<{ count: number }>(
          sql`select count(*)::integer from users where role = ${role} and partner_id is not distinct from ${whose?.id ?? null}::integer`,
        )
        expect(left!.count).toBe(1)
        expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      }
    },
  )
})

test('operators and admins create a password link, which is audited, and mailed if there is a mail server', async () => {
  const [operator, member] = [await makeUser('operator'), await makeUser()]
  const { email, link } = await (await as(operator)).reset({ id: member.id })
  expect(email).toBe(member.email)
  expect(await newestEntry()).toEqual({
    action: 'user.reset',
    subject: `${email} (member)`,
    partnerId: partner.id,
    who: operator.email,
  })
  expect(await accept(link!)).toMatchObject({ id: member.id })

  const [admin, elsewhere] = [await makeUser('admin'), await makeUser('operator')]
  expect(await (await as(admin, mailed)).reset({ id: member.id })).toEqual({ email, link: null })
  expect(sent.at(-1)?.to).toBe(email)
  expect(await (await as(admin)).reset({ id: member.id })).toMatchObject({ link: expect.any(String) })
  expect(await newestEntry()).toMatchObject({ action: 'user.reset', who: admin.email })
  await expect((await as(admin)).reset({ id: elsewhere.id })).rejects.toThrow('User not found')
  const other = await makeUser()
  await expect((await as(other)).reset({ id: admin.id })).rejects.toThrow('Only admins can do this')
})
