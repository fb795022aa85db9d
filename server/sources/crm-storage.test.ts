import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { listenLocally } from '#e2e/loopback.ts'
import { signViewPath } from '../files/signature.ts'
import { asCommand } from '../runtime/command.ts'
import * as actions from './actions.ts'
import { crmStorage } from './crm-storage.ts'
import { followSource } from './follow-source.ts'

// Tests how requests for files that stay in HubSpot use the installer's limits, and which redirects are
// followed.

let crm: StandIn
let system: LocalSystem
let source: number

beforeAll(async () => {
  crm = new StandIn({ limits: { burst: 1e9, searches: 1e9, daily: 1e9 } })
  crm.properties.push({ name: 'agreement', label: 'Agreement', type: 'string', fieldType: 'file' })
  system = await openLocalSystem({ env: { HUBSPOT_URL: await crm.listen() } })
})
afterAll(async () => {
  await system.close()
  await crm.close()
})
beforeEach(async () => {
  await system.db.$client`delete from sources`
  // Each source has its own call budgets.
  const secret = crm.token
  source = await actions.connectSource(context(), { kind: 'hubspot', name: crypto.randomUUID(), secret })
  const files = { properties: ['agreement'], notes: false, mode: 'link' as const }
  await actions.setFiles(context(), { id: source, files })
})
afterEach(() => {
  crm.fault = () => undefined
  crm.signedForMs = 3_600_000
})

const context = () => {
  const { services } = system
  return { ...asCommand(services), encryptionKey: services.encryptionKey, hubspotUrl: crm.url }
}
const storage = () => system.services.storages.of('crm')
const signings = () => crm.requests.filter((path) => path.endsWith('/signed-url')).length

/** Creates a partner with a deal that has this many linked files. */
async function makeLinked(count: number) {
  const { services } = system
  const owner = await system.makePartner()
  const files = Array.from({ length: count }, (_, at) => crm.putFile(`${at}.pdf`, `File ${at}`))
  crm.create({ dealname: 'A deal', agreement: files.join(';'), partner: owner.slug })
  const assigned = { id: source, value: owner.slug, partner: owner.slug, events: true }
  await actions.assignPartner(context(), assigned, owner.id)
  const means = { ...context(), storages: services.storages, log: { warn() {} } }
  await followSource(means, source, new AbortController().signal)
  const ask = (file: string) =>
    fetch(`${system.url}/api/files/${file}`, { headers: { authorization: `Bearer ${owner.token}` } })
  return { files, ask }
}

describe('a signed URL from HubSpot', () => {
  test('is shared by concurrent callers and cached', async () => {
    const { files, ask } = await makeLinked(2)
    const before = signings()
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask(files[0]!)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await text(await storage().open(files[0]!))).toBe('File 0')
    expect(signings() - before).toBe(1)
    expect((await ask(files[1]!)).status).toBe(200)
    expect(signings() - before).toBe(2)
  })

  test("is requested again before it expires, and when the file's content changes", async () => {
    const { files } = await makeLinked(1)
    crm.signedForMs = 600
    const before = signings()
    const first = (await storage().access!(files[0]!))!
    await expect
      .poll(async () => (await storage().access!(files[0]!))!.expiresAt)
      .not.toEqual(first.expiresAt)
    crm.signedForMs = 3_600_000
    await system.db.$client`update source_files set revision = 'next'`
    const latest = (await storage().access!(files[0]!))!
    expect(latest.expiresAt.getTime() - Date.now()).toBeGreaterThan(3_000_000)
    expect(signings() - before).toBeGreaterThanOrEqual(3)
  })

  test('is replaced if it no longer works', async () => {
    const { files } = await makeLinked(1)
    await storage().access!(files[0]!)
    const before = signings()
    let refused = 0
    crm.fault = (path) => (path.startsWith('/signed') && refused++ === 0 ? { status: 403 } : undefined)
    expect(await text(await storage().open(files[0]!))).toBe('File 0')
    expect([refused, signings() - before]).toEqual([2, 1])
  })
})

describe('continuous requests for file URLs', () => {
  test("exhaust one partner's share, not others', and get a 503 with Retry-After", async () => {
    const [greedy, other] = [await makeLinked(25), await makeLinked(1)]
    const before = signings()
    const answers = await Promise.all(greedy.files.map((file) => greedy.ask(file)))
    const served = greedy.files.filter((_, at) => answers[at]!.status === 200)
    expect(served).toHaveLength(20)
    expect(signings() - before).toBe(20)
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    expect((await greedy.ask(served[0]!)).status).toBe(200)
    expect((await other.ask(other.files[0]!)).status).toBe(200)
    expect(signings() - before).toBe(21)
  })

  test('leave enough of the rate limit for reading deals', async () => {
    const partners = [await makeLinked(8), await makeLinked(8), await makeLinked(8)]
    // Simulates a process that is reading the source.
    await system.db
      .$client`update pgboss.job set state = 'active', heartbeat_on = now() where name = 'read-source'`
    const before = signings()
    const counts: number[] = []
    for (const { files, ask } of partners) {
      const answers = await Promise.all(files.map((file) => ask(file)))
      counts.push(answers.filter(({ status }) => status === 200).length)
    }
    expect(counts).toEqual([5, 5, 0])
    expect(signings() - before).toBe(10)
  })

  test('are not passed on once HubSpot requests a pause', async () => {
    const { files, ask } = await makeLinked(3)
    const before = signings()
    crm.fault = (path) =>
      path.endsWith('/signed-url') ? { status: 429, body: '{"policyName":"DAILY"}' } : undefined
    for (const file of files) {
      const { status, headers } = await ask(file)
      expect([status, Number(headers.get('retry-after')) > 3000]).toEqual([503, true])
    }
    expect(signings() - before).toBe(1)
  })
})

describe('the URL of a CRM file', () => {
  /** Opens a file whose URL redirects to these URLs in turn, and then to itself. */
  async function openBy(...locations: string[]) {
    const { files } = await makeLinked(1)
    let hops = 0
    crm.fault = (path) =>
      path.startsWith('/signed') && hops < locations.length
        ? { status: 302, headers: { location: locations[hops++]! } }
        : undefined
    return text(await storage().open(files[0]!))
  }
  const own = (hop: number) => `?Signature=signed&hop=${hop}`
  const storageAlone = () =>
    crmStorage({ ...context(), db: system.db, countCall: () => ({ isOver: false, resetMs: 0 }) })

  test('is followed through three redirects at most', async () => {
    expect(await openBy(own(1), own(2), own(3))).toBe('File 0')
    await expect(openBy(own(1), own(2), own(3), own(4))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })

  test.each(['the signed URL itself', 'its redirect'])(
    'must lead over https to the public internet: %s',
    async (which) => {
      const inside = createServer()
      let connections = 0
      inside.on('connection', (socket) => {
        connections++
        socket.destroy()
      })
      const { port, close } = await listenLocally(inside)
      const { files } = await makeLinked(1)
      for (const url of [
        `http://127.0.0.1:${port}/`,
        `https://127.0.0.1:${port}/`,
        `https://localhost:${port}/`,
        `https://[::ffff:127.0.0.1]:${port}/`,
        `https://user:secret@127.0.0.1:${port}/`,
        'file:///etc/passwd',
        'https://',
      ]) {
        crm.fault = (path) => {
          if (path.endsWith('/signed-url') && which === 'the signed URL itself')
            return { status: 200, body: JSON.stringify({ url, expiresAt: new Date(Date.now() + 1e6) }) }
          return path.startsWith('/signed/') ? { status: 307, headers: { location: url } } : undefined
        }
        await expect(storageAlone().open(files[0]!), url).rejects.toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        })
      }
      expect(connections).toBe(0)
      await close()
    },
  )
})

test("REST returns HubSpot's URL and expiry only to the deal's partner, and a 503 while HubSpot is down", async () => {
  const { files, ask } = await makeLinked(1)
  const other = await makeLinked(1)
  const file = files[0]!
  const answer = await ask(file)
  const found = (await answer.json()) as Record<string, string>
  expect(found).toEqual({
    url: `${crm.url}/signed/${file}?Signature=signed`,
    expiresAt: expect.stringMatching(/^20.*Z$/),
    name: '0.pdf',
    extension: 'pdf',
    type: 'application/pdf',
    size: 6,
  })
  expect((await other.ask(file)).status).toBe(404)
  crm.fault = () => ({ status: 500 })
  expect(await (await ask(file)).json()).toEqual(found)
  // Simulates new content, for which no URL is cached.
  await system.db.$client`update source_files set revision = 'next'`
  expect((await ask(file)).status).toBe(503)
  crm.fault = () => undefined
  crm.files.delete(file)
  expect((await ask(file)).status).toBe(404)
})

test("a preview streams HubSpot's content, whatever size was recorded, and survives disconnecting clients", async () => {
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  // A warning is what Node writes about too many listeners of one response.
  const signals = ['unhandledRejection', 'uncaughtExceptionMonitor', 'warning']
  for (const signal of signals) process.on(signal, note)
  const { files } = await makeLinked(1)
  const file = files[0]!
  try {
    const expiresAt = Math.floor(Date.now() / 1000) + 60
    const url = system.url + signViewPath(system.services.fileKey, file, 'staff', expiresAt)
    const view = async (options: RequestInit = {}) => {
      const response = await fetch(url, options)
      const [length, ranges] = ['content-length', 'accept-ranges'].map((name) => response.headers.get(name))
      return { status: response.status, length, ranges, text: await response.text() }
    }
    const whole = { status: 200, length: null, ranges: null }
    // If HubSpot does not report a size, 0 is stored.
    for (const sizeBytes of [6, 0]) {
      await system.db.$client`update files set size_bytes = ${sizeBytes} where id = ${file}`
      for (const content of ['Signed by Ana', 'Signed by Ana and by Ben', 'Signed']) {
        crm.putFile('0.pdf', content, file)
        expect(await view()).toEqual({ ...whole, text: content })
        expect(await view({ method: 'HEAD' })).toEqual({ ...whole, text: '' })
        // Ignores the range, because a range based on the stored size could mix two versions.
        expect(await view({ headers: { range: 'bytes=7-8' } })).toEqual({ ...whole, text: content })
      }
    }

    crm.putFile('0.pdf', 'Signed'.repeat(1_000_000), file)
    expect(await view({ method: 'HEAD' })).toEqual({ ...whole, text: '' })
    const leaving = new AbortController()
    const { body } = await fetch(url, { signal: leaving.signal })
    await body!.getReader().read()
    leaving.abort()
    // Idle connections stay open for a few seconds.
    await expect.poll(() => crm.connections(), { timeout: 20_000 }).toBe(0)
    expect((await view()).text).toHaveLength(6_000_000)
    expect(faults).toEqual([])
  } finally {
    for (const signal of signals) process.off(signal, note)
  }
})
