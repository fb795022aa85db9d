import { expect, test } from 'vitest'
import { describeBrowser } from './browser.ts'

test.each([
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['curl/8.5.0', 'Unknown browser'],
  ['', 'Unknown browser'],
])('recognizes the user agent %j as %s', (userAgent, name) => expect(describeBrowser(userAgent)).toBe(name))
