import { once } from 'node:events'
import { globSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { auditQuery } from '#app/(portal)/(manage)/audit/query.ts'
import { deliveriesQuery } from '#app/(portal)/(manage)/deliveries/query.ts'
import { partnersQuery } from '#app/(portal)/(manage)/partners/partner-list.ts'
import { teamQuery } from '#app/(portal)/(manage)/team/query.ts'
import { tokensQuery } from '#app/(portal)/(manage)/tokens/query.ts'
import { dealsParsers } from '#app/(portal)/deals/query.ts'
import { everyone } from '#server/access/actor.ts'
import { readEntries } from '#server/audit/store.ts'
import { inputMaxBytes } from '#server/http/policy.ts'
import { sliceBytes } from '#server/imports/wire.ts'
import { formatLimit } from '#server/values/units.ts'
import { expect, test } from './fixtures.ts'
import { signedInUser } from './portal-user.ts'
import { ask, expectError } from './rest/client.ts'

// Bad input to the layers in front of the procedures: HTTP server, input parsing and Next. For bad input to
// procedures, see server/house/bad-input.test.ts.

type Field = [name: string, value: string]

test.describe('inputs of procedures', () => {
  const email = { email: 'ana@sunline.example' }
  const many = (count: number) => Array.from({ length: count }, (_, index) => index)

  // server/values/transformer.test.ts covers all forms. This test checks that malformed input reaches no
  // procedure.
  test('in an invalid format are a 400: alone, in a batch and in a query', async ({ system }) => {
    const headers = { origin: system.url, 'content-type': 'application/json' }
    for (const sent of [
      { json: { email: 2 ** 32 }, meta: { values: { email: [['typed-array', 'Float64Array']] } } },
      { json: { email: '{}' }, meta: { values: { email: [['custom', 'prepared']] } } },
      { json: email, meta: { values: { '__proto__.polluted': ['undefined'] } } },
    ]) {
      const json = JSON.stringify(sent)
      const answers = await Promise.all([
        ask(system, 'POST /api/trpc/accounts.requestReset', { headers, body: json }),
        ask(system, 'POST /api/trpc/accounts.requestReset,accounts.requestSignIn?batch=1', {
          headers,
          body: `{"0":${json},"1":${json}}`,
        }),
        ask(system, `GET /api/trpc/accounts.link?${new URLSearchParams({ input: json })}`),
      ])
      for (const { status, text } of answers) {
        expect(status, text).toBe(400)
        expect(text).toContain('"code":"BAD_REQUEST"')
      }
    }
  })

  test(`over ${formatLimit(inputMaxBytes)} are a 413, as are forms; file slices may be larger`, async ({
    system,
  }) => {
    const headers = { origin: system.url, 'content-type': 'application/json' }
    const sized = (bytes: number) => JSON.stringify({ json: { email: 'x'.repeat(bytes - 21) } })
    for (const path of [
      '/api/trpc/accounts.requestReset',
      '/api/trpc/accounts.requestReset,accounts.requestReset?batch=1',
      '/sign-in',
      '/',
      '/api/auth/callback/credentials',
    ]) {
      expectError(
        await ask(system, `POST ${path}`, { headers, body: sized(inputMaxBytes + 1) }),
        413,
        'PAYLOAD_TOO_LARGE',
        'The body is too large',
      )
    }
    expect(
      (await ask(system, 'POST /api/trpc/accounts.requestReset', { headers, body: sized(inputMaxBytes) }))
        .status,
    ).toBe(400)
    const slice = {
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(sliceBytes),
    }
    for (const path of ['/imports/1/content', '/uploads/1/content', '/attachments/1/content'])
      expect((await ask(system, `POST ${path}?offset=0`, slice)).status, path).toBe(401)
  })

  test('are rejected without being read when signed out', async ({ system }) => {
    const { origin } = new URL(system.url)
    const upload = request(`${system.url}/imports/1/content?offset=0`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/octet-stream', 'content-length': sliceBytes },
    })
    upload.flushHeaders()
    const [response] = (await once(upload, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(401)
    upload.destroy()
  })

  test('do not start a stream', async ({ system }) => {
    const cookie = await signedInUser(system, 'operator', null)
    expect((await ask(system, 'GET /account', { headers: { cookie } })).status).toBe(200)
    const newest = async () =>
      (await readEntries(system.db, everyone, {}, { behind: null, limit: 1 })).entries[0]
    const before = await newest()
    for (const name of ['deals.export', 'audit.export', 'imports.rejected']) {
      const input = JSON.stringify(
        Object.fromEntries(
          many(10).map((index) => [index, { json: name === 'imports.rejected' ? { id: 1 } : {} }]),
        ),
      )
      const answer = await ask(
        system,
        `GET /api/trpc/${many(10)
          .map(() => name)
          .join(',')}?${new URLSearchParams({ batch: '1', input })}`,
        { headers: { cookie, 'trpc-accept': 'application/jsonl' } },
      )
      expect(answer.text).not.toMatch(/"code":(?!"NOT_FOUND"|-32004)/)
      const single = await ask(
        system,
        `GET /api/trpc/${name}?${new URLSearchParams({ input: '{"json":{}}' })}`,
        { headers: { cookie } },
      )
      expect(single.status).toBe(404)
    }
    expect(await newest()).toEqual(before)
  })
})

test.describe('server actions', () => {
  /** Reads the sign-in form as a browser without JavaScript would send it. */
  async function readForm(system: { url: string }): Promise<{ fields: Field[]; action: string }> {
    const { text } = await ask(system, 'GET /sign-in')
    const decode = (html: string) =>
      html.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&')
    const fields = [...text.matchAll(/<input[^>]* name="(\$[^"]*)"(?:[^>]* value="([^"]*)")?/g)].map(
      ([, name, value = '']): [string, string] => [name!, decode(value)],
    )
    const action = /"id":"([0-9a-f]{42})"/.exec(fields.map(([, value]) => value).join('\n'))?.[1]
    return { fields, action: action! }
  }

  // A boundary that occurs in none of the values.
  const boundary = '----boundary-7MA4YWkTrZu0gW'
  const multipart = (fields: Field[]) =>
    `${fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`
  const asForm = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const refused = 'Only pages of this site may do this'

  test('reject requests from other sites with a 403, and work behind any proxy', async ({ system }) => {
    const { fields, action } = await readForm(system)
    const body = multipart([...fields, ['email', 'ana@sunline.example'], ['password', 'wrong']])
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      `${system.url}.evil.example`,
      `${system.url}@evil.example`,
      undefined,
    ]) {
      for (const headers of [
        { ...asForm, origin },
        { 'next-action': action, 'content-type': 'text/plain', origin },
        { ...asForm, origin, 'x-forwarded-host': 'evil.example' },
      ]) {
        expectError(await ask(system, 'POST /sign-in', { headers, body }), 403, 'FORBIDDEN', refused)
      }
    }
    for (const headers of [{}, { 'x-forwarded-host': 'evil.example' }]) {
      const answer = await ask(system, 'POST /sign-in', {
        headers: { ...asForm, ...headers, origin: system.url },
        body,
      })
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('ana@sunline.example')
    }
  })

  test('respond below 500 to malformed requests', async ({ system }) => {
    const { fields, action } = await readForm(system)
    const typed: Field[] = [
      ['email', 'ana@sunline.example'],
      ['password', 'wrong'],
    ]
    const called = (id: string) => ({ 'next-action': id, 'content-type': 'text/plain;charset=UTF-8' })
    const bad: [string, Record<string, string>, string][] = [
      ['no parts', asForm, ''],
      ['an unknown action', asForm, multipart([['$ACTION_ID_00', ''], ...typed])],
      ['an unknown action id', asForm, multipart([[`$ACTION_ID_${'0'.repeat(42)}`, ''], ...typed])],
      ['a broken reference', asForm, multipart([...fields.map(([name]): Field => [name, '{']), ...typed])],
      ['NUL', asForm, multipart([...fields, ['email', 'a\0b'], ['password', '\0'], ['callbackUrl', '//\0']])],
      ['arguments that are not JSON', called(action), '['],
      ['arguments in another format', called(action), '[null,{"a":"$K9"}]'],
      ['an unknown action in the header', called('0'.repeat(42)), '[]'],
      ['another type', { 'content-type': 'application/json' }, '{"a":1}'],
    ]
    const failed: string[] = []
    for (const [what, headers, body] of bad) {
      const { status } = await ask(system, 'POST /sign-in', {
        headers: { ...headers, origin: system.url },
        body,
      })
      if (status >= 500) failed.push(`${what}: ${status}`)
    }
    expect(failed).toEqual([])
  })
})

test.describe('sign-in requests', () => {
  test('get a response below 500 if malformed', async ({ system }) => {
    const csrf = await ask(system, 'GET /api/auth/csrf')
    const cookie = [csrf.headers['set-cookie'] ?? []]
      .flat()
      .map((field) => field.split(';')[0])
      .join('; ')
    const { csrfToken } = csrf.json as { csrfToken: string }
    const form = (fields: Record<string, string>) => String(new URLSearchParams({ csrfToken, ...fields }))
    const bodies: Field[] = [
      ['application/x-www-form-urlencoded', form({ email: 'a\0b@sunline.example', password: '\0' })],
      ['application/x-www-form-urlencoded', `csrfToken=${csrfToken}&email=%ed%a0%80&password=%ff`],
      ['application/x-www-form-urlencoded', form({ callbackUrl: 'http://\0' })],
      ['application/json', JSON.stringify({ csrfToken, email: '\ud800', password: '\ud800' })],
      ['application/json', JSON.stringify({ csrfToken, email: { a: 1 }, password: [1] })],
      ['application/json', '['],
      ['', ''],
    ]
    const failed: string[] = []
    for (const action of [
      'callback/credentials',
      'callback/link',
      'signin/credentials',
      'callback/oidc',
      'signout',
      'session',
    ]) {
      for (const [type, body] of bodies) {
        const { status } = await ask(system, `POST /api/auth/${action}`, {
          headers: { cookie, origin: system.url, 'content-type': type },
          body,
        })
        if (status >= 500) failed.push(`POST ${action} ${type} ${body.slice(0, 80)}: ${status}`)
      }
      for (const search of [
        'callbackUrl=%00',
        'callbackUrl=/&callbackUrl=%00',
        'code=%ff&state=%00',
        'error=%ed%a0%80',
      ]) {
        const { status } = await ask(system, `GET /api/auth/${action}?${search}`, { headers: { cookie } })
        if (status >= 500) failed.push(`GET ${action} ${search}: ${status}`)
      }
    }
    expect(failed).toEqual([])
  })
})

test.describe('URLs', () => {
  const values = ['%00', '%ed%a0%80', '%', '9'.repeat(400), '-1', '__proto__', 'x'.repeat(6000)]
  const queries = [auditQuery, deliveriesQuery, partnersQuery, teamQuery, tokensQuery]
  const names = [...queries.map(({ parsers }) => parsers), dealsParsers]
    .flatMap((parsers) => Object.keys(parsers))
    .concat('text', 'all', 'offset', 'callbackUrl', 'error', 'code', 'sent', 'expires', 'signature')
  const parameters = [...new Set(names)]

  // Every page and route handler of the portal, including future ones.
  const paths = globSync('**/{page.tsx,route.ts}', { cwd: join(import.meta.dirname, '..', 'app') })
    .toSorted()
    .map(
      (file) =>
        `/${file
          .replaceAll('\\', '/')
          .split('/')
          .slice(0, -1)
          .filter((part) => !part.startsWith('('))
          .join('/')}`,
    )
    .filter((path) => !path.startsWith('/api/') && !path.startsWith('/docs'))

  for (const role of ['admin', 'operator'] as const) {
    test(`with invalid parameters get a response below 500 for role ${role}`, async ({ system }) => {
      test.setTimeout(180_000)
      const partnerId = role === 'operator' ? null : (await system.makePartner()).id
      const cookie = await signedInUser(system, role, partnerId)
      const failed: string[] = []
      const look = async (target: string, headers: Record<string, string> = {}) => {
        const { status } = await ask(system, `GET ${target}`, { headers: { cookie, ...headers } })
        if (status >= 500) failed.push(`${target.slice(0, 100)} ${JSON.stringify(headers)}: ${status}`)
      }
      expect(paths).toContain('/audit/export')
      for (const [at, path] of paths.entries()) {
        // URLs are parsed in the same way for all roles. To save time, operator pages get every second value
        // and admin pages only one, but exports get all.
        const tried = values.filter(
          (_, index) =>
            (at + index) % (role === 'operator' ? 2 : values.length) === 0 ||
            (role === 'admin' && path.endsWith('/export')),
        )
        const target = path.replaceAll(/\[[^\]]+\]/g, '1')
        // For the same reason, operator pages get every header value and admin pages only one.
        for (const value of ['%', '%5B%22%22%5D'].filter(
          (_, index) => role === 'operator' || index === at % 2,
        ))
          await look(target, {
            rsc: '1',
            'next-router-state-tree': value,
            'next-router-prefetch': value,
            'next-url': value,
          })
        for (const value of tried) {
          if (path.includes('[')) await look(path.replaceAll(/\[[^\]]+\]/g, value))
          const short = value.slice(0, 100)
          await look(`${target}?${parameters.map((name) => `${name}=${short}`).join('&')}`)
          // Exports ignore invalid parameters, and an export of all deals would be large.
          if (
            path.endsWith('/export') &&
            /^%\w/.test(value) &&
            (role !== 'operator' || path === '/audit/export')
          )
            for (const name of parameters) await look(`${target}?${name}=${value}`)
        }
      }
      expect(failed).toEqual([])
      // A malformed filter must not be treated as no filter.
      for (const path of ['/deals/export', '/audit/export'])
        expect((await ask(system, `GET ${path}?q=%00`, { headers: { cookie } })).status, path).toBe(400)
    })
  }
})
