import { expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { findLink } from './link-store.ts'
import { invite, issueLink, mailLink, sendLink } from './link.ts'
import type { Mail } from './mail.ts'
import type { Mailer } from './mailer.ts'
import { type LinkKind, linkLifetimeMs } from './policy.ts'
import { openLink } from './sign-in/authenticate.ts'
import { insertPartner } from './store.ts'
import { hashText } from './user.ts'

const publicUrl = 'https://deals.example.com'
const password = 'correct horse battery'
const { db } = await openTestDatabase()
const partnerId = (await insertPartner(db, 'sunline', 'Sunline'))!.id
const sent: { to: string; mail: Mail }[] = []
const mailer: Mailer = { send: async (to, mail) => sent.push({ to, mail }) > 0 }
const deps = { db, publicUrl, mailer }

const makeEmail = () => `${crypto.randomUUID()}@sunline.example`
const makeUser = () =>
  createUser(db, { email: makeEmail(), name: 'Ana', password, role: 'member', partnerId })
const open = (link: string) => openLink(db, { token: link.slice(-43), password }, async () => {})
const find = (link: string) => findLink(db, hashText(link.slice(-43)))
const linkOf = ({ mail }: { mail: Mail }) => /https:\S+\/link\/[\w-]{43}\n/.exec(mail.text)![0].trim()

test.each(Object.entries(linkLifetimeMs) as [LinkKind, number][])(
  'the token of a %s link is not stored anywhere, and expires after %d ms',
  async (kind, lifetimeMs) => {
    const { id, email } = await makeUser()
    const link = await issueLink(deps, id, kind)
    expect(link).toMatch(/^https:\/\/deals\.example\.com\/link\/[\w-]{43}$/)
    const token = link.slice(-43)
    expect(await find(link)).toEqual({ kind, email, name: 'Ana', partnerId, partnerName: 'Sunline' })
    const [row] = await db.$client<{ text: string; leftMs: number }[]>`
      select row_to_json(links)::text as text, extract(epoch from expires_at - now())::float8 * 1000 as "leftMs"
      from links where user_id = ${id}`
    expect(row!.text).toContain(hashText(token))
    expect(row!.text).not.toContain(token)
    expect(Math.abs(row!.leftMs - lifetimeMs)).toBeLessThan(10_000)
  },
)

test('an invitation can be resent or changed until accepted, and never changes an existing user', async () => {
  const [email, id] = [makeEmail(), (await insertPartner(db, 'other', 'Other'))!.id]
  const inviteAs = (change: object) =>
    invite(deps, { email, name: 'new', role: 'member', partnerId, ...change })
  const first = (await inviteAs({}))!
  const second = (await inviteAs({ role: 'admin' }))!
  expect(await open(first)).toBe('expired')
  for (const change of [{ partnerId: id }, { role: 'operator', partnerId: null }])
    expect(await inviteAs(change)).toMatch(/\/link\//)
  expect(await open(second)).toMatchObject({ role: 'admin', partnerId, name: 'new' })
  expect(await inviteAs({})).toBeUndefined()
  const { id: userId, email: known } = await makeUser()
  await db.$client`update users set password_hash = null, seen_at = now() where id = ${userId}`
  expect(await inviteAs({ email: known })).toBeUndefined()
})

test('an invitation is mailed at most five times in 15 minutes, and only if there is a mail server', async () => {
  const mail = (own: Mailer | null = mailer) =>
    mailLink({ db, mailer: own }, 'often@sunline.example', `${publicUrl}/link/x`, null)
  for (let time = 0; time < 5; time++) expect(await mail()).toBe(true)
  expect([await mail(), await mail(null)]).toEqual([false, null])
  expect(sent.filter(({ to }) => to === 'often@sunline.example')).toHaveLength(5)
})

test('a requested link is mailed only to users, at most five times in 15 minutes, and replaces only requested links', async () => {
  const { id, email } = await makeUser()
  const issued = await issueLink(deps, id, 'reset')
  sent.length = 0
  await sendLink(deps, 'nobody@sunline.example', 'reset')
  expect(sent).toEqual([])
  await Promise.all(Array.from({ length: 8 }, () => sendLink(deps, email, 'reset')))
  expect(sent.map(({ to }) => to)).toEqual(Array(5).fill(email))
  await sendLink(deps, email, 'sign-in')
  const kinds = await Promise.all(sent.map(async (each) => (await find(linkOf(each)))?.kind))
  expect(kinds.filter((kind) => kind !== undefined).toSorted()).toEqual(['reset', 'sign-in'])
  expect(await find(issued)).toMatchObject({ kind: 'reset' })
  // A link issued by an admin replaces all earlier links of its kind.
  const newest = await issueLink(deps, id, 'reset')
  for (const link of [issued, ...sent.slice(0, 5).map(linkOf)]) expect(await open(link)).toBe('expired')
  expect(await open(newest)).toMatchObject({ id })
})
