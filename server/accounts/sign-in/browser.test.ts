import { expect, test } from 'vitest'
import { describeBrowser } from './browser.ts'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox on Linux'],
  ['curl/8.5.0', 'Unknown browser'],
  ['', 'Unknown browser'],
  [';;;', 'Unknown browser'],
])('recognizes the user agent %j as %s', (userAgent, name) => expect(describeBrowser(userAgent)).toBe(name))

test('handles a very long user agent', () => {
  expect(describeBrowser('<b>'.repeat(200)).length).toBeLessThan(700)
})
