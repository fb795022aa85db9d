import { expect, test } from '../fixtures.ts'
import { secret, ask } from './client.ts'
import { addFile, newIds } from './deals.ts'

test('the log has one line per request, without tokens, cookies, signatures or homeowners’ data', async ({
  system,
}) => {
  const [id] = newIds(1)
  const secrets = {
    dealname: 'Zyxwvut, Quentin',
    firstName: 'Quentin',
    lastName: 'Zyxwvut',
    streetAddress: '4711 Unmistakable Way',
    primaryPhone: '(602) 555-0199',
    notes: 'The gate code is 98431',
    hoaEmail: 'board@unmistakable.example',
  }
  const { token, slug } = await system.makePartner({ deals: [{ id: id!, ...secrets }] })
  const fileId = await addFile(system, id!, { name: 'Zyxwvut agreement.pdf', content: 'x' })
  const file = (await ask(system, `GET /api/files/${fileId}`, { token })).json
  const path = file.url.slice(new URL(file.url).origin.length)
  const before = system.output().length
  const calls: [what: string, status: number, options?: Parameters<typeof ask>[2]][] = [
    ['GET /api/deals?partner=Zyxwvut&x=Quentin', 200, { token }],
    [
      `GET /api/deals/${id}`,
      200,
      { token, headers: { cookie: 'session=cookie-of-the-test', 'user-agent': 'agent-of-the-test' } },
    ],
    [`GET /api/files/${fileId}`, 200, { token }],
    [`GET ${path}`, 200],
    [`GET ${path}A`, 403],
    [`GET ${path.replace('?', '/')}`, 403],
    [`GET /api/deals/${token}`, 400, { token }],
    ['GET /api/deals', 401, { token: `${token}x` }],
    [`GET /api/deals?access_token=${token}`, 401],
    ['POST /api/webhook', 200, { token, json: { createURL: 'https://unmistakable.example/hook?key=98431' } }],
    [
      'POST /api/webhook',
      400,
      { token, body: '{"createURL":"Zyxwvut', headers: { 'content-type': 'application/json' } },
    ],
    ['GET /api/events', 200, { token }],
    // This path is not normalized, so the request is refused before its query is parsed.
    ['GET //api/deals?access_token=98431', 400, {}],
    [
      'GET /sign-in?email=board@unmistakable.example',
      200,
      { headers: { cookie: 'authjs.session-token=cookie-of-the-test' } },
    ],
    [`GET http://${slug}:cookie-of-the-test@deals.example/api/deals`, 200, { token }],
  ]
  const ids: string[] = []
  for (const [what, status, options] of calls) {
    const answer = await ask(system, what, options)
    expect({ what, status: answer.status }).toEqual({ what, status })
    ids.push(answer.headers['x-request-id'] as string)
  }
  const written = () => system.output().slice(before)
  await expect.poll(() => ids.every((requestId) => written().includes(requestId))).toBe(true)
  const lines = written()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  for (const [at, requestId] of ids.entries()) {
    const own = lines.filter((line) => line.requestId === requestId)
    expect(own).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        requestId,
        method: calls[at]![0].split(' ')[0],
        path: expect.any(String),
        status: calls[at]![1],
        ms: expect.any(Number),
        by: expect.any(String),
      },
    ])
  }
  for (const secret of [
    token,
    token.slice(3, 20),
    path.split('signature=')[1]!,
    'signature',
    'expires',
    'cookie-of-the-test',
    'agent-of-the-test',
    'authorization',
    'unmistakable.example',
    'access_token',
    '98431',
    ...Object.values(secrets),
    'Zyxwvut',
  ]) {
    expect(written().includes(secret), `the log holds ${secret}`).toBe(false)
  }
})

test('no log line of earlier tests contains a token or a signature', async ({ system }) => {
  const lines = system
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter((line) => secret.test(line))).toEqual([])
})
