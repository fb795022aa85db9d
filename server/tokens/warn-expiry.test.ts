import { beforeEach, describe, expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import type { Mail } from '../accounts/mail.ts'
import type { Mailer } from '../accounts/mailer.ts'
import type { Owner, PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { issueToken } from './issue-token.ts'
import { readExpiring } from './store.ts'
import { sendExpiryWarnings, warnOfExpiry } from './warn-expiry.ts'

const dayMs = 86_400_000
const received: ({ to: string } & Mail)[] = []
const mailer: Mailer = { send: async (to, mail) => received.push({ to, ...mail }) > 0 }
const publicUrl = 'https://deals.example.com'
const database = await openTestDatabase()
let partnerId: PartnerId
let slug: string
beforeEach(async () => {
  received.length = 0
  slug = crypto.randomUUID()
  partnerId = (await insertPartner(database.db, slug, 'Sunline'))!.id
  const user = { name: 'Ana', password: 'correct horse battery', partnerId }
  for (const role of ['admin', 'member'] as const)
    await createUser(database.db, { ...user, email: `${role}@${slug}.example`, role })
})

/** Runs the hourly jobs once. */
async function warn(through: Mailer | null = mailer): Promise<void> {
  const { db } = database
  await sendExpiryWarnings(db)
  const handler = (job: { partnerId: number }) =>
    warnOfExpiry({ db, mailer: through, publicUrl }, job.partnerId as PartnerId)
  expect(await runDueJobs(db, { 'warn-of-expiry': handler })).toEqual([])
}
/** Returns a token that was created `ago` days ago and expires in `left` days. */
async function make(
  days: { ago: number; left: number },
  name = 'CRM',
  ownerId: Owner = partnerId,
  sheet: object | null = null,
) {
  const made = await issueToken(database.db, {
    partnerId: ownerId,
    name,
    expiresAt: new Date(Date.now() + days.left * dayMs),
    sheet,
  })
  await database.db
    .$client`update tokens set created_at = now() - ${days.ago} * interval '1 day' where id = ${made.id}`
  return made
}

describe('admins are mailed about expiring tokens', () => {
  test('once, 7 days before, however often the job runs', async () => {
    const { token } = await make({ ago: 83, left: 6.9 })
    await make({ ago: 83, left: 7.1 }, 'Not yet')
    await Promise.all([warn(), warn(), warn()])
    await warn()
    expect(received.map(({ to }) => to)).toEqual([`admin@${slug}.example`])
    const { text } = received[0]!
    expect(text).toContain(`(${token.slice(0, 9)}`)
    expect(text).not.toContain(token)
    expect(text).not.toContain('Not yet')
    expect(text).toContain(`${publicUrl}/tokens`)
  })

  test('in one mail for several tokens', async () => {
    await make({ ago: 83, left: 3 }, 'Billing')
    await make({ ago: 83, left: 4 }, 'Mirror')
    await warn()
    expect(received).toHaveLength(1)
    expect(received[0]!.subject).toBe('2 API tokens expire soon')
    for (const name of ['Billing', 'Mirror']) expect(received[0]!.text).toContain(name)
  })

  test.each([
    ['a sheet link', [{}], 'The sheet link “Open deals” expires soon', 'Spreadsheets using it'],
    ['several sheet links', [{}, {}], '2 sheet links expire soon', 'Spreadsheets using them'],
    ['a sheet link and a token', [{}, null], '2 tokens expire soon', 'Clients using them'],
  ] as const)('including %s', async (_what, sheets, subject, consequence) => {
    for (const sheet of sheets) await make({ ago: 174, left: 6 }, 'Open deals', partnerId, sheet)
    await warn()
    expect(received).toHaveLength(1)
    expect(received[0]!.subject).toBe(subject)
    for (const text of ['The sheet link', consequence]) expect(received[0]!.text).toContain(text)
  })

  test.each([
    ['7 days before expiry if the token is valid for three weeks', { ago: 14.1, left: 6.9 }, 1],
    ['when a third of a shorter lifetime is left', { ago: 4.1, left: 1.9 }, 1],
    ['but not any earlier', { ago: 3, left: 3 }, 0],
  ])('%s', async (_what, days, mails) => {
    await make(days)
    await warn()
    expect(received).toHaveLength(mails)
  })

  test('but not about revoked, replaced, expired or internal tokens, or tokens of a suspended partner', async () => {
    const [revoked, replaced] = [await make({ ago: 83, left: 2 }), await make({ ago: 83, left: 2 })]
    await database.db.$client`update tokens set revoked_at = now() where id = ${revoked.id}`
    await database.db.$client`update tokens set replaced_by_id = ${revoked.id} where id = ${replaced.id}`
    await make({ ago: 83, left: -0.1 })
    await make({ ago: 83, left: 2 }, 'Staff', null)
    await warn()
    expect(received).toEqual([])
    await make({ ago: 83, left: 2 })
    await database.db.$client`update partners set suspended_at = now() where id = ${partnerId}`
    await warn()
    expect(received).toEqual([])
    await database.db.$client`update partners set suspended_at = null where id = ${partnerId}`
    await warn()
    expect(received).toHaveLength(1)
  })

  test('again if the mail server accepted nothing or was missing', async () => {
    await make({ ago: 83, left: 2 })
    await warn({ send: async () => false })
    await warn(null)
    expect(received).toEqual([])
    await warn()
    await warn()
    expect(received).toHaveLength(1)
  })
})

test('the notice counts the tokens that an admin must renew within 7 days', async () => {
  expect(await readExpiring(database.db, partnerId)).toEqual({ count: 0, first: null })
  const { id } = await make({ ago: 1, left: 3 })
  await make({ ago: 83, left: 2 })
  await make({ ago: 83, left: 8 })
  await make({ ago: 83, left: -1 })
  const { count, first } = await readExpiring(database.db, partnerId)
  expect([count, Math.round((first!.getTime() - Date.now()) / dayMs)]).toEqual([2, 2])
  await database.db.$client`update tokens set replaced_by_id = ${id} where partner_id = ${partnerId}`
  expect((await readExpiring(database.db, partnerId)).count).toBe(0)
})
