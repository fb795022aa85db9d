import { existsSync, globSync, readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { currentWork } from '#server/admission/slots.ts'
import type { Portal } from '#server/http/pages.ts'
import { readRoutes } from '#server/http/route.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { parseAnswer, send } from './rest/raw-http.ts'

// Requests every route in every spelling. Each request must be refused before it does anything, or admitted
// exactly once.

let system: LocalSystem
/** Pages served so far, with the caller of each request. */
let served: { url: string; caller: string | undefined }[] = []

const portal: Pick<Portal, 'answer' | 'files'> = {
  async answer(request, response) {
    await system.db.execute(sql`select 1`)
    served.push({ url: request.url!, caller: currentWork()?.caller.group })
    response.end('page')
  },
  files: new Set(['/_next/static/chunks/a.js']),
}

beforeAll(async () => {
  system = await openLocalSystem({ portal })
})
afterAll(() => system.close())
beforeEach(() => {
  served = []
})

/** Sends a request with exactly this target, which a client library might normalize. Returns the response. */
async function ask(target: string, method = 'GET', headers = ''): Promise<{ status: number; body: string }> {
  const request = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`
  return parseAnswer(await send(system, request))
}

const admitted = () => {
  const { requests, statements } = system.services.admission
  const sum = (counts: typeof requests.counts) =>
    Object.values(counts).reduce((all, { admitted: of }) => all + of, 0)
  return { requests: sum(requests.counts), statements: sum(statements.counts) }
}

/** All routes of the portal: pages, route handlers and metadata files. */
const routes = globSync('app/**/{page.tsx,page.mdx,route.ts,icon.svg,apple-icon.png,manifest.ts}')
  .map((path) =>
    path
      .replaceAll('\\', '/')
      .replace(/^app/, '')
      .replace(/\/(?:page|route)\.\w+$/, '')
      .replace(/manifest\.ts$/, 'manifest.webmanifest')
      .replaceAll(/\/\([^)]+\)/g, ''),
  )
  .map((path) => path || '/')

/** An example URL for each route. */
const pages = routes
  .map((route) => route.replaceAll(/\[\.*\w+\]/g, '1'))
  .filter((path) => !path.startsWith('/unsubscribe'))

const normal: ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}?q=/../%2e%2e//`,
  (path) => `${path};x=1`,
  (path) => `${path};/..;/x`,
  (path) => `/x${path.toUpperCase()}`,
  (path) => `${path}%20`,
  (path) => `${path}?_rsc=1`,
  (path) => `http://other.example${path}`,
]

const notNormal: ((path: string) => string)[] = [
  (path) => `/_next/..${path}`,
  (path) => `/_next/%2e%2e${path}`,
  (path) => `/_next/static/.%2E/..${path}`,
  (path) => `/_next/%252e%252e${path}`,
  (path) => `/_next/..%2f${path.slice(1)}`,
  (path) => `/_next\\..${path}`,
  (path) => `/_next/%5c..${path}`,
  (path) => `/healthz/..${path}`,
  (path) => `/.${path}`,
  (path) => `/${path}`,
  (path) => `${path === '/' ? '' : path}//`,
  (path) => `${path}%00`,
  (path) => `${path}%ff`,
  (path) => `${path}%`,
  (path) => `${path}#x`,
  (path) => `http://other.example/_next/..${path}`,
]

const builtRoutes = '.next/app-path-routes-manifest.json'

test.skipIf(!existsSync(builtRoutes))('the test covers all routes of the build', () => {
  const built = Object.values(JSON.parse(readFileSync(builtRoutes, 'utf8')) as Record<string, string>)
  expect(built.length).toBeGreaterThan(50)
  expect(built.filter((route) => !route.startsWith('/_') && !routes.includes(route))).toEqual([])
})

test('the test covers many pages', () => {
  expect(pages.length).toBeGreaterThan(50)
})

test.each(pages)(
  '%s is admitted once in each normalized spelling, and rejected in all others',
  async (path) => {
    for (const spell of normal) {
      const before = admitted()
      const { status } = await ask(spell(path))
      expect(status, spell(path)).toBe(200)
      expect(served.pop(), spell(path)).toMatchObject({ caller: 'anonymous' })
      expect(admitted(), spell(path)).toEqual({
        requests: before.requests + 1,
        statements: before.statements + 1,
      })
    }
    for (const method of ['GET', 'HEAD', 'POST'])
      for (const spell of notNormal) {
        const before = admitted()
        const { status, body } = await ask(spell(path), method)
        expect(status, spell(path)).toBe(400)
        expect(admitted(), spell(path)).toEqual(before)
        expect(served).toEqual([])
        if (method === 'GET')
          expect(JSON.parse(body)).toEqual({
            code: 'BAD_REQUEST',
            message: 'The URL is not valid',
            errors: [expect.stringContaining('path: ')],
          })
      }
  },
)

/** Paths that are served without Next. */
const others = [
  '/healthz',
  '/readyz',
  '/live',
  '/files/x',
  '/hooks/x',
  '/api/openapi.json',
  '/api',
  '/api/nope',
]

test.each([...readRoutes().map(({ segments }) => segments.join('/').replaceAll(/\{\w+\}/g, '1')), ...others])(
  '%s is admitted at most once, and only under its own path',
  async (path) => {
    const { token } = await system.makePartner()
    const headers = `Authorization: Bearer ${token}\r\n`
    const requestsOf = async (target: string) => {
      const before = admitted().requests
      const { status } = await ask(target, 'GET', headers)
      return { status, admitted: admitted().requests - before }
    }
    // Vary the query, so that no response comes from the cache.
    const first = await requestsOf(`${path}?n=0`)
    expect(first.admitted).toBeGreaterThanOrEqual(first.status === 200 && !others.includes(path) ? 1 : 0)
    expect(first.admitted).toBeLessThanOrEqual(1)
    expect(await requestsOf(`http://other.example${path}?n=1`)).toEqual(first)
    // These paths name no operation. If another part of the product responds to one, it counts as one
    // request.
    for (const spelled of [`${path};x=1`, `${path}/`, `${path}%20`, `/x${path}`, path.toUpperCase()])
      expect((await requestsOf(spelled)).admitted, spelled).toBeLessThanOrEqual(1)
    for (const spell of notNormal) {
      const { status, admitted: count } = await requestsOf(spell(path))
      expect([spell(path), status, count]).toEqual([
        spell(path),
        path === '/files/x' && spell(path).startsWith('/files/') ? 403 : 400,
        0,
      ])
    }
    expect(served.every(({ caller }) => caller === 'anonymous')).toBe(true)
  },
)

test.each([
  '/_next/nope',
  '/_next/image?url=%2Ficon.svg&w=640&q=75',
  '/_next/data/x/deals.json',
  '/_next/static/chunks/b.js',
  '/_next/static/chunks/A.js',
  '/_next/static/',
  '/_next/',
])('%s does not exist in the build and renders no page', async (path) => {
  const before = admitted()
  expect(await ask(path)).toMatchObject({ status: 404, body: expect.stringContaining('NOT_FOUND') })
  expect(served).toEqual([])
  expect(admitted()).toEqual(before)
})

test('build files skip admission', async () => {
  const before = admitted()
  expect((await ask('/_next/static/chunks/a.js')).status).toBe(200)
  expect(admitted().requests).toBe(before.requests)
})

test('requests without a known caller wait as anonymous clients, and readiness checks do not wait', async () => {
  const { statements } = system.services.admission
  const before = statements.counts.anonymous.admitted
  expect((await ask('/readyz')).status).toBe(200)
  expect(statements.counts.anonymous.admitted).toBe(before)
  expect((await ask('/unsubscribe/x', 'POST', 'Content-Length: 0\r\n')).status).toBe(404)
  expect((await ask('/live')).status).toBe(401)
})

test('an altered file URL is a 403, whatever its path', async () => {
  for (const path of ['/files/x/../../sign-in', '/files/%2e%2e/sign-in', '/files//x', '/files/%'])
    expect((await ask(path)).status, path).toBe(403)
  expect(served).toEqual([])
})
