import { type Answer, ask, expectInvalid, lastingHeaders } from './client.ts'
import { addFile, bringIn, newDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

const seen = (answer: Answer) => ({
  status: answer.status,
  bytes: answer.bytes.toString('latin1'),
  headers: lastingHeaders(answer),
})

test("another partner's deal or file gets the same response as a missing one, byte for byte", async ({
  system,
}) => {
  const [deal] = newDeals(1)
  const owner = await system.makePartner({ deals: [deal!] })
  const fileId = await addFile(system, deal!.id, { name: 'agreement.pdf', content: 'x' })
  const [missingId] = newIds(1)
  const other = await system.makePartner({ deals: newDeals(1) })
  expect((await ask(system, `GET /api/deals/${deal!.id}`, { token: owner.token })).status).toBe(200)
  expect((await ask(system, `GET /api/files/${fileId}`, { token: owner.token })).status).toBe(200)
  for (const headers of [{}, { 'accept-encoding': 'gzip' }, { 'if-none-match': '*' }]) {
    for (const method of ['GET', 'HEAD', 'DELETE', 'POST']) {
      const theirs = await ask(system, `${method} /api/deals/${deal!.id}`, { token: other.token, headers })
      expect(seen(theirs)).toEqual(
        seen(await ask(system, `${method} /api/deals/${missingId}`, { token: other.token, headers })),
      )
      const theirFile = await ask(system, `${method} /api/files/${fileId}`, { token: other.token, headers })
      expect(seen(theirFile)).toEqual(
        seen(
          await ask(system, `${method} /api/files/${'x'.repeat(fileId.length)}`, {
            token: other.token,
            headers,
          }),
        ),
      )
    }
  }
  expect((await ask(system, `GET /api/deals/${deal!.id}`, { token: other.token })).text).toBe(
    '{"code":"NOT_FOUND","message":"Deal not found","errors":null}',
  )
  expect((await ask(system, `GET /api/files/${fileId}`, { token: other.token })).text).toBe(
    '{"code":"NOT_FOUND","message":"File not found","errors":null}',
  )
})

test('the `partner` parameter has no effect for a partner, whatever its value', async ({ system }) => {
  const partner = await system.makePartner({ deals: newDeals(3) })
  const other = await system.makePartner({ deals: newDeals(2) })
  const plain = seen(await ask(system, 'GET /api/deals', { token: partner.token }))
  for (const query of [
    `partner=${other.slug}`,
    'partner=',
    'partner=no-such-partner',
    'partner=%00',
    `partner=${other.slug}&partner=${partner.slug}`,
    `partner=${'x'.repeat(8000)}`,
  ]) {
    expect(seen(await ask(system, `GET /api/deals?${query}`, { token: partner.token })), query).toEqual(plain)
  }
  const paged = await ask(system, `GET /api/deals?partner=${other.slug}&size=2`, { token: partner.token })
  expect(paged.headers.link).not.toContain('partner')
})

test('an internal token sees the deals and files of all partners', async ({ system }) => {
  const token = await system.makeInternalToken()
  const before = (await ask(system, 'GET /api/deals?size=1', { token })).json.count
  const [mine, theirs] = [newDeals(2), newDeals(3)]
  const a = await system.makePartner({ deals: mine })
  const b = await system.makePartner({ deals: theirs })
  const { json } = await ask(system, 'GET /api/deals?size=25', { token })
  expect(json.count).toBe(before + 5)
  const end = Math.ceil(json.count / 5)
  const tail = [
    ...(await ask(system, `GET /api/deals?size=5&page=${end - 1}`, { token })).json.deals,
    ...(await ask(system, `GET /api/deals?size=5&page=${end}`, { token })).json.deals,
  ]
  expect(tail.slice(-5).map(({ id }) => BigInt(id))).toEqual([...mine, ...theirs].map(({ id }) => id))
  for (const [partner, deal] of [
    [a, mine[0]!],
    [b, theirs[0]!],
  ] as const) {
    const fileId = await addFile(system, deal.id, { name: 'plan.pdf', content: 'x' })
    expect((await ask(system, `GET /api/deals/${deal.id}`, { token })).text).toBe(
      (await ask(system, `GET /api/deals/${deal.id}`, { token: partner.token })).text,
    )
    expect((await ask(system, `GET /api/files/${fileId}`, { token })).json.name).toBe('plan.pdf')
  }
})

test('with an internal token, `partner` filters by slug, including pages, count, Link and ETag', async ({
  system,
}) => {
  const token = await system.makeInternalToken()
  const partner = await system.makePartner({ deals: newDeals(3) })
  const own = await ask(system, 'GET /api/deals?size=2', { token: partner.token })
  const filtered = await ask(system, `GET /api/deals?size=2&partner=${partner.slug}`, { token })
  expect(filtered.text).toBe(own.text)
  expect(filtered.headers.link).toMatch(
    new RegExp(`page=2&size=2&partner=${partner.slug}&cursor=[\\w-]+>; rel="next"`),
  )
  expect(
    (
      await ask(system, `GET /api/deals?size=2&partner=${partner.slug}`, {
        token,
        headers: { 'if-none-match': filtered.headers.etag! },
      })
    ).status,
  ).toBe(304)
  await bringIn(system, partner, newDeals(1))
  const after = await ask(system, `GET /api/deals?size=2&partner=${partner.slug}`, {
    token,
    headers: { 'if-none-match': filtered.headers.etag! },
  })
  expect([after.status, after.json.count, after.json.pages]).toEqual([200, 4, 2])
  const empty = await system.makePartner()
  expect((await ask(system, `GET /api/deals?partner=${empty.slug}`, { token })).text).toBe(
    '{"page":1,"pages":0,"count":0,"deals":[]}',
  )
})

test('with an internal token, an unknown slug is a 400 that names the parameter', async ({
  system,
  demo,
}) => {
  const token = await system.makeInternalToken()
  for (const query of [
    'partner=no-such-partner',
    'partner=',
    'partner=a%00b',
    'partner=%ED%A0%80',
    `partner=${demo.slug}&partner=${demo.slug}`,
    `partner=${demo.slug.toUpperCase()}`,
    'partner=__proto__',
    `partner=${'x'.repeat(8000)}`,
  ]) {
    expectInvalid(
      await ask(system, `GET /api/deals?${query}`, { token }),
      'partner: must be the slug of a partner',
    )
  }
  expectInvalid(
    await ask(system, 'GET /api/deals?partner=no-such-partner&size=0', { token }),
    'size: must be at least 1',
  )
})
