import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileKeyFrom, signPath } from '#server/files/signature.ts'
import { openLocalSystem } from '../local-system.ts'
import type { TestedSystem } from '../system.ts'
import { ask, expectError } from './client.ts'
import { addFile, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

/** Creates a file of a new partner. */
async function makeFile(system: TestedSystem, file: { name: string; content: string }) {
  const [deal] = newDeals(1)
  const { token } = await system.makePartner({ deals: [deal!] })
  return { token, id: await addFile(system, deal!.id, file) }
}

/** Returns the path and query of a signed URL. */
const pathOf = (url: string) => url.slice(new URL(url).origin.length)

test('a file has exactly six fields, and its URL works without a token', async ({ system }) => {
  const { id, token } = await makeFile(system, { name: 'Agreement Ñandú.PDF', content: 'twelve bytes' })
  const before = Date.now()
  const { status, headers, json } = await ask(system, `GET /api/files/${id}`, { token })
  expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
    status: 200,
    type: 'application/json',
    cache: 'private, no-cache',
  })
  expect(Object.keys(json)).toEqual(['url', 'expiresAt', 'name', 'extension', 'type', 'size'])
  expect(json).toMatchObject({
    name: 'Agreement Ñandú.PDF',
    extension: 'pdf',
    type: 'application/pdf',
    size: 12,
  })
  expect(json.url).toMatch(
    new RegExp(
      `^http://localhost:${new URL(system.url).port}/files/${id}\\?expires=\\d+&signature=[A-Za-z0-9_-]{43}$`,
    ),
  )
  expect(json.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  expect(Math.abs(Date.parse(json.expiresAt) - before - 3_600_000)).toBeLessThan(60_000)
  expect(json.url).toContain(`expires=${Date.parse(json.expiresAt) / 1000}&`)
  const whole = await fetch(json.url)
  expect([whole.status, await whole.text()]).toEqual([200, 'twelve bytes'])
})

test("a deal's hicAgreement is the id of an available file", async ({ system, demo }) => {
  const { json } = await ask(system, 'GET /api/deals?size=25&page=5', { token: demo.token })
  const { hicAgreement } = json.deals.find(
    (deal: { hicAgreement: string | null }) => deal.hicAgreement !== null,
  )
  const file = (await ask(system, `GET /api/files/${hicAgreement}`, { token: demo.token })).json
  expect(file).toMatchObject({ extension: 'pdf', type: 'application/pdf' })
  const { bytes, headers } = await ask(system, `GET ${pathOf(file.url)}`)
  expect([bytes.length, bytes.subarray(0, 5).toString(), headers['content-type']]).toEqual([
    file.size,
    '%PDF-',
    'application/pdf',
  ])
})

test('a URL is a 403 if it was altered or has expired', async ({ system }) => {
  const { id } = await makeFile(system, { name: 'a.txt', content: 'x' })
  const key = fileKeyFrom(await readFile(join(system.dataDir, 'auth-secret'), 'utf8'))
  const now = Math.floor(Date.now() / 1000)
  const path = signPath(key, id, 'staff', now + 2)
  expect((await ask(system, `GET ${path}`)).status).toBe(200)
  const altered = [
    `${path}A`,
    `${path}&x=1`,
    path.split('?')[0]!,
    `/files/../files${path.slice(6)}`,
    '/files/',
  ]
  for (const target of [...altered, signPath(key, id, 'staff', now)])
    expectError(await ask(system, `GET ${target}`), 403, 'FORBIDDEN', 'The URL is invalid or has expired')
  await expect.poll(async () => (await ask(system, `GET ${path}`)).status, { interval: 100 }).toBe(403)
})

test('FILE_URL_TTL_SECONDS and PUBLIC_URL set the lifetime and base of URLs; RATE_LIMIT_PER_MINUTE defaults to 600', async () => {
  const system = await openLocalSystem({
    env: {
      FILE_URL_TTL_SECONDS: '60',
      PUBLIC_URL: 'https://deals.example/base/',
      RATE_LIMIT_PER_MINUTE: '',
    },
  })
  try {
    const { id, token } = await makeFile(system, { name: 'a.txt', content: 'x' })
    const before = Date.now()
    const { json } = await ask(system, `GET /api/files/${id}`, { token })
    expect(json.url).toMatch(/^https:\/\/deals\.example\/base\/files\//)
    const lastsMs = Date.parse(json.expiresAt) - before
    expect(lastsMs).toBeGreaterThan(58_000)
    expect(lastsMs).toBeLessThanOrEqual(61_000)
    const { headers } = await ask(system, 'GET /api/deals', { token })
    expect(headers.link).toContain('<https://deals.example/base/api/deals?page=1&size=10>; rel="first"')
    expect(headers['x-ratelimit-limit']).toBe('600')
  } finally {
    await system.close()
  }
})
