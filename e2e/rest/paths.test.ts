import { ask, expectError, lastingHeaders } from './client.ts'
import { expect, test } from './rest-test.ts'

for (const [path, allow, wrong] of [
  [
    '/api/deals',
    'GET, HEAD',
    ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'PURGE', 'QUERY'],
  ],
  ['/api/deals/1', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ['/api/files/a', 'GET, HEAD', ['POST', 'PUT', 'DELETE']],
  ['/api/events', 'GET, HEAD', ['POST', 'DELETE']],
  ['/api/events/reconcile', 'POST', ['GET', 'PUT', 'DELETE', 'OPTIONS']],
  ['/api/deals/search', 'GET, HEAD', ['POST']],
  ['/api/webhook', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']],
] as const) {
  test(`${path} with another method is a 405 that allows ${allow}`, async ({ system, demo }) => {
    for (const method of wrong) {
      const answer = await ask(system, `${method} ${path}`, { token: demo.token })
      expectError(answer, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
      expect(answer.headers.allow, method).toBe(allow)
    }
  })
}

test('a wrong method is reported before a malformed id, query or body', async ({ system, demo }) => {
  for (const [what, body] of [
    ['DELETE /api/deals/abc'],
    ['PUT /api/deals?page=0', '{'],
    ['PUT /api/webhook', ' '.repeat(2_000_000)],
  ] as const)
    expectError(
      await ask(system, what, { token: demo.token, body }),
      405,
      'METHOD_NOT_ALLOWED',
      'The method is not allowed here',
    )
})

test('an unknown path is a 404 for any method', async ({ system, demo }) => {
  const { json } = await ask(system, 'GET /api/deals?size=1', { token: demo.token })
  const { id } = json.deals[0]
  for (const path of [
    '/api',
    '/api/nothing',
    '/api/deals/',
    `/api/deals/${id}/files`,
    '/api/DEALS',
    '/api/webhooks/one/two',
    '/api/v1/deals',
    '/api/%64eals',
    '/api/deals;x=1',
    '/api/constructor',
    '/api/openapi.json/',
    '/api/trpcx',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await ask(system, `${method} ${path}`, { token: demo.token })
      expectError(answer, 404, 'NOT_FOUND', 'Path not found')
      expect(answer.headers.allow).toBeUndefined()
    }
  }
})

test('a non-normalized path is a 400 before any other check, even without a token', async ({
  system,
  demo,
}) => {
  for (const path of [
    '/api/deals//',
    '/api/./deals',
    '/api/deals/%2e%2e',
    '/api/deals%2F1',
    '/api/deals%00',
    '/api/files/..%2f..%2fetc%2fpasswd',
    '/live/../api/deals',
  ])
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
      for (const token of [demo.token, undefined])
        expectError(
          await ask(system, `${method} ${path}`, token === undefined ? {} : { token }),
          400,
          'BAD_REQUEST',
          'The URL is not valid',
          ['path: must be in normal form, without empty segments, . or .., encoded or not'],
        )
})

const invalid = [400, 'BAD_REQUEST', 'The request is not valid'] as const

for (const [name, path, ids, ...expected] of [
  [
    'a malformed or out-of-range deal id',
    '/api/deals/',
    '1.0 1e3 0x10 +1 -0 1%20 9223372036854775808 -9223372036854775809 __proto__ %D9%A1 abc'
      .split(' ')
      .concat('1'.repeat(5000)),
    ...invalid,
    ['id: must be an integer from -9223372036854775808 to 9223372036854775807'],
  ],
  [
    'a malformed file id',
    '/api/files/',
    ['x'.repeat(65), 'a.b', 'a%20b', '%C3%A4'],
    ...invalid,
    ['id: must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -'],
  ],
  [
    'an unknown deal id, including at both ends of the range,',
    '/api/deals/',
    ['9223372036854775806', '-9223372036854775808', '%31'],
    404,
    'NOT_FOUND',
    'Deal not found',
  ],
  [
    'an unknown file id',
    '/api/files/',
    ['_', 'x'.repeat(64), 'constructor', '%61'],
    404,
    'NOT_FOUND',
    'File not found',
  ],
] as const)
  test(`${name} is a ${expected[0]}`, async ({ system, demo }) => {
    for (const id of ids) {
      const [status, code, message, errors] = expected
      expectError(
        await ask(system, `GET ${path}${id}`, { token: demo.token }),
        status,
        code,
        message,
        errors === undefined ? null : [...errors],
      )
    }
  })

test('HEAD responds like GET, without the body', async ({ system, demo }) => {
  const { json } = await ask(system, 'GET /api/deals?size=1', { token: demo.token })
  const file = json.deals[0].hicAgreement ?? 'none'
  for (const target of [
    '/api/deals',
    '/api/deals?page=2&size=25',
    `/api/deals/${json.deals[0].id}`,
    '/api/webhook',
    '/api/events',
    '/api/deals/1',
    '/api/deals/abc',
    '/api/deals?size=0',
    '/api/nothing',
    `/api/files/${file}x`,
    '/api/openapi.json',
    '/healthz',
    '/readyz',
  ]) {
    for (const by of [
      {},
      { token: demo.token },
      { token: demo.token, headers: { 'accept-encoding': 'gzip' } },
    ]) {
      const get = await ask(system, `GET ${target}`, by)
      const head = await ask(system, `HEAD ${target}`, by)
      expect(head.bytes.length).toBe(0)
      expect({ target, status: head.status, headers: lastingHeaders(head) }).toEqual({
        target,
        status: get.status,
        headers: lastingHeaders(get),
      })
    }
  }
})

test('health needs no token', async ({ system }) => {
  for (const [path, body] of [
    ['/healthz', '{"status":"alive"}'],
    ['/readyz', '{"status":"ready"}'],
  ]) {
    const { status, headers, text } = await ask(system, `GET ${path}`)
    expect({ status, type: headers['content-type'], text }).toEqual({
      status: 200,
      type: 'application/json',
      text: body,
    })
  }
})
