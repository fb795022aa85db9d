import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientIpAddress, requestClient, markClient } from './client.ts'

test.each([
  ['a client on the internet', '203.0.114.9', undefined, '203.0.114.9'],
  ['a client that claims another IP address', '203.0.114.9', '198.51.101.7', '203.0.114.9'],
  ['a client behind a proxy on this machine', '127.0.0.1', '198.51.101.7', '198.51.101.7'],
  [
    'a client behind a network proxy that also sends a forged header',
    '10.1.2.3',
    '1.2.3.4, 198.51.101.7',
    '198.51.101.7',
  ],
  ['a client behind a proxy over IPv6', '::1', '2606:4700::1111', '2606:4700::1111'],
  ['a socket for both IPv4 and IPv6', '::ffff:203.0.114.9', undefined, '203.0.114.9'],
  ['a client on this machine without a proxy', '127.0.0.1', undefined, '127.0.0.1'],
  ['a proxy that sends no usable address', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['a closed connection', undefined, '198.51.101.7', null],
])("finds the client's IP address for %s", (_what, peer, forwardedFor, address) =>
  expect(clientIpAddress(peer, forwardedFor)).toBe(address),
)

test("a request has the client's IP address as the server sees it, and a truncated user agent", () => {
  const request = {
    socket: { remoteAddress: '203.0.114.9' },
    headers: { 'x-client-address': '10.0.0.1', 'user-agent': '1'.repeat(15_000) },
  } as unknown as IncomingMessage
  markClient(request)
  expect(request.headers).toEqual({ 'x-client-address': '203.0.114.9', 'user-agent': '1'.repeat(500) })
})

test('truncates a client name to the stored length', () => {
  const headers: Record<string, string> = {
    'x-client-address': '203.0.114.9',
    'user-agent': 'a'.repeat(1000),
  }
  expect(requestClient((name) => headers[name])).toEqual({ address: '203.0.114.9', agent: 'a'.repeat(500) })
  expect(requestClient(() => undefined)).toEqual({ address: null, agent: '' })
})
