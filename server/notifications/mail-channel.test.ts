import { expect, test } from 'vitest'
import type { Mail } from '../accounts/mail.ts'
import { utc } from '../values/zone.ts'
import { makeMailChannel } from './mail-channel.ts'
import type { News, DealNews } from './notification.ts'

const publicUrl = 'https://deals.example.com'

async function mailOf(deals: [DealNews, ...DealNews[]], id = 1): Promise<Mail> {
  let mail: Mail | undefined
  const channel = makeMailChannel({
    publicUrl,
    encryptionKey: Buffer.alloc(32),
    sendNow: async (_to, sent) => {
      mail = sent
      return null
    },
  })
  await channel.send({ id, targetId: 0, user: { id: 7, email: 'ana@a.example', zone: utc }, deals })
  return mail!
}

const moved: News = { kind: 'stage', changes: { from: 'Survey', to: 'Permit', isNew: false } }
const answer = (text: string): News => ({
  kind: 'messages',
  changes: { threadId: 1, author: 'Ben', text, isMention: false },
})
const deal = (id: number, name: string, news: News[] = [moved]): DealNews => ({ id: String(id), name, news })
const sizeOf = ({ text, html }: Mail) => Buffer.byteLength(text) + Buffer.byteLength(html)

test('a mail about many deals stays below the size that mail clients clip, and counts the rest', async () => {
  const deals = Array.from({ length: 500 }, (_, at) =>
    deal(at, `Lopez, Ana ${at} – ${'7.20 kW '.repeat(10)}`),
  )
  const mail = await mailOf(deals as [DealNews])
  expect(mail.subject).toBe('500 updates in 500 deals')
  const named = mail.html.match(/<h2/g)!.length
  expect(named).toBeGreaterThan(50)
  for (const body of [mail.text, mail.html]) expect(body).toContain(`and ${500 - named} more`)
  expect(sizeOf(mail)).toBeLessThan(90_000)
})

test.each(['a', '太', '🙂'])(
  'a mail about one deal with long answers of %s also stays below that size',
  async (letter) => {
    const mail = await mailOf([deal(1, 'Lopez, Ana', Array(60).fill(answer(letter.repeat(4000))))])
    expect(sizeOf(mail)).toBeLessThan(90_000)
    expect(mail.text).toMatch(/and \d+ earlier changes/)
  },
)

test('the unsubscribe link precedes the updates, in text and HTML', async () => {
  const { text, html } = await mailOf([deal(1, 'Lopez, Ana')])
  for (const body of [text, html]) {
    expect(body.indexOf(`${publicUrl}/unsubscribe/`)).toBeGreaterThan(0)
    expect(body.indexOf(`${publicUrl}/unsubscribe/`)).toBeLessThan(body.indexOf('Lopez'))
  }
})

test('cuts a subject between characters', async () => {
  const family = '👨‍👩‍👧‍👦'
  const { subject } = await mailOf([deal(1, family.repeat(30))])
  expect(subject).toBe(`${family.repeat(13)}…`)
})

test('a mail has List and thread headers, and its text is escaped', async () => {
  const added: News = { kind: 'stage', changes: { from: null, to: '<b>CAD</b>', isNew: false } }
  const scheduled: News = {
    kind: 'dates',
    changes: {
      changed: [
        { field: 'installedScheduled', from: '2026-11-30T00:00:00.000Z', to: '2026-12-02T00:00:00.000Z' },
        { field: 'permitReceived', from: '2026-11-30T00:00:00.000Z', to: null },
      ],
    },
  }
  const ana = deal(42, 'Lopez, Ana', [added, scheduled])
  const first = await mailOf([ana], 3)
  expect(first).toMatchObject({
    subject: 'Lopez, Ana: stage moved to <b>CAD</b>, and 2 more',
    messageId: '<notification-3@deals.example.com>',
    references: '<deal-42.user-7@deals.example.com>',
    inReplyTo: '<deal-42.user-7@deals.example.com>',
    headers: {
      'List-Id': 'Partner Deals notifications <notifications.deals.example.com>',
      'List-Unsubscribe': expect.stringMatching(
        /^<https:\/\/deals\.example\.com\/unsubscribe\/7\.[\w-]{43}>$/,
      ),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
  expect(first.text).toContain(
    'Lopez, Ana\n- Stage moved to <b>CAD</b>\n- Install scheduled: Dec 2, 2026 (was Nov 30, 2026)\n' +
      '- Permit received: removed (was Nov 30, 2026)\nhttps://deals.example.com/deals/42\n',
  )
  expect(first.html).toContain('<li>Stage moved to &lt;b&gt;CAD&lt;/b&gt;</li>')
  const answered = await mailOf([deal(42, 'Lopez, Ana', [answer('Done.')])])
  expect(answered.subject).toBe('Lopez, Ana: Ben: Done.')
  expect(answered.text).toContain('https://deals.example.com/deals/42?thread=1#answer')
  const collected = await mailOf([ana, deal(43, '', [added])])
  expect(collected.subject).toBe('4 updates in 2 deals')
  expect(collected.references).toBeUndefined()
  expect(collected.text).toContain('Deal 43')
})
