import { expect, test } from 'vitest'
import { parseTarget } from './target.ts'

test.each([
  ['/', '/', ''],
  ['/?', '/', ''],
  ['/api/deals?page=2&q=../..//%2e', '/api/deals', 'page=2&q=../..//%2e'],
  ['/deals/', '/deals/', ''],
  ['/sign-in?next=https://example.com/a', '/sign-in', 'next=https://example.com/a'],
  ['/files/a_B-9;v=1', '/files/a_B-9;v=1', ''],
  ['/a/.well-known/x..y/...', '/a/.well-known/x..y/...', ''],
  ['/deals/%31', '/deals/%31', ''],
  ['/deals?a=1#b', '/deals', 'a=1%23b'],
  ['/caf%C3%A9/a%20b', '/caf%C3%A9/a%20b', ''],
  ['/_next/static/chunks/%5Broot%5D.js', '/_next/static/chunks/%5Broot%5D.js', ''],
  ['/api/trpc/deals.find,account.me?batch=1', '/api/trpc/deals.find,account.me', 'batch=1'],
  ['http://deals.example.com/api/deals?page=1', '/api/deals', 'page=1'],
  ['HTTPS://deals.example.com', '/', ''],
  ['http://deals.example.com?x=1', '/', 'x=1'],
])('parses the target %s', (target, path, search) => {
  expect(parseTarget(target)).toEqual({ path, search })
})

test.each([
  '',
  '*',
  '../sign-in',
  '//sign-in',
  '/deals//1',
  '/.',
  '/..',
  '/./sign-in',
  '/_next/../sign-in',
  '/_next/%2e%2e/sign-in',
  '/_next/%252e%252e/sign-in',
  '/_next/static/..%2f..%2fsign-in',
  '/api%2Fdeals',
  '/_next\\..\\sign-in',
  '/_next/%5C%2e%2e%5Csign-in',
  '/\\evil.example',
  '/%',
  '/%zz',
  '/x/%ff',
  '/deals/%C0%AE%C0%AE/sign-in',
  '/a%00',
  '/a%0d%0aSet-Cookie:x',
  '/a b',
  '/a\u00a0',
  '/a\uff0e\uff0e/b',
  '/a#b',
  'http://deals.example.com/../sign-in',
  'http://deals.example.com//sign-in',
  'http:///sign-in',
  'http://a\\@deals.example.com/',
  'ftp://deals.example.com/',
])('rejects the target %j', (target) => {
  expect(parseTarget(target)).toBeNull()
})
