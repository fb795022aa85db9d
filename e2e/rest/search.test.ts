import { users } from '#db/schema/accounts.ts'
import { views } from '#db/schema/views.ts'
import type { TestPartner } from '../partners.ts'
import { ask, expectInvalid } from './client.ts'
import { bringIn, newDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

type System = Parameters<typeof bringIn>[0] & { url: string }

const idsOf = (text: string) => [...text.matchAll(/\{"id":(\d+)[,}]/g)].map(([, id]) => BigInt(id!))

async function search(system: System, { token }: { token: string }, query = '') {
  const answer = await ask(system, `GET /api/deals/search?${query}`, { token })
  return { ...answer, json: answer.json }
}

/** Returns the IDs that a search finds. */
async function find(system: System, partner: { token: string }, query: string): Promise<bigint[]> {
  const { status, text } = await search(system, partner, `${query}&fields=id&limit=100`)
  expect(status, text).toBe(200)
  return idsOf(text)
}

/** Reads all pages of a search. Calls `between` after each page. */
async function walk(
  system: System,
  partner: TestPartner,
  query: string,
  between?: (page: number) => Promise<void>,
) {
  const ids: bigint[] = []
  let cursor = ''
  for (let page = 1; ; page++) {
    const { json, text, status } = await search(system, partner, `${query}${cursor}`)
    expect(status, text).toBe(200)
    ids.push(...idsOf(text))
    if (json.next === null) return ids
    cursor = `&cursor=${json.next}`
    await between?.(page)
  }
}

// server/search/operations.test.ts compares random queries with a check of every deal.
test('parameters combine, and every order is the same page by page', async ({ system }) => {
  const [a, b, c] = newIds(3) as [bigint, bigint, bigint]
  const at = (day: string) => `2026-${day}T00:00:00.000Z`
  const partner = await system.makePartner({
    deals: [
      { id: a, stage: 'Sold', hasBattery: true, lastModified: at('01-01'), createDate: at('01-01') },
      { id: b, stage: 'Permit, Submitted', lastModified: at('02-01'), createDate: at('01-15') },
      { id: c, permitReceived: at('03-01') },
    ],
  })
  for (const [query, found] of [
    ['stage=Sold&stage=Permit,%20Submitted', [a, b]],
    ['stage=Sold&flag=hasBattery:false', []],
    ['modifiedAfter=2026-01-31T02:00:00%2B02:00&lacks=permitReceived', [b]],
  ] as const)
    expect(await find(system, partner, query), query).toEqual(found)
  for (const [sort, found] of [
    ['id', [a, b, c]],
    ['lastModified', [a, b, c]],
    ['-lastModified', [b, a, c]],
    ['createDate', [a, b, c]],
    ['-createDate', [b, a, c]],
  ] as const) {
    expect(await find(system, partner, `sort=${sort}`), sort).toEqual(found)
    expect(await walk(system, partner, `sort=${sort}&limit=1`), sort).toEqual(found)
  }
})

test('deals equal those read by id, byte for byte; fields limits the keys', async ({ system }) => {
  const [id] = newIds(1)
  const partner = await system.makePartner({
    deals: [{ id: id!, stage: 'Sold', amount: 1.5, owner: { id: 9007199254740993n } as never }],
  })
  const { text } = await ask(system, `GET /api/deals/${id}`, { token: partner.token })
  expect((await search(system, partner)).text).toBe(`{"deals":[${text}],"next":null}`)
  const some = await search(system, partner, 'fields=owner,stage&fields=hasHoa')
  expect(some.text).toMatch(
    new RegExp(
      `^\\{"deals":\\[\\{"id":${id},"owner":\\{"id":9007199254740993,.*\\},"stage":"Sold","hasHoa":false\\}\\],"next":null\\}$`,
    ),
  )
  expect((await search(system, partner, 'fields=id')).text).toBe(`{"deals":[{"id":${id}}],"next":null}`)
})

test('an invalid value is a 400 that states the allowed values', async ({ system }) => {
  const { token } = await system.makePartner()
  const time = 'must be an ISO 8601 time with a time zone, such as 2026-03-01T17:20:05Z, or a day'
  const number = 'must be a number in plain decimal digits, such as 25000 or 19999.50'
  for (const [query, ...problems] of [
    [
      'modifiedAfter=2026-03-01T00:00:00+02:00',
      'modifiedAfter: has a space instead of a +; encode the + as %2B',
    ],
    ['modifiedAfter=2026-02-30', `modifiedAfter: ${time}`],
    ['amountMin=1e3', `amountMin: ${number}`],
    ['amountMin=1&amountMin=2', 'amountMin: must be given once'],
    ['stage=', 'stage: must not be empty; lacks=stage finds deals without one'],
    ['q=%00', 'q: must not contain NUL or broken surrogates'],
    ['has=permitRecieved', 'has: there is no permitRecieved; did you mean permitReceived?'],
    ['flag=hasbattery', 'flag: there is no hasbattery; did you mean hasBattery?'],
    ['flag=hasBattery:yes', 'flag: must end in :true or :false: hasBattery:yes'],
    ['fields=stages', 'fields: there is no stages; did you mean stage?'],
    ['sort=amount', 'sort: must be one of id, lastModified, -lastModified, createDate, -createDate'],
    ['limit=101', 'limit: must be at most 100'],
    ['cursor=x', 'cursor: must be the `next` of the previous page'],
    ['view=Nothing', 'view: must be the id or the name of a view that your team shares'],
    ['amountMin=x&limit=x', `amountMin: ${number}`, 'limit: must be a whole number in plain decimal digits'],
  ] as [string, ...string[]][])
    expectInvalid(await ask(system, `GET /api/deals/search?${query}`, { token }), ...problems)
  const { json } = await ask(system, 'GET /api/deals/search?has=notes', { token })
  expect(json.errors[0]).toMatch(/^has: notes cannot be searched; it must be one of .*, permitReceived/)
})

test('an unknown parameter is a 400 that names the closest parameter', async ({ system }) => {
  const { token } = await system.makePartner({ deals: newDeals(1) })
  for (const [name, nearest] of [
    ['Stage', 'stage'],
    ['modified_after', 'modifiedAfter'],
    ['page', 'cursor'],
    ['size', 'limit'],
    ['__proto__', 'sort'],
  ] as const) {
    const { status, json } = await ask(system, `GET /api/deals/search?${name}=1`, { token })
    expect([status, json.errors], name).toEqual([
      400,
      [`${name}: unknown parameter; did you mean ${nearest}?`],
    ])
  }
})

test('paging returns every deal that stays, while others arrive, change and leave', async ({ system }) => {
  const stay = newDeals(30).map((deal, at) => ({
    ...deal,
    stage: 'Sold',
    createDate: `2026-01-${String(1 + (at % 9)).padStart(2, '0')}T00:00:00.000Z`,
    lastModified: `2026-02-${String(1 + (at % 7)).padStart(2, '0')}T00:00:00.000Z`,
  }))
  for (const sort of ['id', 'createDate', '-createDate', 'lastModified']) {
    const partner = await system.makePartner({ deals: stay })
    const leaving = newDeals(12).map((deal) => ({ ...deal, stage: 'Sold' }))
    await bringIn(system, partner, leaving)
    const found = await walk(system, partner, `stage=Sold&sort=${sort}&limit=4`, async (page) => {
      await bringIn(
        system,
        partner,
        [{ ...leaving[page - 1]!, stage: 'Lost' }].filter(({ id }) => id !== undefined),
      )
      await bringIn(system, partner, [
        { ...stay[page]!, notes: `changed ${page}`, lastModified: `2026-03-01T00:00:0${page % 10}.000Z` },
      ])
      if (page < 4)
        await bringIn(
          system,
          partner,
          newDeals(2).map((deal) => ({ ...deal, stage: 'Sold' })),
        )
    })
    expect(found, sort).toEqual(expect.arrayContaining(stay.map(({ id }) => id)))
    if (sort !== 'lastModified') expect(new Set(found).size, sort).toBe(found.length)
  }
})

test('a cursor is valid only for its own search', async ({ system }) => {
  const partner = await system.makePartner({ deals: newDeals(3) })
  const { json } = await search(system, partner, 'lacks=stage&limit=1')
  const problem =
    'cursor: belongs to another search; repeat the parameters of the previous page, or begin without a cursor'
  for (const query of ['lacks=stage&sort=lastModified', 'lacks=amount', '', 'lacks=stage&q=deal'])
    expectInvalid(
      await ask(system, `GET /api/deals/search?${query}&cursor=${json.next}`, { token: partner.token }),
      problem,
    )
  const same = await search(system, partner, `limit=2&fields=stage&lacks=stage&cursor=${json.next}`)
  expect(same.json.deals).toHaveLength(2)
  expect(same.json.next).toBe(null)
})

test("`view` applies the filter of a view shared in the partner's team", async ({ system }) => {
  const [sold, permit] = newDeals(2).map((deal, at) => ({ ...deal, stage: ['Sold', 'Permit'][at]! }))
  const partner = await system.makePartner({ deals: [sold!, permit!] })
  const other = await system.makePartner({ deals: [] })
  const [user] = await system.db
    .insert(users)
    .values({
      email: `${crypto.randomUUID()}@team.example`,
      name: 'Ana',
      role: 'admin',
      partnerId: partner.id,
    })
    .returning({ id: users.id })
  const add = async (name: string, query: string, isShared = true) =>
    (
      await system.db
        .insert(views)
        .values({ partnerId: partner.id, userId: user!.id, name, query, isShared })
        .returning({ id: views.id })
    )[0]!.id
  const id = await add('Sold deals', 'stage=Sold&sort=-amount&columns=stage')
  await add('Own', 'stage=Sold', false)
  await add('My deals', 'is=mine')
  expect(await find(system, partner, 'view=Sold%20deals')).toEqual([sold!.id])
  expect(await find(system, partner, `view=${id}`)).toEqual([sold!.id])
  expect(await find(system, partner, `view=${id}&stage=Permit`)).toEqual([])
  expect(await find(system, partner, `view=${id}&has=stage`)).toEqual([sold!.id])
  const unknown = 'view: must be the id or the name of a view that your team shares'
  expectInvalid(await search(system, partner, 'view=Own'), unknown)
  expectInvalid(await search(system, other, `view=${id}`), unknown)
  expectInvalid(
    await search(system, partner, 'view=My%20deals'),
    'view: depends on who looks at it, because it shows the deals of the signed-in user',
  )
})

test("finds only the partner's own deals; an internal token finds all deals", async ({ system }) => {
  const [mine, theirs] = newDeals(2).map((deal) => ({ ...deal, stage: 'Only in this test' }))
  const a = await system.makePartner({ deals: [mine!] })
  const b = await system.makePartner({ deals: [theirs!] })
  const token = await system.makeInternalToken()
  const query = 'stage=Only%20in%20this%20test'
  expect(await find(system, a, query)).toEqual([mine!.id])
  expect(await find(system, b, query)).toEqual([theirs!.id])
  for (const sort of ['id', '-lastModified', 'createDate'])
    expect(await find(system, { token }, `${query}&sort=${sort}`), sort).toEqual(
      sort === '-lastModified' ? [theirs!.id, mine!.id] : [mine!.id, theirs!.id],
    )
  expectInvalid(
    await search(system, a, `partner=${b.slug}`),
    'partner: unknown parameter; did you mean state?',
  )
})

test('an unchanged page is a 304; HEAD has the headers; other methods are a 405', async ({ system }) => {
  const { token } = await system.makePartner({ deals: newDeals(1) })
  const { headers } = await ask(system, 'GET /api/deals/search', { token })
  const again = await ask(system, 'GET /api/deals/search', {
    token,
    headers: { 'if-none-match': headers.etag },
  })
  expect(again.status).toBe(304)
  const head = await ask(system, 'HEAD /api/deals/search', { token })
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag])
  expect((await ask(system, 'POST /api/deals/search', { token })).headers.allow).toBe('GET, HEAD')
})
