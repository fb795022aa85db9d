import { rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { download } from '#server/files/download.ts'
import { listenLocally } from '../loopback.ts'
import type { TestedSystem } from '../system.ts'
import { ask, expectError, lastingHeaders } from './client.ts'
import { addFile, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251))

/** Returns the path and query of a new file's signed URL, and the file's ID. */
async function signed(
  system: TestedSystem,
  file: { name: string; type?: string; content: Buffer | string },
): Promise<{ path: string; id: string }> {
  const [deal] = newDeals(1)
  const { token } = await system.makePartner({ deals: [deal!] })
  const id = await addFile(system, deal!.id, file)
  const { url } = (await ask(system, `GET /api/files/${id}`, { token })).json
  return { path: url.slice(new URL(url).origin.length), id }
}

test.for([
  ['plan set.pdf', 'application/pdf'],
  ['x.html', 'text/html'],
  ['x.svg', 'image/svg+xml'],
] as const)(
  'a download of %s has its type, length and name, as a sandboxed attachment',
  async ([name, type], { system }) => {
    const { path } = await signed(system, { name, type, content })
    const { status, headers, bytes } = await ask(system, `GET ${path}`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    expect(status).toBe(200)
    expect(bytes.equals(content)).toBe(true)
    expect(headers).toMatchObject({
      'content-length': '100000',
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-cache',
    })
    expect(String(headers['content-type']).split(';')[0]).toBe(type)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['x-request-id']).toBeTruthy()
    expect(headers['set-cookie']).toBeUndefined()
  },
)

test("a download keeps the file's name, whatever its characters (RFC 6266)", async ({ system }) => {
  for (const name of [
    'a "quoted"; name.pdf',
    'Vertrag Müller.pdf',
    '€ price.pdf',
    `${'🏠'.repeat(120)}.pdf`,
    "it's 100%25 (1)*.pdf",
    '.hidden',
  ]) {
    const { path } = await signed(system, { name, content: 'x' })
    const header = String((await ask(system, `GET ${path}`)).headers['content-disposition'])
    expect(header).toMatch(/^attachment; filename[\x20-\x7e]+$/)
    const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1]
    const plain = /filename="((?:\\.|[^"\\])*)"/.exec(header)?.[1]!.replaceAll(/\\(.)/g, '$1')
    expect(extended === undefined ? plain : decodeURIComponent(extended)).toBe(name)
  }
})

test('a range is a 206 with its bytes, a 416 beyond the file, and ignored if it is invalid', async ({
  system,
}) => {
  const { path } = await signed(system, { name: 'a.pdf', content })
  const empty = await signed(system, { name: 'empty.txt', content: '' })
  const answerOf = async (range: string, target = path, method = 'GET') => {
    const { status, headers, bytes } = await ask(system, `${method} ${target}`, { headers: { range } })
    const of = headers['content-range'] ?? null
    return { status, of, length: Number(headers['content-length']), bytes, headers }
  }
  for (const [range, first, last] of [
    ['0-0', 0, 0],
    ['50000-50009', 50_000, 50_009],
    ['-10', 99_990, 99_999],
    ['99990-200000', 99_990, 99_999],
    ['0-', 0, 99_999],
  ] as const) {
    const { headers, ...answer } = await answerOf(`bytes=${range}`)
    const bytes = content.subarray(first, last + 1)
    expect(answer).toEqual({ status: 206, of: `bytes ${first}-${last}/100000`, length: bytes.length, bytes })
    expect(headers['content-disposition']).toBe('attachment; filename="a.pdf"')
  }
  for (const range of ['bytes=x-y', 'lines=1-2', 'bytes=0-1,5-6'])
    expect(await answerOf(range), range).toMatchObject({ status: 200, of: null, length: 100_000 })
  for (const range of ['bytes=0-', 'bytes=-1', 'bytes=5-'])
    for (const method of ['GET', 'HEAD'])
      expect(await answerOf(range, empty.path, method)).toMatchObject({ status: 200, of: null, length: 0 })
  for (const range of ['bytes=100000-', 'bytes=-0']) {
    const answer = await ask(system, `GET ${path}`, { headers: { range } })
    expectError(answer, 416, 'RANGE_NOT_SATISFIABLE', 'The file has no such range')
    expect(answer.headers['content-range']).toBe('bytes */100000')
    for (const name of ['etag', 'last-modified', 'content-disposition'])
      expect(answer.headers[name], name).toBeUndefined()
  }
})

test('If-Range returns the range of an unchanged file, and all of a changed file', async ({ system }) => {
  const { path } = await signed(system, { name: 'a.pdf', content })
  const { headers } = await ask(system, `GET ${path}`)
  const ranged = async (ifRange: string) =>
    (await ask(system, `GET ${path}`, { headers: { range: 'bytes=0-9', 'if-range': ifRange } })).status
  expect(await ranged(headers['last-modified']!)).toBe(206)
  expect(await ranged('Mon, 01 Jan 1990 00:00:00 GMT')).toBe(200)
  expect(await ranged('"another"')).toBe(200)
})

test('a download supports conditional requests', async ({ system }) => {
  const { path } = await signed(system, { name: 'a.pdf', content })
  const { headers } = await ask(system, `GET ${path}`)
  for (const condition of [
    { 'if-none-match': headers.etag! },
    { 'if-none-match': '*' },
    { 'if-modified-since': headers['last-modified']! },
  ]) {
    const answer = await ask(system, `GET ${path}`, { headers: condition })
    expect([answer.status, answer.text]).toEqual([304, ''])
  }
  const failed = await ask(system, `GET ${path}`, { headers: { 'if-match': '"another"' } })
  expectError(failed, 412, 'PRECONDITION_FAILED', 'The file has changed')
  expect(failed.headers['content-disposition']).toBeUndefined()
})

test('HEAD returns the headers of GET; any other method is a 405', async ({ system }) => {
  const { path } = await signed(system, { name: 'a.pdf', content })
  const get = await ask(system, `GET ${path}`)
  const head = await ask(system, `HEAD ${path}`)
  expect([head.status, head.bytes.length]).toEqual([200, 0])
  expect(lastingHeaders(head)).toEqual(lastingHeaders(get))
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
    const answer = await ask(system, `${method} ${path}`)
    expectError(answer, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
    expect(answer.headers.allow).toBe('GET, HEAD')
  }
})

test('a file whose content is lost is a 404 without details of the disk', async ({ system }) => {
  const { path, id } = await signed(system, { name: 'a.pdf', content })
  await rm(join(system.dataDir, 'files', id))
  expectError(await ask(system, `GET ${path}`), 404, 'NOT_FOUND', 'File not found')
})

test('while the file directory is unavailable, a download is a 503, and the log has the reason', async ({
  system,
}) => {
  const { path } = await signed(system, { name: 'a.pdf', content })
  const directory = join(system.dataDir, 'files')
  await rename(directory, `${directory}.away`)
  await writeFile(directory, 'a file')
  const answer = await ask(system, `GET ${path}`)
  expectError(
    answer,
    503,
    'SERVICE_UNAVAILABLE',
    'The file store cannot be used at the moment; try again shortly',
  )
  expect(answer.headers['retry-after']).toBe('5')
  await expect
    .poll(() => system.output())
    .toMatch(/"step":"read","problem":"part of the path is not a directory \(ENOTDIR\)"/)
  await rm(directory)
  await rename(`${directory}.away`, directory)
  expect((await ask(system, `GET ${path}`)).status).toBe(200)
})

test('releases everything for a client that disconnects before its file is found', async ({ system }) => {
  const { path } = await signed(system, { name: 'plan.pdf', content })
  const downloaded = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.once('close', () =>
      downloaded.resolve(download(system.services, request, response, async () => undefined)),
    )
    response.destroy()
  })
  const { url, close } = await listenLocally(server)
  await fetch(`${url}${path}`).catch(() => {})
  await downloaded.promise
  expect(system.services.admission.downloads.count).toBe(0)
  await close()
})
