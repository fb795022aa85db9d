import { expect, test } from 'vitest'
import type { Mail } from '../accounts/mail.ts'
import { utc } from '../values/zone.ts'
import { makeMailChannel } from './mail-channel.ts'
import type { News, DealNews } from './notification.ts'

const publicUrl = 'https://deals.example.com'

async function mailOf(deals: [DealNews, ...DealNews[]]): Promise<Mail> {
  let mail: Mail | undefined
  const channel = makeMailChannel({
    publicUrl,
    encryptionKey: Buffer.alloc(32),
    sendNow: async (_to, sent) => {
      mail = sent
      return null
    },
  })
  await channel.send({ id: 1, targetId: 0, user: { id: 7, email: 'ana@a.example', zone: utc }, deals })
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

test('a date that changed within the same day is not reported as a different day', async () => {
  const news: News = {
    kind: 'dates',
    changes: {
      changed: [
        { field: 'installedScheduled', from: '2026-09-14T15:00:00.000Z', to: '2026-09-14T17:30:00.000Z' },
      ],
    },
  } as never
  expect((await mailOf([deal(1, 'Lopez, Ana', [news])])).text).not.toContain('was Sep 14')
})
