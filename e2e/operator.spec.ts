import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { type CommandResult, type RunningSystem, run, startSystem, temporaryDirectory } from './system.ts'

// The operator's commands as they are typed, on the running system: what they print, where, and with which exit code.

let system: RunningSystem
let place: string
test.beforeAll(async () => {
  place = await temporaryDirectory()
  system = await startSystem()
})
test.afterAll(async () => {
  await system.dispose()
  await rm(place, { recursive: true })
})

const operator = (...words: string[]) => system.operator(words)
const printed = (stdout: unknown) => ({ code: 0, stdout, stderr: '' })
const refused = (reason: string): CommandResult => ({ code: 1, stdout: '', stderr: `operator: ${reason}\n` })
const tokenText = /^pd_[0-9A-Za-z]{36}\n$/

let lastId = 7_000_000
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)

async function makeFile(name: string, content: string): Promise<string> {
  const path = join(place, `${crypto.randomUUID()}-${name}`)
  await writeFile(path, content)
  return path
}

/** Returns what the interface answers to whoever holds the token. */
async function ask(token: string, path: string) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token.trim()}` } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as Record<string, any> }
}

/** Returns the deals that a token sees, each as the text in which it was given out. */
async function dealsOf(token: string): Promise<string[]> {
  const { text } = await ask(token, '/api/deals?size=25')
  return /"deals":\[(.*)\]\}$/
    .exec(text)![1]!
    .split(/(?<=\}),(?=\{"id":\d+,"owner":)/)
    .filter((deal) => deal !== '')
}

const eventsOf = async (token: string) =>
  (await ask(token, '/api/events')).json['events'] as { type: string }[]

test.describe('partner', () => {
  test('create prints the slug, or with --json all of it', async () => {
    expect(await operator('partner', 'create', 'sunline', '--name', 'Sunline Home Energy')).toEqual(
      printed('sunline\n'),
    )
    const { code, stdout, stderr } = await operator(
      'partner',
      'create',
      'ridgeline',
      '--name',
      'Ridgeline "Solar"',
      '--json',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      id: expect.any(Number),
      slug: 'ridgeline',
      name: 'Ridgeline "Solar"',
    })
    const listed = await operator('partner', 'list', '--json')
    expect(JSON.parse(listed.stdout)).toEqual(
      expect.arrayContaining([expect.objectContaining({ slug: 'ridgeline', name: 'Ridgeline "Solar"' })]),
    )
    expect((await operator('partner', 'list')).stdout).toMatch(/^\d+\tsunline\tSunline Home Energy$/m)
  })

  test('create refuses a slug that is taken or none, and a name that is missing', async () => {
    await operator('partner', 'create', 'taken', '--name', 'A')
    expect(await operator('partner', 'create', 'taken', '--name', 'B')).toEqual(
      refused('slug: is taken by another partner'),
    )
    expect(await operator('partner', 'create', 'No Slug', '--name', 'B')).toEqual(
      refused('a slug is 1 to 63 of a-z, 0-9 and inner hyphens'),
    )
    expect(await operator('partner', 'create', 'unnamed', '--name', ' ')).toEqual(
      refused('--name must not be empty'),
    )
    expect(await operator('partner', 'create', 'unnamed')).toEqual({
      code: 1,
      stdout: '',
      stderr: "error: required option '--name <name>' not specified\n",
    })
  })
})

test.describe('token', () => {
  test('create prints the token and nothing else, and it works at once', async () => {
    const { slug } = await system.makePartner()
    const made = await operator('token', 'create', '--partner', slug, '--name', 'CRM')
    expect(made).toEqual(printed(expect.stringMatching(tokenText)))
    expect(await ask(made.stdout, '/api/deals')).toMatchObject({ status: 200, json: { count: 0 } })
    expect((await ask(made.stdout, '/api/webhook')).status).toBe(200)
  })

  test('create makes an internal one, which sees all deals and no webhooks', async () => {
    const { slug } = await system.makePartner({ deals: [{ id: BigInt(++lastId) }] })
    const made = await operator('token', 'create', '--internal', '--name', 'Staff')
    expect(made).toEqual(printed(expect.stringMatching(tokenText)))
    expect(await ask(made.stdout, `/api/deals?partner=${slug}`)).toMatchObject({
      status: 200,
      json: { count: 1 },
    })
    expect((await ask(made.stdout, '/api/webhook')).status).toBe(403)
  })

  test('create limits what it may do and how long; list shows both and never the token', async () => {
    const { slug } = await system.makePartner()
    const made = await operator(
      'token',
      'create',
      '--partner',
      slug,
      '--name',
      'Reader',
      '--scopes',
      'deals:read,files:read',
      '--expires',
      '30d',
      '--json',
    )
    const { id, token, ...rest } = JSON.parse(made.stdout) as { id: number; token: string; expiresAt: string }
    expect(rest).toEqual({
      partner: slug,
      scopes: ['deals:read', 'files:read'],
      expiresAt: expect.any(String),
    })
    expect(Math.abs(Date.parse(rest.expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
    expect((await ask(token, '/api/webhook')).status).toBe(403)
    const { stdout } = await operator('token', 'list')
    expect(stdout).toMatch(
      new RegExp(
        `^${id}\t${slug}\t${token.slice(0, 9)}\tReader\tdeals:read,files:read\tused \\S+\texpires ${rest.expiresAt}$`,
        'm',
      ),
    )
    expect(stdout).not.toContain(token)
    const listed = JSON.parse((await operator('token', 'list', '--json')).stdout) as object[]
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id,
          partner: slug,
          name: 'Reader',
          expiresAt: rest.expiresAt,
          revokedAt: null,
        }),
      ]),
    )
  })

  test('revoke stops it at once', async () => {
    const { token } = await system.makePartner()
    const { id } = (
      JSON.parse((await operator('token', 'list', '--json')).stdout) as { id: number; prefix: string }[]
    ).find(({ prefix }) => token.startsWith(prefix))!
    expect((await ask(token, '/api/deals')).status).toBe(200)
    expect(await operator('token', 'revoke', String(id))).toEqual(printed(`revoked ${id}\n`))
    expect((await ask(token, '/api/deals')).status).toBe(401)
    expect(await operator('token', 'revoke', String(id), '--json')).toEqual(
      printed(`{"id":${id},"revoked":true}\n`),
    )
    expect((await operator('token', 'list')).stdout).toMatch(new RegExp(`^${id}\t.*\trevoked$`, 'm'))
  })

  const wrong = [
    ['say whose it is: --partner <slug> or --internal', 'create', '--name', 'x'],
    [
      'there is no partner "nobody"; "partner list" shows all',
      'create',
      '--partner',
      'nobody',
      '--name',
      'x',
    ],
    [
      '--expires must be a span such as 30d, 12h or 90m',
      'create',
      '--internal',
      '--name',
      'x',
      '--expires',
      '30 days',
    ],
    [
      '--scopes: "webhooks:write" is none of deals:read,files:read',
      'create',
      '--internal',
      '--name',
      'x',
      '--scopes',
      'deals:read,webhooks:write',
    ],
    ['there is no token "1; drop table tokens"; "token list" shows all', 'revoke', '1; drop table tokens'],
  ] as const

  test('is refused in words that say what to do', async () => {
    const results = await Promise.all(wrong.map(([_reason, ...words]) => operator('token', ...words)))
    expect(results).toEqual(wrong.map(([reason]) => refused(reason)))
    expect(await operator('token', 'create', '--partner', 'a', '--internal', '--name', 'x')).toEqual({
      code: 1,
      stdout: '',
      stderr: "error: option '--partner <slug>' cannot be used with option '--internal'\n",
    })
  })
})

test.describe('deal and file', () => {
  test('file add prints the id under which the interface gives the file out; deal remove takes both away', async () => {
    const id = ++lastId
    const { token } = await system.makePartner({ deals: [{ id: BigInt(id) }] })
    const path = await makeFile('agreement.pdf', '%PDF-1.7 a signed agreement')
    const added = await operator('file', 'add', path, '--deal', String(id), '--name', 'Agreement Garcia.pdf')
    expect(added).toEqual(printed(expect.stringMatching(/^[A-Za-z0-9_-]{22}\n$/)))
    const fileId = added.stdout.trim()
    const { status, json } = await ask(token, `/api/files/${fileId}`)
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { name: 'Agreement Garcia.pdf', extension: 'pdf', type: 'application/pdf', size: 27 },
    })
    const address = new URL(json['url'] as string)
    expect(await (await fetch(system.url + address.pathname + address.search)).text()).toBe(
      '%PDF-1.7 a signed agreement',
    )

    expect(await operator('deal', 'remove', String(id), '--json')).toEqual(
      printed(`{"id":${id},"removed":true,"files":1}\n`),
    )
    expect((await ask(token, `/api/deals/${id}`)).status).toBe(404)
    expect((await ask(token, `/api/files/${fileId}`)).status).toBe(404)
    expect(await readdir(join(system.dataDir, 'files'))).not.toContain(fileId)
    expect(await operator('deal', 'remove', String(id))).toEqual(refused(`there is no deal ${id}`))
  })

  test('file add takes the name of the path, and with --json says what it knows', async () => {
    const id = ++lastId
    await system.makePartner({ deals: [{ id: BigInt(id) }] })
    const path = await makeFile('plan', 'x')
    const { stdout } = await operator('file', 'add', path, '--deal', String(id), '--json')
    expect(JSON.parse(stdout)).toEqual({
      id: expect.any(String),
      deal: id,
      name: path.split('/').at(-1),
      size: 1,
    })
    expect(await operator('deal', 'remove', String(id))).toEqual(printed(`removed ${id}\n`))
  })

  test('is refused for what is not there or cannot be, and leaves no content behind', async () => {
    const path = await makeFile('plan.dwg', 'x')
    expect(await operator('file', 'add', path, '--deal', '999999999')).toEqual(
      refused('there is no deal 999999999'),
    )
    expect(await operator('file', 'add', path, '--deal', '1e3')).toEqual(
      refused('"1e3" is not the id of a deal'),
    )
    expect(await operator('file', 'add', path, '--deal', '1', '--name', '../up')).toEqual(
      refused('the name must not contain slashes or control characters'),
    )
    expect(await operator('file', 'add', join(place, 'nowhere'), '--deal', '1')).toEqual(
      refused(`there is no file ${JSON.stringify(join(place, 'nowhere'))}`),
    )
    expect(await operator('deal', 'remove', '9223372036854775808')).toEqual(
      refused('"9223372036854775808" is not the id of a deal'),
    )
    const { $client: sql } = system.db
    const known = (await sql<{ id: string }[]>`select id from files`).map(({ id }) => id)
    expect((await readdir(join(system.dataDir, 'files'))).filter((name) => !known.includes(name))).toEqual([])
  })
})

test.describe('help', () => {
  const commands = [
    '',
    'partner',
    'partner create',
    'partner list',
    'token',
    'token create',
    'token list',
    'token rotate',
    'token revoke',
    'import',
    'deal remove',
    'file add',
    'demo',
  ]

  test('is given for each command, with its options', async () => {
    const asked = await Promise.all(
      commands.map(
        async (name) => [name, await operator(...name.split(' ').filter(Boolean), '--help')] as const,
      ),
    )
    for (const [name, { code, stdout, stderr }] of asked) {
      expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' })
      expect(stdout, name).toContain(`Usage: ${`operator ${name}`.trim()}`)
      if (/^(?:import|demo|\w+ \w+)$/.test(name)) expect(stdout, name).toMatch(/^ +--json +print JSON$/m)
    }
    const importHelp = asked.find(([name]) => name === 'import')![1].stdout
    for (const option of ['--partner <slug>', '--dry-run', '--no-events'])
      expect(importHelp).toContain(option)
  })

  test('is on standard error, with a code, for words that are no command', async () => {
    for (const words of [
      ['partners'],
      ['import'],
      ['token', 'create', '--nmae', 'x'],
      ['partner', 'list', 'more'],
    ]) {
      const { code, stdout, stderr } = await operator(...words)
      expect({ code, stdout }, words.join(' ')).toEqual({ code: 1, stdout: '' })
      expect(stderr, words.join(' ')).toMatch(/^error: /)
    }
    const { code, stdout, stderr } = await operator()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('Usage: operator')
  })
})

test('npm run -s operator prints on standard output what the command prints, and nothing else', async () => {
  const { slug, token } = await system.makePartner()
  const env = { ...process.env, DATA_DIR: system.dataDir, PORT: new URL(system.url).port }
  const made = await run(
    'npm',
    ['run', '-s', 'operator', '--', 'token', 'create', '--partner', slug, '--name', 'x'],
    env,
  )
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(tokenText) })
  const [id] = makeIds(1)
  const imported = await run(
    'npm',
    ['run', '-s', 'operator', '--', 'import', '-', '--partner', slug],
    env,
    `{"id":${id}}\nnonsense\n`,
  )
  expect(imported).toMatchObject({ code: 1, stdout: 'created 1, updated 0, unchanged 0, rejected 1\n' })
  expect(await dealsOf(token)).toHaveLength(1)
  expect(await eventsOf(token)).toHaveLength(1)
})
