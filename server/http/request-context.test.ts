import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { RequestWork } from '../admission/slots.ts'
import type { Services } from '../runtime/services.ts'
import { RequestContext } from './request-context.ts'

const services = { log: { info: () => {} } } as unknown as Services

/** Ends the response of a request, which is `writableFinished` unless the client left. Returns its work. */
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
  ['a change, which is completed', 'POST', { isCancelled: false, isAbandoned: true }],
])('a disconnected client abandons %s', (_what, method, expected) => {
  const { isCancelled, abandoned } = close(method, false)
  expect({ isCancelled, isAbandoned: abandoned.aborted }).toEqual(expected)
})

test('a client that has received its response abandons nothing', () => {
  const { isCancelled, abandoned } = close('GET', true)
  expect([isCancelled, abandoned.aborted]).toEqual([false, false])
})
