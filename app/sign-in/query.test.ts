import { expect, test } from 'vitest'
import { localPath } from './query.ts'

test.each(['/deals', '/deals?page=3', '/webhooks?a=b&c=%2F%2Fd'])(
  'redirects to the local path %s',
  (path) => {
    expect(localPath(path)).toBe(path)
  },
)

test.each([
  undefined,
  null,
  '',
  ['/deals'],
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  'http:evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://',
  '/sign-in?callbackUrl=/deals',
])('does not redirect to the URL %s', (asked) => {
  expect(localPath(asked)).toBe('/')
})
