import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { Sheet } from '#server/sheets/sheet.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { markRevoked } from '#server/tokens/store.ts'
import type { LocalSystem } from '../local-system.ts'
import type { TestPartner } from '../partners.ts'
import { ask, expectError, lastingHeaders } from './client.ts'
import { bringIn, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

const openDeals: Sheet = {
  filter: { states: ['MA'] },
  relativeDays: {},
  sort: { field: 'dealname', direction: 'asc' },
  columns: [
    { column: 'dealname', title: 'Deal' },
    { column: 'zipCode', title: 'ZIP code' },
    { column: 'primaryPhone', title: 'Phone' },
    { column: 'amount', title: 'Amount' },
    { column: 'id', title: 'Deal ID' },
  ],
}

/** Creates a sheet link of a partner. */
async function makeSheet({ db }: LocalSystem, { id: partnerId }: TestPartner, sheet = openDeals) {
  const made = await issueToken(db, { partnerId, name: 'Open deals', scopes: [], expiresAt: null, sheet })
  return { ...made, path: `/api/sheets/${made.id}.csv` }
}

/** Creates a partner with a sheet link and two deals, one of which is in the sheet. */
async function makePartner(system: LocalSystem) {
  const partner = await system.makePartner()
  const [first, second] = newIds(2) as [bigint, bigint]
  const deal = { zipCode: '02134', primaryPhone: '+1 602 555 0100', amount: 1200.5 }
  await bringIn(system, partner, [
    { id: first, dealname: '=1+1', state: 'MA', ...deal },
    { id: second, dealname: 'Elsewhere', state: 'AZ', ...deal },
  ])
  const csv = `"Deal","ZIP code","Phone","Amount","Deal ID"\r\n"=1+1","02134","+1 602 555 0100",1200.5,"${first}"\r\n`
  return { partner, ids: [first, second], csv, sheet: await makeSheet(system, partner) }
}

const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`

test('reads the view by its key: in the query, as a bearer token, or as a password', async ({ system }) => {
  const { csv, sheet } = await makePartner(system)
  for (const [target, authorization] of [
    [`${sheet.path}?key=${sheet.token}`],
    [sheet.path, `Bearer ${sheet.token}`],
    [sheet.path, basic(sheet.token)],
  ] as const) {
    const answer = await ask(system, `GET ${target}`, { headers: { authorization } })
    expect(answer).toMatchObject({ status: 200, text: csv })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': String(Buffer.byteLength(csv)),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'none',
    })
    expect(Number(answer.headers['x-ratelimit-remaining'])).toBeLessThan(1_000_000)
  }
})

test('supports HEAD, ignores ranges, compresses with gzip, and returns a 304 for a known version', async ({
  system,
}) => {
  const { csv, sheet } = await makePartner(system)
  const target = `${sheet.path}?key=${sheet.token}`
  const head = await ask(system, `HEAD ${target}`)
  const whole = await ask(system, `GET ${target}`)
  expect(head).toMatchObject({ status: 200, text: '' })
  expect(lastingHeaders(head)).toEqual(lastingHeaders(whole))
  expect(await ask(system, `GET ${target}`, { headers: { range: 'bytes=0-10' } })).toMatchObject({
    status: 200,
    text: csv,
  })
  const { etag } = whole.headers
  const unchanged = await ask(system, `GET ${target}`, { headers: { 'if-none-match': etag } })
  expect(unchanged).toMatchObject({ status: 304, text: '' })
  expect(unchanged.headers).toMatchObject({ etag, 'referrer-policy': 'no-referrer' })
  const gzipped = await ask(system, `GET ${target}`, { headers: { 'accept-encoding': 'gzip, deflate' } })
  expect(gzipped.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(gzipped.bytes.length),
    vary: 'Authorization, Accept-Encoding',
  })
  expect(gunzipSync(gzipped.bytes).toString()).toBe(csv)
  const posted = await ask(system, `POST ${target}`)
  expectError(posted, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
  expect(posted.headers['allow']).toBe('GET, HEAD')
})

test('unknown, revoked, expired, suspended and foreign keys get the same response', async ({ system }) => {
  const { partner, sheet } = await makePartner(system)
  const { db } = system
  const made = async () => makeSheet(system, partner)
  const [revoked, expired, suspended, other] = [
    await made(),
    await made(),
    await makePartner(system),
    await makePartner(system),
  ]
  await ask(system, `GET ${revoked.path}?key=${revoked.token}`)
  await markRevoked(db, partner.id, revoked.id)
  await db.execute(sql`update tokens set expires_at = now() where id = ${expired.id}`)
  await db.execute(sql`update partners set suspended_at = now() where id = ${suspended.partner.id}`)
  const targets = [
    `/api/sheets/2000000000.csv?key=${sheet.token}`,
    `${sheet.path}?key=`,
    `${sheet.path}?key=pd_x`,
    `${sheet.path}?key=${other.sheet.token}`,
    `${sheet.path}?key=${partner.token}`,
    `${revoked.path}?key=${revoked.token}`,
    `${expired.path}?key=${expired.token}`,
    `${suspended.sheet.path}?key=${suspended.sheet.token}`,
  ]
  const answers = await Promise.all(targets.map((target) => ask(system, `GET ${target}`)))
  for (const answer of answers) {
    expectError(answer, 404, 'NOT_FOUND', 'Sheet not found')
    expect(lastingHeaders(answer)).toEqual(lastingHeaders(answers[0]!))
  }
})

test('requests a password from clients without a key', async ({ system }) => {
  for (const path of ['/api/sheets/1.csv', '/api/sheets/2000000000.csv']) {
    const answer = await ask(system, `GET ${path}`)
    expectError(answer, 401, 'UNAUTHORIZED', 'A key is required')
    expect(answer.headers['www-authenticate']).toBe('Basic realm="Sheet", charset="UTF-8"')
  }
})

test('a key gives access only to its sheet', async ({ system }) => {
  const { sheet, ids } = await makePartner(system)
  for (const path of ['/api/deals', `/api/deals/${ids[0]}`, '/api/events', '/api/webhook'])
    expect((await ask(system, `GET ${path}`, { token: sheet.token })).status, path).toBe(403)
})

test("a partner’s sheet contains no other partner's deals, whatever its filter", async ({ system }) => {
  const { partner } = await makePartner(system)
  const other = await makePartner(system)
  const { token, path } = await makeSheet(system, partner, {
    ...openDeals,
    filter: { search: String(other.ids[0]), partners: [other.partner.slug] },
  })
  expect((await ask(system, `GET ${path}?key=${token}`)).text).toBe(
    '"Deal","ZIP code","Phone","Amount","Deal ID"\r\n',
  )
})

test("evaluates date filters in the partner's time zone", async ({ system }) => {
  const { partner, ids } = await makePartner(system)
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  await bringIn(system, partner, [{ id: ids[0]!, permitSubmitted: hourAgo }])
  const { token, path } = await makeSheet(system, partner, {
    ...openDeals,
    filter: {},
    relativeDays: { dates: { permitSubmitted: 'last-7-days' } },
  })
  expect((await ask(system, `GET ${path}?key=${token}`)).text.split('\r\n')).toHaveLength(3)
})

test('no log line contains the key', async ({ system }) => {
  const { sheet } = await makePartner(system)
  const before = system.output().length
  await ask(system, `GET ${sheet.path}?key=${sheet.token}`)
  await ask(system, `GET ${sheet.path}?key=${sheet.token}x`)
  await ask(system, `GET ${sheet.path}/${sheet.token}?key=${sheet.token}`)
  await ask(system, `GET ${sheet.path}`, { headers: { authorization: basic(sheet.token) } })
  await expect.poll(() => system.output().slice(before).split('\n')).toHaveLength(5)
  const logged = system.output().slice(before)
  expect(logged).not.toContain(sheet.token.slice(9))
  expect(logged).not.toContain(Buffer.from(sheet.token).toString('base64').slice(8, 40))
  expect(logged).toContain('"by":"sheet"')
})

const shell = promisify(execFile)
const hasLibreOffice = spawnSync('soffice', ['--version']).status === 0

// If LibreOffice is not installed, `npm run try` reports that.
test.skipIf(!hasLibreOffice)(
  'LibreOffice loads the sheet by URL and keeps text as text',
  async ({ system }) => {
    const { ids, sheet } = await makePartner(system)
    const directory = await mkdtemp(join(tmpdir(), 'sheet-'))
    try {
      // Options: comma, quotation mark, UTF-8, from line 1, quoted fields as text, and detection of dates and
      // times.
      const filter = '--infilter=Text - txt - csv (StarCalc):44,34,76,1,,0,true,true'
      const url = `${system.url}${sheet.path}?key=${sheet.token}`
      await shell(
        'soffice',
        [
          `-env:UserInstallation=file://${directory}/profile`,
          '--headless',
          filter,
          '--convert-to',
          'fods',
          '--outdir',
          directory,
          url,
        ],
        { timeout: 100_000 },
      )
      const [name] = (await readdir(directory)).filter((file) => file.endsWith('.fods'))
      const document = await readFile(join(directory, name!), 'utf8')
      const cells = [...document.matchAll(/office:value-type="(\w+)"[^>]*>\s*<text:p>([^<]*)/g)]
      expect(cells.slice(5).map(([, type, text]) => [type, text])).toEqual([
        ['string', '=1+1'],
        ['string', '02134'],
        ['string', '+1 602 555 0100'],
        ['float', '1200.5'],
        ['string', String(ids[0])],
      ])
      const methods = [...system.output().matchAll(/"method":"(\w+)","path":"([^"]*)"/g)]
        .filter(([, , path]) => path === sheet.path)
        .map(([, method]) => method)
      expect(methods).toEqual(expect.arrayContaining(['HEAD', 'GET']))
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)
