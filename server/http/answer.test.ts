import { createServer, request } from 'node:http'
import { expect, test } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { ApiError, unavailable } from '../errors.ts'
import { sendApiError } from './answer.ts'

test.each([
  ['a page that a browser opens', '/deals', { 'sec-fetch-mode': 'navigate' }, unavailable(), 'text/html'],
  ['REST', '/api/deals', { 'sec-fetch-mode': 'navigate' }, unavailable(), 'application/json'],
  ['a script of a page', '/deals', { 'sec-fetch-mode': 'cors' }, unavailable(), 'application/json'],
  [
    'another error',
    '/deals',
    { 'sec-fetch-mode': 'navigate' },
    new ApiError('BAD_REQUEST', 'x'),
    'application/json',
  ],
])('sends the error for %s (%s) as HTML or JSON', async (_what, path, headers, refusal, type) => {
  const server = createServer((_request, response) => sendApiError(response, refusal))
  const { port, close } = await listenLocally(server)
  const { promise, resolve } = Promise.withResolvers<[status: number | undefined, type: string | undefined]>()
  request({ port, path, headers }, (response) => {
    response.resume()
    resolve([response.statusCode, response.headers['content-type']])
  }).end()
  const [status, found] = await promise
  await close()
  expect(status).toBe(refusal.code === 'BAD_REQUEST' ? 400 : 503)
  expect(found).toContain(type)
})
