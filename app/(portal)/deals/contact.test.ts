import { expect, test } from 'vitest'
import { mailHref, mapHref, phoneHref, textHref, webHref } from './contact.ts'

test.each([
  ['maria.alvarez@brightroof.example', 'mailto:maria.alvarez@brightroof.example'],
  [' a+b@c.example ', 'mailto:a%2Bb@c.example'],
  ['a?bcc=x&subject=y@c.example', 'mailto:a%3Fbcc%3Dx%26subject%3Dy@c.example'],
  ['a,b@c.example', 'mailto:a%2Cb@c.example'],
  ['\uD800@c.example', 'mailto:%EF%BF%BD@c.example'],
  ['a@b, c@d', null],
  ['javascript:alert(1)', null],
  ['', null],
])('links the e-mail address %j to %j', (text, href) => expect(mailHref(text)).toBe(href))

test.each([
  ['(602) 555-0147', 'tel:6025550147'],
  ['+1 602.555.0147', 'tel:+16025550147'],
  ['602-555-0147 x12', 'tel:6025550147;ext=12'],
  ['602 555 0147 ext. 7', 'tel:6025550147;ext=7'],
  ['call me', null],
  ['602-555-0147;ext=1,9', null],
  ['*#06#', null],
  ['1234567890123456', null],
  ['602-555-0147 extension  7 ', 'tel:6025550147;ext=7'],
  [' '.repeat(100_000), null],
  ['1'.repeat(100_000), null],
  [`+1${' ('.repeat(50_000)}x`, null],
  ['', null],
])('links the phone number %.40j for calls to %j', (text, href) => expect(phoneHref(text)).toBe(href))

test.each([
  ['+1 602.555.0147', 'sms:+16025550147'],
  ['602-555-0147 x12', 'sms:6025550147'],
  ['call me', null],
])('links the phone number %j for text messages to %j', (text, href) => expect(textHref(text)).toBe(href))

test.each([
  [
    '1 Palm Ln #2, Phoenix, AZ 85003',
    'https://www.google.com/maps/search/?api=1&query=1%20Palm%20Ln%20%232%2C%20Phoenix%2C%20AZ%2085003',
  ],
  ['&q=x', 'https://www.google.com/maps/search/?api=1&query=%26q%3Dx'],
  [' ', null],
])('links the street address %j to the map at %j', (text, href) => expect(mapHref(text)).toBe(href))

test.each([
  ['https://design.example/proposals/204417', 'https://design.example/proposals/204417'],
  [' HTTP://Design.example ', 'http://design.example/'],
  ['https://design.example/"><script>', 'https://design.example/%22%3E%3Cscript%3E'],
  ['javascript:alert(1)', null],
  ['java\nscript:alert(1)', null],
  ['data:text/html,<script>alert(1)</script>', null],
  ['//evil.example', null],
  ['https:evil.example', null],
  ['https:///evil.example', null],
  ['https://design.example@evil.example/', null],
  ['https://', null],
  ['', null],
])('links the web address %j to %j', (text, href) => expect(webHref(text)).toBe(href))
