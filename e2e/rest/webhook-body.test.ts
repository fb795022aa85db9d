import { gzipSync } from 'node:zlib'
import type { TestedSystem } from '../system.ts'
import { ask, expectError, expectInvalid } from './client.ts'
import { dial, listen, parseAnswer } from './raw-http.ts'
import { expect, test } from './rest-test.ts'

const bodyMax = 1024 * 1024
const [create, update] = ['https://crm.example/created', 'https://crm.example/updated']
const notJson = 'the body must be JSON in UTF-8'
const neither = 'at least one of createURL and updateURL must be given'

const post = (
  system: TestedSystem,
  token: string,
  body: string | Buffer | undefined,
  type: string | null = 'application/json',
  headers: Record<string, string> = {},
) =>
  ask(system, 'POST /api/webhook', {
    token,
    body,
    headers: { ...(type === null ? {} : { 'content-type': type }), ...headers },
  })

const stored = async (system: TestedSystem, token: string) =>
  (await ask(system, 'GET /api/webhook', { token })).text

test('both URLs are null at first', async ({ system }) => {
  const { token } = await system.makePartner()
  const { status, headers, text } = await ask(system, 'GET /api/webhook', { token })
  expect({ status, type: headers['content-type'], text }).toEqual({
    status: 200,
    type: 'application/json',
    text: '{"createURL":null,"updateURL":null}',
  })
})

test('sets given URLs, keeps omitted ones, and clears null and empty ones', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const [input, then] of [
    [{ createURL: create }, [create, null]],
    [{ updateURL: update }, [create, update]],
    [{ createURL: null }, [null, update]],
    [{ createURL: create, updateURL: '' }, [create, null]],
    [{ createURL: null, updateURL: null }, [null, null]],
  ] as const) {
    const { status, text } = await ask(system, 'POST /api/webhook', { token, json: input })
    const expected = JSON.stringify({ createURL: then[0], updateURL: then[1] })
    expect({ input, status, text }).toEqual({ input, status: 200, text: expected })
    expect(await stored(system, token)).toBe(expected)
  }
})

test('unknown keys are ignored', async ({ system }) => {
  const { token } = await system.makePartner()
  const body = `{"x":1,"__proto__":{"updateURL":"${update}"},"constructor":null,"url":"x","createURLs2":5,"":[],"secret":{"a":[[[9007199254740993]]]},"createURL":"${create}","toJSON":1}`
  expect((await post(system, token, body)).text).toBe(`{"createURL":"${create}","updateURL":null}`)
})

test('a body without either key is a 400', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const body of ['{}', '{"created":"x"}', `{"__proto__":{"createURL":"${create}"}}`])
    expectInvalid(await post(system, token, body), neither)
})

test('a key of the wrong type is a 400 that names the key, and nothing is stored', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const value of ['1', 'true', '[]', `{"url":"${create}"}`]) {
    expectInvalid(await post(system, token, `{"createURL":${value}}`), 'createURL: must be a string or null')
    expectInvalid(
      await post(system, token, `{"createURL":"${create}","updateURL":${value}}`),
      'updateURL: must be a string or null',
    )
    expectInvalid(
      await post(system, token, `{"updateURL":${value},"createURL":${value}}`),
      'createURL: must be a string or null',
      'updateURL: must be a string or null',
    )
  }
  expect(await stored(system, token)).toBe('{"createURL":null,"updateURL":null}')
})

test('JSON that is not an object is a 400', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const body of ['null', '[1]', '"x"', '9223372036854775808', '[{"createURL":null}]'])
    expectInvalid(await post(system, token, body), 'must be an object')
})

test('a body that is not JSON in UTF-8 is a 400', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const body of [
    '',
    ' ',
    '{"createURL":',
    '{"createURL":null}}',
    '{createURL:null}',
    '{"createURL":null,}',
    'NaN',
    '{"createURL":"\u0000"}',
    '{"createURL":01}',
    `\ufeff\ufeff{"createURL":null}`,
    Buffer.from('7b22637265617465ff55524c223a6e756c6c7d', 'hex'),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('\ufeff{"createURL":null}', 'utf16le'),
    gzipSync('{"createURL":null}'),
  ]) {
    expectInvalid(await post(system, token, body), notJson)
  }
  expectInvalid(await post(system, token, undefined), notJson)
})

test('a body may begin with a byte order mark', async ({ system }) => {
  const { token } = await system.makePartner()
  const body = `\ufeff{"createURL":"${create}"}`
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/x+json']) {
    const { status, text } = await post(system, token, body, type)
    expect({ status, text }).toEqual({ status: 200, text: `{"createURL":"${create}","updateURL":null}` })
  }
})

test('a misspelled key is a 400 that names the key, and nothing is stored', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const [key, known] of [
    ['updateUrl', 'updateURL'],
    ['CREATEURL', 'createURL'],
    ['updateURI', 'updateURL'],
    ['create_url', 'createURL'],
  ])
    expectInvalid(
      await post(system, token, JSON.stringify({ createURL: create, [key!]: update })),
      `${key}: unknown key; did you mean ${known}?`,
    )
  expect(await stored(system, token)).toBe('{"createURL":null,"updateURL":null}')
  const { token: reader } = await system.makePartner({ scopes: ['webhooks:read'] })
  expect((await post(system, reader, '{"updateUrl":1}')).status).toBe(403)
})

test('deep nesting is rejected or ignored, and never an internal error', async ({ system }) => {
  const { token } = await system.makePartner()
  const deep = (count: number) => '['.repeat(count) + ']'.repeat(count)
  for (const body of [
    '['.repeat(100_000),
    deep(500_000),
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    `{"createURL":${deep(100_000)}}`,
  ]) {
    const answer = await post(system, token, body)
    expect([answer.status, answer.json.code]).toEqual([400, 'BAD_REQUEST'])
    expect(Object.keys(answer.json)).toEqual(['code', 'message', 'errors'])
  }
  const beside = await post(system, token, `{"createURL":null,"x":${deep(100_000)}}`)
  expect([200, 400]).toContain(beside.status)
  expect(await stored(system, token)).toBe('{"createURL":null,"updateURL":null}')
})

test('application/json and application/*+json are accepted, with or without a charset', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset="utf-8"',
    'application/json;',
    'application/json; profile=x; charset=utf-8',
    'application/vnd.partner+json',
    'application/problem+json; charset=utf-8',
    'application/x.y-z_1+JSON',
    'application/a+b+json',
  ]) {
    const url = `${create}?${encodeURIComponent(type)}`
    const { status, text } = await post(system, token, JSON.stringify({ createURL: url }), type)
    expect({ type, status, text }).toEqual({
      type,
      status: 200,
      text: JSON.stringify({ createURL: url, updateURL: null }),
    })
  }
})

test('any other content type, or a missing one, is a 415', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const type of [
    null,
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-seq',
    'application/+json',
    'application/x+json5',
    'application/*',
    'application/json, text/plain',
    'application/x json',
  ]) {
    for (const body of [`{"createURL":"${create}"}`, '{', ''])
      expectError(
        await post(system, token, body, type),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be application/json',
      )
  }
  expect(await stored(system, token)).toBe('{"createURL":null,"updateURL":null}')
})

test('a compressed body is a 415', async ({ system }) => {
  const { token } = await system.makePartner()
  const body = gzipSync(JSON.stringify({ createURL: create }))
  for (const encoding of ['gzip', 'x', 'gzip, identity']) {
    expectError(
      await post(system, token, body, 'application/json', { 'content-encoding': encoding }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must not be compressed',
    )
  }
  expect(
    (await post(system, token, '{"createURL":null}', 'application/json', { 'content-encoding': 'identity' }))
      .status,
  ).toBe(200)
})

test('a body of 1 MiB is accepted, and one more byte is a 413, with a length or chunked', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  const padded = (bytes: number) => `{"createURL":"${create}"}`.padEnd(bytes, ' ')
  for (const chunked of [false, true]) {
    const send = (body: string) =>
      ask(system, 'POST /api/webhook', {
        token,
        body,
        chunked,
        headers: { 'content-type': 'application/json' },
      })
    expect((await send(padded(bodyMax))).text).toBe(`{"createURL":"${create}","updateURL":null}`)
    expect((await ask(system, 'POST /api/webhook', { token, json: { createURL: null } })).status).toBe(200)
    for (const more of [bodyMax + 1, 5_000_000])
      expectError(await send(padded(more)), 413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1048576 bytes')
    expect(await stored(system, token)).toBe('{"createURL":null,"updateURL":null}')
  }
})

test('a body announced as too long is a 413 before it arrives, and an endless body is cut at 1 MiB', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  const head = `POST /api/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  for (const framing of ['Content-Length: 30000000', 'Transfer-Encoding: chunked']) {
    const socket = dial(system)
    const received = listen(socket)
    socket.write(`${head}${framing}\r\n\r\n`)
    if (framing.startsWith('Transfer')) socket.write(`200000\r\n${' '.repeat(0x200000)}\r\n`)
    expect(parseAnswer(await received)).toMatchObject({
      status: 413,
      body: '{"code":"PAYLOAD_TOO_LARGE","message":"The body is larger than 1048576 bytes","errors":null}',
    })
  }
})
