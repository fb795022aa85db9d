import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { ask, expectError } from './client.ts'

// server/webhooks/endpoint.test.ts covers every spelling. This test has one example of each kind.

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

const savedUrl = 'https://crm.example/kept'

test.each([
  ['http://crm.example/', 'must be an https URL'],
  [`https://crm.example/?${'x'.repeat(500_000)}`, 'must have at most 2048 characters'],
  ['https://127.1/', '127.0.0.1 is a private address. Use a public one'],
  ['https://169.254.169.254/', '169.254.169.254 is a reserved address. Use a public one'],
  ['https://x.internal/', 'must not be a name under .internal, .local or .localhost'],
])('rejects %.60s, and keeps the stored URLs', async (url, reason) => {
  const { token } = await system.makePartner()
  const set = (json: object) => ask(system, 'POST /api/webhook', { token, json })
  const stored = { createURL: savedUrl, updateURL: savedUrl }
  expect((await set(stored)).status).toBe(200)
  const [create, update] = [`createURL: ${reason}`, `updateURL: ${reason}`]
  for (const [json, errors] of [
    [{ createURL: `${savedUrl}/new`, updateURL: url }, [update]],
    [{ createURL: url, updateURL: url }, [create, update]],
  ] as const)
    expectError(await set(json), 400, 'BAD_REQUEST', 'The URL cannot be used', [...errors])
  expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual(stored)
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
