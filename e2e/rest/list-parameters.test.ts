import { ask, expectInvalid } from './client.ts'
import { newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

const notDigits = 'must be a whole number in plain decimal digits'
const notDigitsForms = [
  '',
  '%20',
  '+1',
  '-1',
  '1.0',
  '1,0',
  '1e1',
  '0x1',
  '1%0A',
  '1_0',
  'NaN',
  '%D9%A1',
  '%F0%9D%9F%8F',
  '%ff',
  '%',
]

for (const name of ['page', 'size']) {
  test(`${name} is a 400 that names it unless written in plain decimal digits`, async ({ system, demo }) => {
    for (const form of notDigitsForms) {
      expectInvalid(
        await ask(system, `GET /api/deals?${name}=${form}`, { token: demo.token }),
        `${name}: ${notDigits}`,
      )
    }
    expectInvalid(await ask(system, `GET /api/deals?${name}`, { token: demo.token }), `${name}: ${notDigits}`)
  })

  test(`${name} given more than once is a 400 that names it`, async ({ system, demo }) => {
    for (const query of [
      `${name}=1&${name}=1`,
      `${name}=&${name}=`,
      `${name}=1&x=1&${name}=x&${name}=2`,
      `${name}=1&${name[0]}%${name.charCodeAt(1).toString(16)}${name.slice(2)}=1`,
    ]) {
      expectInvalid(
        await ask(system, `GET /api/deals?${query}`, { token: demo.token }),
        `${name}: must be given once`,
      )
    }
  })

  test(`${name} below 1 or above its maximum is a 400 that names it; values are never clamped`, async ({
    system,
    demo,
  }) => {
    const maximum = name === 'page' ? 2_147_483_647 : 25
    for (const low of ['0', '00'])
      expectInvalid(
        await ask(system, `GET /api/deals?${name}=${low}`, { token: demo.token }),
        `${name}: must be at least 1`,
      )
    for (const high of [maximum + 1, 4_294_967_297, `1${'0'.repeat(8000)}`]) {
      expectInvalid(
        await ask(system, `GET /api/deals?${name}=${high}`, { token: demo.token }),
        `${name}: must be at most ${maximum}`,
      )
    }
    expect((await ask(system, `GET /api/deals?${name}=${maximum}`, { token: demo.token })).status).toBe(200)
    expect((await ask(system, `GET /api/deals?${name}=1`, { token: demo.token })).status).toBe(200)
  })
}

test('leading zeros are allowed, and an escaped digit or name equals the plain form', async ({
  system,
  demo,
}) => {
  const plain = await ask(system, 'GET /api/deals?page=2&size=3', { token: demo.token })
  for (const query of [
    'page=002&size=03',
    'page=%32&size=%33',
    'p%61ge=2&s%69ze=3',
    'size=3&page=2',
    '&&page=2&&size=3&',
    `page=${'0'.repeat(5000)}2&size=3`,
  ]) {
    const answer = await ask(system, `GET /api/deals?${query}`, { token: demo.token })
    expect(answer.text, query).toBe(plain.text)
    expect(answer.headers.link).toBe(plain.headers.link)
  }
})

test('the default is the first page of 10', async ({ system, demo }) => {
  const { json, text } = await ask(system, 'GET /api/deals', { token: demo.token })
  expect({ ...json, deals: json.deals.length }).toEqual({
    page: 1,
    pages: Math.ceil(json.count / 10),
    count: json.count,
    deals: 10,
  })
  expect(text).toBe((await ask(system, 'GET /api/deals?page=1&size=10', { token: demo.token })).text)
  expect(text).toBe((await ask(system, 'GET /api/deals?', { token: demo.token })).text)
  expect(Object.keys(json)).toEqual(['page', 'pages', 'count', 'deals'])
})

test('unknown query parameters are ignored', async ({ system, demo }) => {
  const plain = await ask(system, 'GET /api/deals?size=2', { token: demo.token })
  for (const name of ['__proto__', 'constructor', '__proto__[page]', 'page[]', '%20page', 'limit', '', '%ff'])
    for (const query of [`${name}=0`, name, `${name}=1&${name}=2`]) {
      const answer = await ask(system, `GET /api/deals?size=2&${query}`, { token: demo.token })
      expect(
        { status: answer.status, same: answer.text === plain.text, link: answer.headers.link },
        query,
      ).toEqual({ status: 200, same: true, link: plain.headers.link })
    }
  for (const target of [
    'GET /api/webhook?__proto__=1&constructor=2',
    'GET /api/events?toString=1',
    'GET /api/webhook?createURL=1',
  ]) {
    expect((await ask(system, target, { token: demo.token })).status).toBe(200)
  }
  expect((await ask(system, 'GET /api/deals/1?id=2&__proto__=1', { token: demo.token })).status).toBe(404)
})

test('a misspelled parameter is a 400 that names it', async ({ system, demo: { token } }) => {
  for (const [operation, name, known] of [
    ['/api/deals', 'Page', 'page'],
    ['/api/deals', 'SIZE', 'size'],
    ['/api/deals', 'pages', 'page'],
    ['/api/deals', 'siz', 'size'],
    ['/api/deals', 'Partner', 'partner'],
    ['/api/events', 'limits', 'limit'],
    ['/api/events', 'After', 'after'],
    ['/api/insight/flow', 'month', 'months'],
  ])
    expectInvalid(
      await ask(system, `GET ${operation}?${name}=1`, { token }),
      `${name}: unknown parameter; did you mean ${known}?`,
    )
  expectInvalid(
    await ask(system, 'GET /api/deals?size=1&p%41ge=2&Sizes=1&Sizes=2', { token }),
    'pAge: unknown parameter; did you mean page?',
    'Sizes: unknown parameter; did you mean size?',
  )
})

test('a page past the end is empty, with the true count and number of pages', async ({ system }) => {
  const { token } = await system.makePartner({ deals: newDeals(7) })
  for (const [page, size, pages] of [
    [4, 3, 3],
    [2, 25, 1],
    [2_147_483_647, 25, 1],
    [2_147_483_647, 1, 7],
  ] as const) {
    const { status, text } = await ask(system, `GET /api/deals?page=${page}&size=${size}`, { token })
    expect({ status, text }).toEqual({
      status: 200,
      text: `{"page":${page},"pages":${pages},"count":7,"deals":[]}`,
    })
  }
  const { json } = await ask(system, 'GET /api/deals?page=3&size=3', { token })
  expect([json.page, json.pages, json.count, json.deals.length]).toEqual([3, 3, 7, 1])
})

test('a partner without deals has count 0 and pages 0', async ({ system }) => {
  const { token } = await system.makePartner()
  expect((await ask(system, 'GET /api/deals', { token })).text).toBe(
    '{"page":1,"pages":0,"count":0,"deals":[]}',
  )
  expect((await ask(system, 'GET /api/deals?page=9&size=25', { token })).text).toBe(
    '{"page":9,"pages":0,"count":0,"deals":[]}',
  )
})
