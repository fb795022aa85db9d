import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { Webhook } from 'standardwebhooks'
import { freePort } from '#db/free-port.ts'
import { encryptionKeyFrom } from '#server/values/encryption.ts'
import { readSecrets } from '#server/webhooks/secret-store.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals, newIds } from './rest/deals.ts'
import { type RunningSystem, type TestPartner, startSystem } from './system.ts'

// The inbox for trying out webhooks, as a separate process next to the running system.

// Every command starts a process, which takes time on a busy machine.
test.describe.configure({ timeout: 180_000 })

let system: RunningSystem
const started: ChildProcess[] = []
test.beforeAll(async () => {
  system = await startSystem({ env: { WEBHOOK_RETRY_SCHEDULE: '0s,200ms,24h', WEBHOOK_THROTTLE_MS: '100' } })
})
test.afterAll(() => system.dispose())
test.afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

const environment = () => ({
  ...process.env,
  FORCE_COLOR: undefined,
  DATA_DIR: system.dataDir,
  PORT: new URL(system.url).port,
})

function runInbox(...words: string[]) {
  const child = spawn(process.execPath, ['server/inbox.ts', ...words], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const inbox = {
    child,
    stdout: '',
    stderr: '',
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
  child.stdout.on('data', (chunk: Buffer) => {
    inbox.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    inbox.stderr += chunk
  })
  return inbox
}

/** Starts an inbox and waits until it listens. */
async function startInbox(...words: string[]) {
  const port = await freePort()
  const inbox = runInbox('--port', String(port), ...words)
  await expect.poll(() => inbox.stdout + inbox.stderr, { timeout: 30_000 }).toContain('Ctrl-C stops it.')
  const before = inbox.stdout.length
  /** Returns the inbox's output about requests, without times. */
  const printed = () =>
    inbox.stdout
      .slice(before)
      .replaceAll(/^\d\d:\d\d:\d\d/gm, 'hh:mm:ss')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
  return {
    ...inbox,
    port,
    url: `http://localhost:${port}`,
    output: () => inbox.stdout,
    printed,
    prints: (lines: unknown[]) => expect.poll(printed, { timeout: 20_000 }).toEqual(lines),
  }
}

async function makeListener(url: string) {
  const partner = await system.makePartner()
  expect(
    (
      await ask(system, 'POST /api/webhook', {
        token: partner.token,
        json: { createURL: `${url}/created`, updateURL: `${url}/updated` },
      })
    ).status,
  ).toBe(200)
  return partner
}

async function secretOf({ id }: TestPartner): Promise<string> {
  const key = encryptionKeyFrom(await readFile(join(system.dataDir, 'encryption-key'), 'utf8'))
  return (await readSecrets(system.db, id, key))[0]!.secret
}

/** Returns a request like the product sends, signed with the secret. */
function signed(secret: string, body: string, id = crypto.randomUUID()) {
  const at = new Date()
  return {
    method: 'POST',
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  }
}

const wrongSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test('verifies and prints events of all partners, including new partners and rotated secrets; Ctrl-C exits with 0', async () => {
  const inbox = await startInbox()
  expect(inbox.output()).toContain(
    `'{"createURL": "${inbox.url}/created", "updateURL": "${inbox.url}/updated"}' http://localhost:${new URL(system.url).port}/api/webhook`,
  )
  const partner = await makeListener(inbox.url)
  const [id] = newIds(1)
  await bringIn(system, partner, [{ id: id!, dealname: 'Lopez, Ana\u001b[2J - 7.20 kW', stage: 'Sold' }])
  const lines = [
    `hh:mm:ss  verified  ${partner.slug}  #1     deal.created  deal ${id}  Lopez, Ana [2J - 7.20 kW`,
  ]
  await inbox.prints(lines)
  await bringIn(system, partner, [{ id: id!, stage: 'Permit', amount: 25000.5, notes: 'x'.repeat(5000) }])
  lines.push(
    `hh:mm:ss  verified  ${partner.slug}  #2     deal.updated  deal ${id}  Lopez, Ana [2J - 7.20 kW`,
    '          stage   "Sold" → "Permit"',
    '          amount  null → 25000.5',
    `          notes   null → "${'x'.repeat(98)}…`,
  )
  await expect.poll(inbox.printed).toHaveLength(5)
  expect(inbox.printed().toSorted()).toEqual(lines.toSorted())
  expect(inbox.printed().slice(0, 2)).toEqual(lines.slice(0, 2))

  const other = await makeListener(inbox.url)
  const made = await system.operator(['webhook', 'test', '--partner', other.slug])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  await expect.poll(inbox.printed).toHaveLength(8)
  expect(inbox.printed()).toContain(
    `hh:mm:ss  verified  ${other.slug}  test   deal.created  deal 0  Test event`,
  )
  expect(inbox.printed()).toContain(
    `hh:mm:ss  verified  ${other.slug}  test   deal.updated  deal 0  Test event`,
  )
  await system.operator(['webhook', 'rotate', '--partner', other.slug])
  const [later] = newDeals(1)
  await bringIn(system, other, [later!])
  await expect.poll(inbox.printed).toHaveLength(9)
  expect(inbox.printed().at(-1)).toBe(
    `hh:mm:ss  verified  ${other.slug}  #1     deal.created  deal ${later!.id}  ${later!.dealname}`,
  )

  inbox.child.kill('SIGINT')
  expect(await inbox.ended).toBe(0)
  expect(inbox.stderr).toBe('')
})

test('with --secret, verifies only with the given secret, and responds to other signatures with 401', async () => {
  const inbox = await startInbox('--secret', wrongSecret)
  const partner = await makeListener(inbox.url)
  const result = await system.operator(['webhook', 'test', '--partner', partner.slug, '--endpoint', 'create'])
  expect(result).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^create\tfailed\t401\t-\t\d+ ms\n$/),
  })
  const lines = ['hh:mm:ss  not verified  POST /created  No matching signature found']
  await inbox.prints(lines)
  expect(
    (
      await fetch(
        `${inbox.url}/any`,
        signed(
          wrongSecret,
          '{"type":"x","sequence":3,"data":{"id":9223372036854775807,"dealname":null},"changes":[]}',
        ),
      )
    ).status,
  ).toBe(200)
  lines.push('hh:mm:ss  verified  #3     x  deal 9223372036854775807')
  await inbox.prints(lines)

  const right = await startInbox('--secret', await secretOf(partner))
  await ask(system, 'POST /api/webhook', { token: partner.token, json: { createURL: right.url } })
  expect(
    (await system.operator(['webhook', 'test', '--partner', partner.slug, '--endpoint', 'create'])).code,
  ).toBe(0)
  await right.prints(['hh:mm:ss  verified  test   deal.created  deal 0  Test event'])
})

test('with --status 500, receives the event again and prints each attempt', async () => {
  const inbox = await startInbox('--status', '500')
  const partner = await makeListener(inbox.url)
  const [deal] = newDeals(1)
  await bringIn(system, partner, [deal!])
  const line = `hh:mm:ss  verified  ${partner.slug}  #1     deal.created  deal ${deal!.id}  ${deal!.dealname}`
  await inbox.prints([
    line,
    '          (answered with 500)',
    line,
    '          (it came before; answered with 500)',
  ])
})

test('keeps running after unsigned, malformed and oversized requests', async () => {
  const inbox = await startInbox()
  const partner = await makeListener(inbox.url)
  const secret = await secretOf(partner)
  const status = async (init: RequestInit) => (await fetch(`${inbox.url}/x`, init)).status
  for (const refused of [
    {},
    { method: 'POST', body: 'x' },
    { ...signed(secret, '{}'), body: '{} ' },
    { ...signed(secret, '{}'), headers: { 'webhook-timestamp': 'x', 'webhook-signature': 'v1, v1 ,' } },
  ])
    expect(await status(refused)).toBe(401)
  for (const body of ['{', 'null', '{"type":1,"sequence":"","data":{},"changes":{}}']) {
    expect(await status(signed(secret, body)), body).toBe(200)
    expect(inbox.printed().at(-1)).toBe(`hh:mm:ss  verified  ${partner.slug}  a body that is no event`)
  }
  const large = 'x'.repeat(5 * 1024 * 1024)
  expect(await status(signed(secret, large))).toBe(413)
  expect(inbox.printed().at(-1)).toBe('hh:mm:ss  not verified  POST /x  The body has more than 4 MB')
  for (const text of [
    'nonsense\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nshort',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    '\0'.repeat(1000),
  ]) {
    const socket = connect(inbox.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {}).end(text)
    await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 200))])
    socket.destroy()
  }
  expect(await status(signed(secret, '{}'))).toBe(200)
  expect(inbox.child.exitCode).toBeNull()
  inbox.child.kill('SIGTERM')
  expect(await inbox.ended).toBe(0)
  expect(inbox.output()).not.toContain('something went wrong')
})

test('reports invalid arguments or a taken port in one line, and exits with 1', async () => {
  const wrong: [string[], string][] = [
    [
      ['--port', '65536'],
      "error: option '--port <port>' argument '65536' is invalid. It must be a whole number from 1 to 65535.\n",
    ],
    [
      ['--secret', 'secret'],
      "error: option '--secret <secret>' argument 'secret' is invalid. It must be whsec_ and base64; \"webhook show --reveal\" of the operator prints it.\n",
    ],
  ]
  const ended = await Promise.all(
    wrong.map(async ([words]) => {
      const inbox = runInbox(...words)
      return [await inbox.ended, inbox.stdout, inbox.stderr]
    }),
  )
  expect(ended).toEqual(wrong.map(([, reason]) => [1, '', reason]))
  const { port } = await startInbox('--secret', wrongSecret)
  const second = runInbox('--port', String(port))
  expect([await second.ended, second.stdout, second.stderr]).toEqual([
    1,
    '',
    `Port ${port} is taken by another program. Choose another one: npm run inbox -- --port ${port + 1}\n`,
  ])
})
