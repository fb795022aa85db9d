import { describe, expect, test } from 'vitest'
import { pushSubscriptions } from '#db/schema/accounts.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { beginSession } from '#e2e/signed-in.ts'
import { everyone } from '../access/actor.ts'
import { operatorCommand } from '../access/audited.ts'
import { setSuspended } from '../partners/store.ts'
import { type EndedAccess, endAccess } from './access-store.ts'
import { changeRole, removeUser } from './actions.ts'
import { insertLink, replacePassword, setPasswordByLink } from './link-store.ts'
import { insertPartner } from './store.ts'
import { saveUser } from './user-store.ts'

/** Tables whose rows `endAccess` deletes. */
const ends = ['sessions', 'push_subscriptions', 'links', 'mails', 'notification_deliveries']

/** All other tables that refer to users, sessions or partners, by the reason why their rows stay. */
const stays = {
  'the account itself, which signs in only while its partner is not suspended': 'users identities',
  'refused while the partner is suspended, and its own until somebody revokes it':
    'tokens endpoints webhook_secrets deliveries team_channels',
  'a choice, which serves only those who may see the deals at that time; deleted with the user':
    'follows user_people notification_settings week_digests views thread_reads deal_assignees new_assignments',
  'seen only while the deal is the partner’s':
    'notifications files file_uploads threads messages events event_facts deals deal_lists deal_places deal_gaps closed_gaps list_totals partner_stages',
  'seen by the installer alone': 'imports import_leaving import_former source_partners staff_phones people',
  'a record or a count': 'audit_entries spending rate_windows notification_cursors notification_days',
}

const database = await openTestDatabase()

test('each table that refers to users, sessions or partners is listed as ended or kept when access ends', async () => {
  const found = await database.db.$client<{ name: string }[]>`
    select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid in ('users'::regclass, 'sessions'::regclass, 'partners'::regclass)
    union
    select table_name from information_schema.columns
    where table_schema = 'public'
      and column_name ~ '(^|_)(user|partner|session|owner|member|email|recipient|by)(_id|_hash)?$|^list_id$'`
  const names = found.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(30)
  const listed = new Set([...ends, ...Object.values(stays).join(' ').split(' '), 'partners'])
  expect(names.filter((name) => !listed.has(name))).toEqual([])
})

/** Creates a member with two browsers, push subscriptions, a link and waiting messages. */
async function makeMember() {
  const { db } = database
  const { id: partnerId } = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!
  const email = `${crypto.randomUUID()}@example.com`
  const user = { email, name: 'Ana', role: 'member', partnerId, passwordHash: 'hash' } as const
  const { id } = await saveUser(db, user)
  const expiresAt = new Date(Date.now() + 60_000)
  const subscribe = async (sessionHash: string | null) => {
    const values = { userId: id, sessionHash, endpoint: crypto.randomUUID(), p256dh: 'x', auth: 'x' }
    await db.insert(pushSubscriptions).values(values)
  }
  const browsers = [(await beginSession(db, id))!, (await beginSession(db, id))!] as const
  for (const hash of browsers) await subscribe(hash)
  // A push subscription that outlived its session.
  await subscribe(null)
  const link = crypto.randomUUID()
  await insertLink(db, { hash: link, userId: id, kind: 'reset', expiresAt, isRequested: false })
  const { $client: sql } = db
  await sql`
    insert into mails (recipient, encrypted, link_hash, expires_at, due_at)
    values (${email}, 'x', null, now() + interval '1 hour', now()), (${email}, 'x', ${link}, now() + interval '1 hour', now())`
  await sql`
    insert into notification_deliveries (user_id, channel, deal_id, notification_ids, due_at)
    values (${id}, 'mail', 0, '{}', now())`
  return { id, email, partnerId, browsers, link }
}

type Member = Awaited<ReturnType<typeof makeMember>>

/** Counts what is left of a member's access. */
async function leftOf({ id, email }: Member) {
  const [left] = await database.db.$client`
    select (select count(*)::int from sessions where user_id = ${id}) as sessions,
      (select count(*)::int from push_subscriptions where user_id = ${id}) as subscriptions,
      (select count(*)::int from links where user_id = ${id}) as links,
      (select count(*)::int from mails where recipient = ${email}) as mails,
      (select count(*)::int from notification_deliveries where user_id = ${id} and due_at is not null) as messages`
  return left
}

const everything = { sessions: 2, subscriptions: 3, links: 1, mails: 2, messages: 1 }
const nothing = { sessions: 0, subscriptions: 0, links: 0, mails: 0, messages: 0 }
// A user who signs out or changes the password still receives waiting messages.
const notices = { ...nothing, mails: 1, messages: 1 }

const end = (ended: EndedAccess) => endAccess(database.db, ended)
const command = () => ({ db: database.db, actor: operatorCommand }) as const

describe('when access ends, only the expected sessions, links and messages remain', () => {
  test.each<[string, (member: Member) => Promise<unknown>, object]>([
    [
      'one browser signs out',
      ({ browsers: [hash] }) => end({ sessionHash: hash }),
      { ...everything, sessions: 1, subscriptions: 2 },
    ],
    ['all browsers sign out', ({ id }) => end({ userId: id }), notices],
    [
      'the password is changed',
      ({ id, browsers: [keep] }) => replacePassword(database.db, { userId: id, from: 'hash', to: 'b', keep }),
      { ...notices, sessions: 1, subscriptions: 1 },
    ],
    [
      'the password is reset',
      ({ link }) =>
        setPasswordByLink(database.db, link, { name: undefined, passwordHash: 'b' }, async () => {}),
      notices,
    ],
    [
      'an operator saves the user again',
      ({ email, partnerId }) =>
        saveUser(database.db, { email, name: 'A', role: 'admin', partnerId, passwordHash: 'b' }),
      nothing,
    ],
    [
      'an admin becomes a member',
      async ({ id }) => {
        await database.db.$client`update users set role = 'admin' where id = ${id}`
        await changeRole(command(), everyone, { id, role: 'member', evenLast: true })
      },
      { ...everything, mails: 1, messages: 0 },
    ],
    ['the user is removed', ({ id }) => removeUser(command(), everyone, { id, evenLast: true }), nothing],
    [
      'the partner is suspended',
      ({ partnerId }) => database.db.transaction((tx) => setSuspended(tx, partnerId)),
      { ...nothing, links: 1, mails: 1 },
    ],
  ])('after %s', async (_what, work, left) => {
    const member = await makeMember()
    const other = await makeMember()
    expect(await leftOf(member)).toEqual(everything)
    await work(member)
    expect(await leftOf(member)).toEqual(left)
    expect(await leftOf(other)).toEqual(everything)
  })
})
