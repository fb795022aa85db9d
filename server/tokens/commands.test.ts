import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'
import { issueToken } from './issue-token.ts'
import { hashToken } from './token.ts'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())

const operator = (...words: string[]) => system.operator(['token', ...words])
const tokenText = /^pd_[0-9A-Za-z]{36}\n$/
let lastId = 7_000_000

/** Returns the response to a request with this token. */
async function ask(token: string, path: string) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token.trim()}` } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as Record<string, any> }
}

test('create prints only the token, which works immediately; an internal one sees all deals but no webhooks', async () => {
  const { slug } = await system.makePartner({ deals: [{ id: BigInt(++lastId) }] })
  const made = await operator('create', '--partner', slug, '--name', 'CRM')
  expect(made).toEqual(printed(expect.stringMatching(tokenText)))
  expect(await ask(made.stdout, '/api/deals')).toMatchObject({ status: 200, json: { count: 1 } })
  expect((await ask(made.stdout, '/api/webhook')).status).toBe(200)
  const { stdout } = await operator('create', '--internal', '--name', 'Staff')
  expect(await ask(stdout, `/api/deals?partner=${slug}`)).toMatchObject({
    status: 200,
    json: { count: 1 },
  })
  expect((await ask(stdout, '/api/webhook')).status).toBe(403)
})

test('create limits scopes and lifetime; list shows both but never the token', async () => {
  const { slug } = await system.makePartner()
  const options = '--name Reader --scopes deals:read,files:read --expires 30d --json'.split(' ')
  const made = await operator('create', '--partner', slug, ...options)
  const { id, token, ...rest } = JSON.parse(made.stdout) as { id: number; token: string; expiresAt: string }
  expect(rest).toEqual({
    partner: slug,
    scopes: ['deals:read', 'files:read'],
    expiresAt: expect.any(String),
  })
  expect(Math.abs(Date.parse(rest.expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
  expect((await ask(token, '/api/webhook')).status).toBe(403)
  // The use is recorded after the response.
  await expect
    .poll(async () => (await operator('list')).stdout)
    .toMatch(
      new RegExp(
        `^${id}\t${slug}\t${token.slice(0, 9)}\tReader\tdeals:read,files:read\tused \\S+\texpires ${rest.expiresAt}$`,
        'm',
      ),
    )
  const { stdout } = await operator('list', '--json')
  for (const secret of [token, hashToken(token)]) expect(stdout).not.toContain(secret)
  const listed = JSON.parse(stdout) as object[]
  const shown = { id, partner: slug, name: 'Reader', expiresAt: rest.expiresAt, revokedAt: null }
  expect(listed).toContainEqual(expect.objectContaining(shown))
})

test('list names sheet links, and revoke ends a sheet link immediately', async () => {
  const { id: partnerId, slug } = await system.makePartner()
  const sheet = {
    filter: {},
    relativeDays: {},
    sort: { field: 'lastModified', direction: 'desc' },
    columns: [{ column: 'id', title: 'Deal ID' }],
  }
  const order = { partnerId, name: 'Open deals', scopes: [], expiresAt: null, sheet }
  const { id, token, prefix } = await issueToken(system.db, order)
  expect((await operator('list')).stdout).toContain(
    `${id}\t${slug}\t${prefix}\tOpen deals\tsheet link\tnever used\tnever expires\n`,
  )
  expect((await ask(token, `/api/sheets/${id}.csv`)).status).toBe(200)
  expect(await operator('revoke', String(id))).toEqual(printed(`revoked ${id}\n`))
  expect((await ask(token, `/api/sheets/${id}.csv`)).status).toBe(404)
})

test('revoke ends a token immediately', async () => {
  const { token } = await system.makePartner()
  const { id } = (
    JSON.parse((await operator('list', '--json')).stdout) as { id: number; prefix: string }[]
  ).find(({ prefix }) => token.startsWith(prefix))!
  expect((await ask(token, '/api/deals')).status).toBe(200)
  expect(await operator('revoke', String(id))).toEqual(printed(`revoked ${id}\n`))
  expect((await ask(token, '/api/deals')).status).toBe(401)
  expect(await operator('revoke', String(id), '--json')).toEqual(printed(`{"id":${id},"revoked":true}\n`))
  expect((await operator('list')).stdout).toMatch(new RegExp(`^${id}\t.*\trevoked$`, 'm'))
})

const wrong = [
  ['choose an owner: --partner <slug> or --internal', 'create --name x'],
  ['there is no partner "nobody"; "partner list" shows all', 'create --partner nobody --name x'],
  ['--expires must be a span such as 30d, 12h or 90m', 'create --internal --name x --expires 30'],
  [
    '--scopes: "webhooks:write" is none of deals:read,files:read,insight:read',
    'create --internal --name x --scopes deals:read,webhooks:write',
  ],
  ['there is no token "1;"; "token list" shows all', 'revoke 1;'],
  ['--grace must be now or a span such as 24h, 7d or 90m', 'rotate 1 --grace soon'],
] as const

test('is rejected with advice', async () => {
  const results = await Promise.all(wrong.map(([, words]) => operator(...words.split(' '))))
  expect(results).toEqual(wrong.map(([reason]) => refused(reason)))
  expect(await operator('create', '--partner', 'a', '--internal', '--name', 'x')).toEqual({
    code: 1,
    stdout: '',
    stderr: "error: option '--partner <slug>' cannot be used with option '--internal'\n",
  })
})

test('rotate --grace now replaces a token immediately; list shows the old token as expired', async () => {
  const { id: partnerId } = await system.makePartner()
  const { id } = await issueToken(system.db, {
    partnerId,
    name: 'CRM of acme',
    expiresAt: null,
  })
  const { code, stdout } = await operator('rotate', String(id), '--grace', 'now')
  expect([code, (await ask(stdout, '/api/deals')).status]).toEqual([0, 200])
  expect((await operator('rotate', String(id))).stderr).toBe(
    'operator: This token has ended or has already been replaced\n',
  )
  expect((await operator('list')).stdout).toMatch(new RegExp(`^${id}\t.*\tnever used\texpired \\S+$`, 'm'))
  const noted = await system.db.execute(
    sql`select action, subject, who from audit_entries where partner_id = ${partnerId}`,
  )
  expect(noted).toEqual([
    {
      action: 'token.rotated',
      subject: expect.stringMatching(/^CRM of \S+ \(pd_\w{6}…\)$/),
      who: 'operator command',
    },
  ])
})
