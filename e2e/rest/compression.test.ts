import { ask } from './client.ts'
import { expect, test } from './rest-test.ts'

/** Acceptable encodings for each Accept-Encoding header; undefined means no encoding. */
const right: Record<string, (string | undefined)[]> = {
  'gzip, deflate, br': ['gzip'],
  zstd: ['zstd'],
  'zstd;q=0.5, GZIP;q=1.0': ['gzip'],
  'gzip;q=0, zstd': ['zstd'],
  'identity;q=0, *': ['gzip', 'zstd'],
  'identity;q=0.5, gzip;q=0.1': [undefined],
  'gzip;q=0': [undefined],
  'deflate, br;q=1': [undefined],
  '': [undefined],
  ';;;,,': [undefined],
}

for (const target of ['/api/deals?size=25', 'a deal']) {
  test(`${target} is compressed as Accept-Encoding prefers, with the same content`, async ({
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
