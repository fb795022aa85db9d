import { expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue } from '#e2e/queue-fixture.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import type { Mail } from '../../accounts/mail/mail.ts'
import { readEndpoints } from '../store.ts'
import { switchedOffMail, notifySwitchedOff } from './notify-switched-off.ts'

const { keep, listen } = closeAfterEach()
const { db } = await openQueue()

const publicUrl = 'https://deals.example.com'

test('admins are notified once if a URL is disabled, even for both kinds of events', async () => {
  const receiver = await listen(() => 410)
  const url = `${receiver.url}/?a=1&b=<b>`
  const partnerId = await makeReceivingPartner(db, { create: url, update: url })
  for (const [email, role] of [
    ['admin@a.example', 'admin'],
    ['other@a.example', 'admin'],
    ['member@a.example', 'member'],
  ] as const) {
    await createUser(db, { email, name: 'Ana', password: 'correct horse battery', role, partnerId })
  }
  const sent: { to: string; mail: Mail }[] = []
  const mailer = { send: async (to: string, mail: Mail) => sent.push({ to, mail }) > 0 }
  await changeDeals(db, partnerId, [1n, 2n, 3n, 4n])
  const dispatcher = keep(dispatcherOn(db, { retry: { scheduleMs: [0, 60_000], throttleMs: 0 } }))
  const attempts = async () =>
    (await queueOf(db, partnerId)).reduce((sum, { attemptCount }) => sum + attemptCount, 0)
  await expect.poll(async () => (await readEndpoints(db, partnerId))[0]!.switchedOffAt).not.toBeNull()
  await expect.poll(attempts).toBe(receiver.requests.length)
  await dispatcher.stop(1000)
  const handlers = {
    'notify-switched-off': (job: { url: string; because: 'gone' | 'failing' }) =>
      notifySwitchedOff({ db, mailer, publicUrl }, partnerId, job),
  }
  expect(await runDueJobs(db, handlers)).toEqual([])
  expect(sent.map(({ to }) => to).toSorted()).toEqual(['admin@a.example', 'other@a.example'])
  expect(sent[0]!.mail).toEqual(switchedOffMail({ url, because: 'gone' }, publicUrl))
  expect(await notifySwitchedOff({ db, mailer: null, publicUrl }, partnerId, { url, because: 'gone' })).toBe(
    0,
  )
})

test.each([
  ['gone', 'returned 410'],
  ['failing', 'for 5 days'],
] as const)('the mail about a URL that is %s gives the reason, the effect and a link', (because, said) => {
  const { text, html } = switchedOffMail({ url: 'https://a.example/<b>', because }, publicUrl)
  expect(text).toContain(said)
  expect(text).toContain('https://deals.example.com/webhooks')
  expect(text).toContain('sent once you switch the endpoint back on')
  expect(html).not.toContain('<b>')
})
