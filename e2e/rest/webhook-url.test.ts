import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { ask, expectError } from './client.ts'

// server/webhooks/endpoints/endpoint.test.ts covers every spelling. This test has one example of each kind.

let system: LocalSystem

// The rules of a system with DATABASE_URL: only https, and no private networks except these two ranges, which
// include a metadata address.
beforeAll(async () => {
  system = await openLocalSystem({
    env: {
      WEBHOOK_ALLOW_HTTP: 'off',
      WEBHOOK_ALLOWED_CIDRS: '198.18.0.0/15, 169.254.0.0/16',
    },
  })
})

afterAll(() => system.close())

const kept = 'https://crm.example/kept'

test.each([
  ['http://crm.example/', 'must be an https URL'],
  ['crm.example', 'must be an https URL'],
  [' https://crm.example/', 'must not contain spaces or invisible characters'],
  ['https://user:secret@crm.example/', 'must not contain a user name or password'],
  ['https://crm.example/#x', 'must not contain a fragment (#)'],
  [`https://crm.example/${'x'.repeat(2029)}`, 'must have at most 2048 characters'],
  [`https://crm.example/?${'x'.repeat(500_000)}`, 'must have at most 2048 characters'],
  ['https://127.1/', '127.0.0.1 is a private address. Use a public one'],
  ['https://[fd00::1]/', '[fd00::1] is a private address. Use a public one'],
  ['https://169.254.169.254/', '169.254.169.254 is a reserved address. Use a public one'],
  ['https://app.localhost./', 'must not be a name under .internal, .local or .localhost'],
  ['https://x.internal/', 'must not be a name under .internal, .local or .localhost'],
  ['https://printer.local/', 'must not be a name under .internal, .local or .localhost'],
  ['https://crm.example:x/', 'must be a valid URL'],
  ['https://crm..example/', 'must have a valid host name'],
])('rejects %.60s, and keeps the stored URLs', async (url, reason) => {
  const { token } = await system.makePartner()
  const set = (json: object) => ask(system, 'POST /api/webhook', { token, json })
  expect((await set({ createURL: kept, updateURL: kept })).status).toBe(200)
  for (const key of ['createURL', 'updateURL'])
    expectError(await set({ [key]: url }), 400, 'BAD_REQUEST', 'The URL cannot be used', [
      `${key}: ${reason}`,
    ])
  expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual({
    createURL: kept,
    updateURL: kept,
  })
})

test('checks both URLs, and stores neither if one is invalid', async () => {
  const { token } = await system.makePartner()
  const set = (createURL: string, updateURL: string) =>
    ask(system, 'POST /api/webhook', { token, json: { createURL, updateURL } })
  expectError(
    await set('https://x.internal', 'http://crm.example'),
    400,
    'BAD_REQUEST',
    'The URL cannot be used',
    [
      'createURL: must not be a name under .internal, .local or .localhost',
      'updateURL: must be an https URL',
    ],
  )
  expectError(await set(kept, 'http://crm.example'), 400, 'BAD_REQUEST', 'The URL cannot be used', [
    'updateURL: must be an https URL',
  ])
  expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual({
    createURL: null,
    updateURL: null,
  })
})

test('stores a valid URL exactly as sent, up to 2,048 characters', async () => {
  const { token } = await system.makePartner()
  // In parallel, because resolving a name can take seconds if the resolver does not respond.
  await Promise.all(
    [
      'HTTPS://CRM.Example/Hook',
      'https://crm.example:8443/a/../b?c=d&e=%20',
      `https://crm.example/${'x'.repeat(2028)}`,
      'https://bücher.example/ä',
      'https://198.18.0.1/',
    ].map(async (url) => {
      const { status, text } = await ask(system, 'POST /api/webhook', { token, json: { createURL: url } })
      expect({ url, status, text }).toEqual({
        url,
        status: 200,
        text: JSON.stringify({ createURL: url, updateURL: null }),
      })
    }),
  )
})
