import { expect, test } from 'vitest'
import { linkMail } from './mail.ts'

const url = 'https://deals.example.com/link/abc'

test.each([
  ['invitation', 'Your invitation to Partner Deals', '7 days'],
  ['reset', 'Reset your Partner Deals password', '1 hour'],
  ['sign-in', 'Sign in to Partner Deals', '15 minutes'],
] as const)('the mail for %s states the purpose and expiry of its link', (kind, subject, span) => {
  const mail = linkMail(kind, url, null)
  expect(mail.subject).toBe(subject)
  for (const body of [mail.text, mail.html]) {
    expect(body).toContain(url)
    expect(body).toContain(`works once and expires in ${span}.`)
  }
})

test("escapes a partner's name", () => {
  const name = `"><img src=x onerror='a&b'>\r\nBcc: all@example.com`
  const { subject, text, html } = linkMail('invitation', url, name)
  expect(subject).not.toContain('Bcc')
  expect(text).toContain(name)
  expect(html).toContain('&quot;&gt;&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;')
  expect(html.match(/<\w+/g)).toEqual(['<p', '<p', '<a', '<p'])
})
