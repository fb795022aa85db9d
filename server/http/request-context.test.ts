import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { RequestWork } from '../admission/slots.ts'
import type { Services } from '../runtime/services.ts'
import { parseTarget, RequestContext } from './request-context.ts'

const services = { log: { info: () => {} } } as unknown as Services

/**
 * Ends the response of a request. If `writableFinished` is false, the client has disconnected. Returns the
 * request's work.
 */
function close(method: string, writableFinished: boolean): RequestWork {
  const request = { method, headers: {}, socket: {}, complete: true } as IncomingMessage
  const response = Object.assign(new EventEmitter(), { writableFinished }) as unknown as ServerResponse
  const context = new RequestContext(services, request, response, { path: '/', search: '', group: 'portal' })
  const work = new RequestWork({ kind: 'anonymous', group: 'anonymous', member: '203.0.113.9' })
  context.work = work
  response.emit('close')
  return work
}

test.each([
  ['a GET', 'GET', { isCancelled: true, isAbandoned: true }],
  ['a change, which is completed anyway', 'POST', { isCancelled: false, isAbandoned: true }],
])('a client that disconnects abandons %s', (_title, method, expected) => {
  const { isCancelled, abandoned } = close(method, false)
  expect({ isCancelled, isAbandoned: abandoned.aborted }).toEqual(expected)
})

test('a client that disconnects after its response abandons nothing', () => {
  const { isCancelled, abandoned } = close('GET', true)
  expect([isCancelled, abandoned.aborted]).toEqual([false, false])
})

test('a client that sends a long body before reading gets the error and can continue', async () => {
  const server = createServer((request, response) => {
    const place = { path: '/', search: '', group: 'portal' } as const
    const { headers } = new RequestContext(services, request, response, place)
    response.writeHead(404, headers).end()
  })
  const { port, close } = await listenLocally(server)
  const client = connect(port, '127.0.0.1')
  try {
    for (let sent = 0; sent < 5; sent++) {
      const body = Buffer.alloc(512 * 1024, 'a')
      const responded = once(client, 'data')
      client.write(`POST /hooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
      await new Promise((resolve) => void client.write(body, resolve))
      expect(String((await responded)[0])).toContain('404')
    }
  } finally {
    client.destroy()
    await close()
  }
})

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
