import { ask } from './client.ts'
import { expect, test } from './rest-test.ts'

/** The correct encodings for an Accept-Encoding; undefined is none. */
const right: Record<string, (string | undefined)[]> = {
  gzip: ['gzip'],
  GZIP: ['gzip'],
  'gzip, deflate, br': ['gzip'],
  'gzip, deflate, br, zstd': ['gzip', 'zstd'],
  zstd: ['zstd'],
  'zstd;q=0.5, gzip;q=1.0': ['gzip'],
  'zstd;q=0, gzip': ['gzip'],
  'gzip;q=0, zstd': ['zstd'],
  'gzip;q=0.001': ['gzip'],
  'identity;q=0, gzip': ['gzip'],
  'identity;q=0, *': ['gzip', 'zstd'],
  'identity;q=0.5, gzip;q=0.1': [undefined],
  '*': ['gzip', 'zstd'],
  '*;q=0, gzip': ['gzip'],
  'gzip;q=0': [undefined],
  'gzip;q=0, zstd;q=0': [undefined],
  identity: [undefined],
  br: [undefined],
  'deflate, br;q=1': [undefined],
  '': [undefined],
  'gzip;q=x': ['gzip', undefined],
  ';;;,,': [undefined],
}

for (const target of ['/api/deals?size=25', 'a deal']) {
  test(`${target} is compressed in the way that Accept-Encoding prefers, and reads the same`, async ({
    system,
    demo,
  }) => {
    const page = await ask(system, 'GET /api/deals?size=25', { token: demo.token })
    const path = target === 'a deal' ? `/api/deals/${page.json.deals[0].id}` : target
    const plain = await ask(system, `GET ${path}`, { token: demo.token })
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [accept, encodings] of Object.entries(right)) {
      const answer = await ask(system, `GET ${path}`, {
        token: demo.token,
        headers: { 'accept-encoding': accept },
      })
      const encoding = answer.headers['content-encoding']
      expect(encodings, accept).toContain(encoding)
      expect(answer.text).toBe(plain.text)
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length))
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.headers.vary).toContain('Accept-Encoding')
      expect(answer.headers.etag).toBe(plain.headers.etag)
      if (encoding !== undefined) expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 1.5)
    }
  })
}

test('If-None-Match matches across encodings, because the ETag is weak', async ({ system, demo }) => {
  const zipped = await ask(system, 'GET /api/deals', {
    token: demo.token,
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(
    (
      await ask(system, 'GET /api/deals', {
        token: demo.token,
        headers: { 'if-none-match': zipped.headers.etag! },
      })
    ).status,
  ).toBe(304)
})

test('short responses and errors are not compressed', async ({ system, demo }) => {
  for (const target of [
    '/api/webhook',
    '/api/deals?page=99999',
    '/api/deals/1',
    '/api/deals?size=0',
    '/api/nothing',
  ]) {
    const answer = await ask(system, `GET ${target}`, {
      token: demo.token,
      headers: { 'accept-encoding': 'gzip, zstd' },
    })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.bytes.toString()).toBe(answer.text)
  }
})
