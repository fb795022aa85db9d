import { expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import type { Mail } from '../accounts/mail.ts'
import { switchedOffMail, notifySwitchedOff } from './notify-switched-off.ts'

const { db, makeIds, makePartner, change, lease, record } = await openQueue()

const publicUrl = 'https://deals.example.com'

test('admins are notified once if a URL is disabled, even for both kinds of events', async () => {
  const url = 'https://a.example/?a=1&b=<b>'
  const partnerId = await makePartner({ create: url, update: url })
  for (const [email, role] of [
    ['admin@a.example', 'admin'],
    ['other@a.example', 'admin'],
    ['member@a.example', 'member'],
  ] as const)
    await createUser(db, { email, name: 'Ana', password: 'correct horse battery', role, partnerId })
  const sent: { to: string; mail: Mail }[] = []
  const mailer = { send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 }
  await change(partnerId, ...makeIds(4))
  for (const leased of await lease(partnerId, 'create')) await record(outcomeOf(leased, failure(1, 410)))
  const handlers = {
    'notify-switched-off': (job: { url: string; because: 'gone' | 'failing' }) =>
      notifySwitchedOff({ db, mailer, publicUrl }, partnerId, job),
  }
  expect(await runDueJobs(db, handlers)).toEqual([])
  expect(sent.map(({ to }) => to).toSorted()).toEqual(['admin@a.example', 'other@a.example'])
  expect(sent[0]!.mail).toEqual(switchedOffMail({ url, because: 'gone' }, publicUrl))
})

test.each([
  ['gone', 'returned 410'],
  ['failing', 'for 5 days'],
] as const)('the mail about a URL that is %s gives the reason, the effect and a link', (because, reason) => {
  const { text, html } = switchedOffMail({ url: 'https://a.example/<b>', because }, publicUrl)
  expect(text).toContain(reason)
  expect(text).toContain('https://deals.example.com/webhooks')
  expect(text).toContain('sent once you switch the endpoint back on')
  expect(html).not.toContain('<b>')
})
