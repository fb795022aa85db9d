import { ask, expectInvalid } from './client.ts'
import { bringIn, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

const linkOf = (link: unknown, relation: string) =>
  new RegExp(`<([^>]+)>; rel="${relation}"`).exec(String(link))?.[1]

test('the next link works with HEAD, ETag and the other links, and page numbers work without it', async ({
  system,
}) => {
  const deals = newDeals(12)
  const partner = await system.makePartner({ deals })
  const { token } = partner
  const first = await ask(system, 'GET /api/deals?size=5', { token })
  const next = new URL(linkOf(first.headers.link, 'next')!)
  expect([next.host, ...next.searchParams.keys()]).toEqual([
    `localhost:${new URL(system.url).port}`,
    'page',
    'size',
    'cursor',
  ])
  const target = next.pathname + next.search
  const second = await ask(system, `GET ${target}`, { token })
  expect(second.text).toBe((await ask(system, 'GET /api/deals?page=2&size=5', { token })).text)
  const head = await ask(system, `HEAD ${target}`, { token })
  expect([head.status, head.headers.etag, head.headers.link]).toEqual([
    200,
    second.headers.etag,
    second.headers.link,
  ])
  const headers = { 'if-none-match': second.headers.etag as string }
  expect((await ask(system, `GET ${target}`, { token, headers })).status).toBe(304)
  expect(linkOf(second.headers.link, 'prev')).toMatch(/\?page=1&size=5$/)
  expect(linkOf(second.headers.link, 'last')).toMatch(/\?page=3&size=5$/)
  await bringIn(system, null, [deals[2]!])
  expect((await ask(system, `GET ${target}`, { token, headers })).status).toBe(200)
  const idsOf = async (query: string) =>
    (await ask(system, `GET /api/deals?${query}`, { token })).json.deals.map(({ id }: { id: number }) =>
      BigInt(id),
    )
  const ids = deals.map(({ id }) => id)
  const cursor = next.searchParams.get('cursor')
  expect(await idsOf(`page=2&size=5&cursor=${cursor}`)).toEqual(ids.slice(5, 10))
  expect(await idsOf(`size=3&cursor=${cursor}`)).toEqual(ids.slice(5, 8))
  // If a client increments `page` but keeps the cursor, `page` wins.
  expect(await idsOf(`page=3&size=5&cursor=${cursor}`)).toEqual(ids.slice(11))
})

test('a cursor not taken from a link is a 400 that names it', async ({ system, demo: { token } }) => {
  for (const cursor of ['', '0', 'x', '-1', 'null', 'MS4yLjM%3D', '%00', '%ff', 'a'.repeat(5000)])
    expectInvalid(
      await ask(system, `GET /api/deals?cursor=${cursor}`, { token }),
      'cursor: must be the one of a next link',
    )
  expectInvalid(
    await ask(system, 'GET /api/deals?cursor=MS4yLjM&cursor=MS4yLjM', { token }),
    'cursor: must be given once',
  )
  const ofTheFuture = Buffer.from('2.7.1').toString('base64url')
  expectInvalid(
    await ask(system, `GET /api/deals?cursor=${ofTheFuture}`, { token }),
    'cursor: is too old; start again with the first page',
  )
})
