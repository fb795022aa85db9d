import { createHook } from 'node:async_hooks'
import { type RemoteInfo, createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSafeFetch } from '../webhooks/safe-fetch.ts'
import { parseCidrs } from './ip-address.ts'
import { parseHosts, systemResolve } from './resolve.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A DNS query. */
interface Question {
  name: string
  isIpv4: boolean
  /** Responds with a code (0 for success) and at most one IPv4 address. */
  answer: (code: number, address?: string) => void
}

/** Starts a name server with this handler. Returns its address and the queries received. */
async function startNameServer(handle: (question: Question) => void) {
  const server = createSocket('udp4')
  const questions: Question[] = []
  server.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const labels: string[] = []
    let at = 12
    for (; query[at] !== 0; at += query[at]! + 1)
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    const isIpv4 = query.readUInt16BE(at + 1) === 1
    const question: Question = {
      name: labels.join('.'),
      isIpv4,
      answer(code, found) {
        const count = found === undefined ? 0 : 1
        const head = [...query.subarray(0, 2), 0x81, 0x80 + code, 0, 1, 0, count, 0, 0, 0, 0]
        const record =
          found === undefined
            ? []
            : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...found.split('.').map(Number)]
        server.send(Buffer.from([...head, ...query.subarray(12, at + 5), ...record]), port, address)
      },
    }
    questions.push(question)
    handle(question)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise<void>((end) => void server.close(() => end())))
  return { servers: [`127.0.0.1:${server.address().port}`], questions }
}

const answerAddress = ({ isIpv4, answer }: Question, address = '93.184.215.14') =>
  isIpv4 ? answer(0, address) : answer(0)

/** Number of calls of getaddrinfo, which blocks a thread, in this process. */
let systemLookups = 0
const hook = createHook({
  init(_id, type) {
    if (type === 'GETADDRINFOREQWRAP') systemLookups++
  },
})
beforeEach(() => {
  systemLookups = 0
  hook.enable()
  closing.push(() => hook.disable())
})

const serverFailure = 2
const noSuchName = 3

test('does not block threads on names with silent, failing or empty servers', async () => {
  const { servers } = await startNameServer((question) => {
    if (question.name.startsWith('fails')) question.answer(serverFailure)
    if (question.name.startsWith('unknown')) question.answer(noSuchName)
    if (question.name === 'here.test') answerAddress(question)
  })
  const [resolve, resolveSoon] = [systemResolve(20_000, { servers }), systemResolve(300, { servers })]
  const dead = Array.from({ length: 20 }, (_, index) => [
    resolveSoon(`silent${index}.test`),
    resolve(`fails${index}.test`),
    resolve(`unknown${index}.test`),
  ])
  const ended = Promise.allSettled(dead.flat())
  expect(await resolve('here.test')).toEqual(['93.184.215.14'])
  const codes = (await ended).map(
    (each) => each.status === 'rejected' && (each.reason as { code: string }).code,
  )
  expect(codes).toEqual(Array.from({ length: 20 }, () => ['ETIMEOUT', 'ESERVFAIL', 'ENOTFOUND']).flat())
  expect(systemLookups).toBe(0)
  // Checks that the hook counts calls.
  await lookup('localhost')
  expect(systemLookups).toBe(1)
})

test('does not block threads on webhooks to a failing name in the whole system', async () => {
  const { servers, questions } = await startNameServer(({ answer }) => answer(serverFailure))
  const resolve = systemResolve(20_000, { servers })
  const safeFetch = makeSafeFetch({ allowHttp: true, allowed: parseCidrs('') }, resolve)
  closing.push(() => safeFetch.close())
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      safeFetch.post(`https://fails${index}.test/hook`, {}, Buffer.from('{}'), 20_000),
    ),
  )
  expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(['the name does not resolve']))
  expect(new Set(questions.map(({ name }) => name)).size).toBe(20)
  expect(systemLookups).toBe(0)
})

test('shares a lookup between concurrent callers, and repeats it for later callers', async () => {
  const pending: Question[] = []
  const { servers, questions } = await startNameServer((question) => void pending.push(question))
  const resolve = systemResolve(5000, { servers })
  const callers = Array.from({ length: 50 }, () => resolve('Hooks.test.'))
  await expect.poll(() => pending.length).toBe(2)
  for (const question of pending) answerAddress(question)
  expect((await Promise.all(callers)).every(([address]) => address === '93.184.215.14')).toBe(true)
  expect(questions.map(({ name }) => name)).toEqual(['hooks.test', 'hooks.test'])
  pending.length = 0
  const again = resolve('hooks.test')
  await expect.poll(() => pending.length).toBe(2)
  for (const question of pending) answerAddress(question, '93.184.215.15')
  expect(await again).toEqual(['93.184.215.15'])
})

test('accepts an address even if the server does not respond for the other family', async () => {
  const { servers } = await startNameServer((question) => {
    if (question.isIpv4) answerAddress(question)
  })
  expect(await systemResolve(200, { servers })('half.test')).toEqual(['93.184.215.14'])
})

test('reloads the hosts file when it changes, and sends no queries for its names', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hosts-'))
  closing.push(() => rm(directory, { recursive: true }))
  const hostsPath = join(directory, 'hosts')
  const { servers, questions } = await startNameServer(({ answer }) => answer(noSuchName))
  const resolve = systemResolve(2000, { servers, hostsPath })
  await expect(resolve('erp.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(questions).toHaveLength(2)
  await writeFile(hostsPath, '10.0.0.7 erp.test\n')
  expect(await resolve('ERP.test.')).toEqual(['10.0.0.7'])
  // Replaces the file by another one of the same size, as editors and containers do.
  await writeFile(`${hostsPath}.new`, '10.0.0.8 erp.test\n')
  await rename(`${hostsPath}.new`, hostsPath)
  expect(await resolve('erp.test')).toEqual(['10.0.0.8'])
  await rm(hostsPath)
  await expect(resolve('erp.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(questions).toHaveLength(4)
})

test('resolves localhost to loopback and rejects reserved example names without queries', async () => {
  const { servers, questions } = await startNameServer((question) => answerAddress(question))
  const resolve = systemResolve(2000, { servers, hostsPath: '/nowhere' })
  for (const name of ['localhost', 'LOCALHOST.', 'hooks.localhost'])
    expect(await resolve(name)).toEqual(['127.0.0.1'])
  for (const name of ['example', 'crm.partner.example', 'crm.partner.example.'])
    await expect(resolve(name)).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(questions).toEqual([])
  expect(await systemResolve(2000)('localhost')).toContain('127.0.0.1')
})

test('parses comments, aliases and both families in a hosts file, and ignores invalid addresses', () => {
  const text = [
    '# 10.0.0.1 commented',
    '127.0.0.1\tlocalhost  Loop # the machine',
    '::1 localhost localhost.',
    '10.0.0.9',
    'nonsense host',
    '  10.0.0.2 crm.internal. crm \r',
  ].join('\n')
  expect(Object.fromEntries(parseHosts(text))).toEqual({
    localhost: ['127.0.0.1', '::1'],
    loop: ['127.0.0.1'],
    'crm.internal': ['10.0.0.2'],
    crm: ['10.0.0.2'],
  })
})
