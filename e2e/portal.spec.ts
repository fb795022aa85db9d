import { expect, test } from './fixtures.ts'
import { signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'

// Pages and procedures over HTTP, in so far as it does not depend on a feature.

test('former URLs of data issues redirect and keep their query', async ({ system }) => {
  for (const [former, path] of [
    ['/findings/malformedZip?from=bookmark', '/data-issues/malformedZip?from=bookmark'],
    ['/findings', '/data-issues'],
  ])
    expect((await ask(system, `GET ${former}`)).headers.location).toBe(path)
})

const managed = ['/webhooks', '/deliveries', '/deliveries/1', '/tokens', '/team', '/audit', '/audit/export']
const operated = [
  '/partners',
  '/health',
  '/imports',
  '/imports/1',
  '/imports/1/rejected',
  '/stages',
  '/sources',
]

for (const [role, paths] of [
  ['member', [...managed, ...operated]],
  ['admin', operated],
] as const)
  test(`pages not meant for the role ${role} are a 403 that reveals nothing`, async ({ system }) => {
    const cookie = await signedInUser(system, role, (await system.makePartner()).id)
    for (const path of paths) {
      const { status, text } = await ask(system, `GET ${path}`, { headers: { cookie } })
      expect(status, path).toBe(403)
      expect(text, path).not.toContain('<table')
    }
  })

test('pages without deals, or with nearly empty deals, say so in the first response', async ({ system }) => {
  const textOf = async (cookie: string, path: string) =>
    (await ask(system, `GET ${path}`, { headers: { cookie } })).text
  const none = await signedInUser(system, 'member', (await system.makePartner()).id)
  for (const path of ['/', '/deals', '/deals/board'])
    expect(await textOf(none, path), path).toContain('No deals yet')
  const [id] = newIds(1)
  const bare = await system.makePartner({ deals: [{ id: id! }] })
  const cookie = await signedInUser(system, 'member', bare.id)
  expect(await textOf(cookie, '/')).toContain('Your CRM doesn’t send dates')
  const page = await textOf(cookie, `/deals/${id}`)
  for (const text of [
    `Deal ${id}`,
    'No stage',
    'No address',
    'Next step not known',
    'No notes yet.',
    'No people recorded.',
    'No amounts recorded.',
    'No system details.',
  ])
    expect(page).toContain(text)
})

test('procedures reject changes from other sites and from forms', async ({ system }) => {
  const { id } = await system.makePartner()
  const cookie = await signedInUser(system, 'admin', id)
  const body = JSON.stringify({ json: { createURL: 'https://example.com/hook' } })
  const set = async (type: string, origin: string) =>
    (
      await ask(system, 'POST /api/trpc/webhooks.set', {
        headers: { cookie, 'content-type': type, origin },
        body,
      })
    ).status
  for (const [type, origin, status] of [
    ['application/json', 'https://evil.example', 403],
    ['application/json', 'null', 403],
    ['application/json', 'http://127.0.0.1:1', 403],
    ['multipart/form-data; boundary=x', 'https://evil.example', 403],
    ['multipart/form-data; boundary=x', system.url, 415],
    ['text/plain', system.url, 415],
  ] as const)
    expect(await set(type, origin), `${type} from ${origin}`).toBe(status)
  const byUrl = `GET /api/trpc/webhooks.set?input=${encodeURIComponent(body)}`
  expect((await ask(system, byUrl, { headers: { cookie } })).status).toBeGreaterThanOrEqual(400)
  const read = async () =>
    (await ask(system, 'GET /api/trpc/webhooks.get', { headers: { cookie } })).json.result.data.json
  expect(await read()).toEqual({ createURL: null, updateURL: null })
  expect(await set('application/json', system.url)).toBe(200)
  expect(await read()).toEqual({ createURL: 'https://example.com/hook', updateURL: null })
})

test('batches at most ten procedures, and never pages of whole deals', async ({ system }) => {
  const { id } = await system.makePartner()
  const cookie = await signedInUser(system, 'member', id)
  const batch = async (count: number, name = 'deals.age') => {
    const input = JSON.stringify({ ...Array.from({ length: count }, () => ({ json: {} })) })
    const names = Array.from({ length: count }, () => name).join(',')
    const target = `/api/trpc/${names}?${new URLSearchParams({ batch: '1', input })}`
    return (await ask(system, `GET ${target}`, { headers: { cookie } })).status
  }
  expect(await batch(10)).toBe(200)
  expect(await batch(11)).toBe(400)
  for (const name of ['deals.list', 'events.list'])
    expect([await batch(1, name), await batch(2, name)], name).toEqual([200, 400])
  // This spelling of the path is not normalized.
  expect(await batch(1, 'deals%2Elist')).toBe(400)
})
