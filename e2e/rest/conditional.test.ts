import { ask, lastingHeaders } from './client.ts'
import { bringIn, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

const weak = /^W\/"[\x21\x23-\x7e]+"$/

test('deals and lists carry an ETag, and If-None-Match with it is a 304 without a body', async ({
  system,
}) => {
  const deals = newDeals(3)
  const { token } = await system.makePartner({ deals })
  for (const target of [
    `/api/deals/${deals[0]!.id}`,
    '/api/deals',
    '/api/deals?page=2&size=2',
    '/api/deals?page=9',
    '/api/events',
  ]) {
    const first = await ask(system, `GET ${target}`, { token })
    const etag = first.headers.etag!
    expect(etag).toMatch(weak)
    const strong = etag.slice(2)
    for (const condition of [etag, strong, `W/"x",${etag},"y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(system, `${method} ${target}`, {
          token,
          headers: { 'if-none-match': condition },
        })
        expect({ condition, status: again.status, body: again.text }).toEqual({
          condition,
          status: 304,
          body: '',
        })
        for (const name of ['etag', 'vary', 'cache-control'])
          expect(again.headers[name], name).toBe(first.headers[name])
        expect(again.headers['content-length']).toBeUndefined()
        expect(again.headers['x-ratelimit-remaining']).toBeTruthy()
      }
    }
    const lines = await ask(system, `GET ${target}`, { token, headers: { 'if-none-match': ['"x"', etag] } })
    expect(lines.status).toBe(304)
    for (const other of ['"x"', etag.slice(0, -1), '', '"*"']) {
      const full = await ask(system, `GET ${target}`, { token, headers: { 'if-none-match': other } })
      expect({ other, status: full.status, same: full.text === first.text, etag: full.headers.etag }).toEqual(
        { other, status: 200, same: true, etag },
      )
    }
  }
})

test('the ETag of a list changes exactly when an import changes the list', async ({ system }) => {
  const [deal, other] = newDeals(2)
  const partner = await system.makePartner({ deals: [deal!] })
  const etags = async () =>
    Promise.all(
      ['/api/deals', '/api/deals?page=2&size=1', `/api/deals/${deal!.id}`].map(
        async (target) => (await ask(system, `GET ${target}`, { token: partner.token })).headers.etag,
      ),
    )
  const [list, second, single] = await etags()
  await bringIn(system, partner, [{ ...deal! }])
  expect(await etags()).toEqual([list, second, single])
  await bringIn(system, partner, [other!])
  const added = await etags()
  expect(added[0]).not.toBe(list)
  expect(added[1]).not.toBe(second)
  expect(added[2]).toBe(single)
  await bringIn(system, partner, [{ id: deal!.id, stage: 'Permit' }])
  const changed = await etags()
  expect(changed[0]).not.toBe(added[0])
  expect(changed[2]).not.toBe(single)
  const { status, text } = await ask(system, `GET /api/deals/${deal!.id}`, {
    token: partner.token,
    headers: { 'if-none-match': single! },
  })
  expect({ status, stage: text.includes('"stage":"Permit"') }).toEqual({ status: 200, stage: true })
})

test('the ETag of a page, size, list or partner matches no other', async ({ system, demo }) => {
  const internal = await system.makeInternalToken()
  const others = [
    await system.makePartner({ deals: newDeals(30) }),
    await system.makePartner({ deals: newDeals(30) }),
    await system.makePartner(),
    await system.makePartner(),
  ]
  const requests = [...others.map(({ token }) => token), demo.token, internal].flatMap((token) =>
    ['?page=1&size=10', '?page=2&size=10', '?page=1&size=20', '?page=10&size=1'].map((query) => ({
      target: `/api/deals${query}`,
      token,
    })),
  )
  requests.push(
    ...others
      .slice(0, 2)
      .map(({ slug }) => ({ target: `/api/deals?partner=${slug}&page=3&size=10`, token: internal })),
  )
  const etags = await Promise.all(
    requests.map(async ({ target, token }) => (await ask(system, `GET ${target}`, { token })).headers.etag!),
  )
  expect(new Set(etags).size).toBe(etags.length)
  const all = etags.join(', ')
  for (const [at, { target, token }] of requests.entries()) {
    const withoutOwn = all.replace(`${etags[at]}`, '"x"')
    expect(
      (await ask(system, `GET ${target}`, { token, headers: { 'if-none-match': withoutOwn } })).status,
    ).toBe(200)
  }
})

test('If-None-Match never turns an error into a 304', async ({ system, demo }) => {
  for (const [target, status] of [
    ['/api/deals/1', 404],
    ['/api/deals/x', 400],
    ['/api/deals?size=0', 400],
    ['/api/nothing', 404],
    ['/api/files/none', 404],
  ] as const) {
    const answer = await ask(system, `GET ${target}`, {
      token: demo.token,
      headers: { 'if-none-match': '*' },
    })
    expect(answer.status).toBe(status)
    expect(answer.headers.etag).toBeUndefined()
  }
  expect((await ask(system, 'GET /api/deals', { headers: { 'if-none-match': '*' } })).status).toBe(401)
  expect(
    (await ask(system, 'GET /api/webhook', { token: demo.token, headers: { 'if-none-match': '*' } })).status,
  ).toBe(200)
})

test('only the client may cache responses, and must revalidate them', async ({ system, demo }) => {
  const { json, headers } = await ask(system, 'GET /api/deals?size=1', { token: demo.token })
  expect(headers['cache-control']).toBe('private, no-cache')
  expect(headers.vary).toBe('Authorization, Accept-Encoding')
  for (const target of [`/api/deals/${json.deals[0].id}`, '/api/webhook', '/api/events']) {
    expect((await ask(system, `GET ${target}`, { token: demo.token })).headers['cache-control']).toBe(
      'private, no-cache',
    )
  }
  for (const target of ['/api/deals/1', '/api/deals?size=0', '/api/nothing']) {
    expect(lastingHeaders(await ask(system, `GET ${target}`, { token: demo.token }))['cache-control']).toBe(
      'no-store',
    )
  }
})
