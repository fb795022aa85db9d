import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import postgres from 'postgres'
import { freePort } from '#db/free-port.ts'
import { listenLocally } from './loopback.ts'
import { ask } from './rest/client.ts'
import {
  type CommandResult,
  type RunningSystem,
  embeddedUrl,
  nodeArguments,
  run,
  startSystem,
  temporaryDirectory,
} from './system.ts'

// The whole process: startup, reasons to refuse startup, and every way of stopping.

const directories: string[] = []
const systems: RunningSystem[] = []
const children: ChildProcess[] = []

test.afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const system of systems.splice(0)) await system.dispose()
  for (const directory of directories.splice(0)) {
    const pid = await postmasterPid(directory)
    if (pid !== null) await ended(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
})

async function makeDirectory(): Promise<string> {
  const directory = await temporaryDirectory()
  directories.push(directory)
  return directory
}

async function begin(options: Parameters<typeof startSystem>[0] = {}): Promise<RunningSystem> {
  const system = await startSystem(options)
  systems.push(system)
  directories.push(system.dataDir)
  return system
}

const bare: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_ENV: 'production',
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
}

/** Starts the product and expects it to exit by itself. */
const startInVain = async (variables: Record<string, string>): Promise<CommandResult> =>
  run(process.execPath, [...nodeArguments, 'server/main.ts'], {
    ...bare,
    DEMO: 'off',
    PORT: String(await freePort()),
    ...variables,
  })

/** Returns the PID of the database in a data directory, or null if that database is not running. */
async function postmasterPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null)
  return text === null ? null : Number(text.split('\n')[0])
}

function isAlive(pid: number): boolean {
  try {
    // On Linux, a zombie process still has a PID.
    return (
      process.kill(pid, 0) &&
      !(existsSync(`/proc/${pid}/stat`) && readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    )
  } catch {
    return false
  }
}

/** Sends a signal and waits until the process has ended. */
async function ended(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (isAlive(pid)) process.kill(pid, signal)
  await expect.poll(() => isAlive(pid), { intervals: [10] }).toBe(false)
}

test('keeps acknowledged writes when killed, keeps a second process out of its data, and stops on Ctrl-C', async () => {
  test.setTimeout(240_000)
  const first = await begin()
  const { dataDir } = first
  const { token, slug } = await first.makePartner()
  const input = Array.from({ length: 300 }, (_, index) => `{"id":${index + 1}}\n`).join('')
  expect((await first.operator(['import', '-', '--partner', slug], input)).stdout).toBe(
    'created 300, updated 0, unchanged 0, rejected 0\n',
  )
  const before = (await ask(first, 'GET /api/deals', { token })).text
  process.kill((await postmasterPid(dataDir))!, 'SIGKILL')
  await first.stop('SIGKILL')

  const second = await begin({ dataDir })
  expect((await ask(second, 'GET /api/deals', { token })).text).toBe(before)
  const database = (await postmasterPid(dataDir))!
  await second.stop('SIGKILL')
  expect(isAlive(database)).toBe(true)

  const third = await begin({ dataDir })
  expect(await postmasterPid(dataDir)).toBe(database)
  expect((await ask(third, 'GET /api/deals', { token })).text).toBe(before)
  await ended(database, 'SIGKILL')
  await expect
    .poll(async () => (await ask(third, 'GET /readyz')).status, { intervals: [20], timeout: 40_000 })
    .toBe(200)
  expect(await startInVain({ DATA_DIR: dataDir })).toMatchObject({
    code: 1,
    stderr: `The data directory ${dataDir} is in use by another Partner Deals. Stop that one, or choose another directory: DATA_DIR=… npm start\n`,
  })
  expect((await ask(third, 'GET /api/deals', { token })).text).toBe(before)
  expect(await third.stop('SIGINT')).toBe(0)
  // The database may stop later, because the product only waits for a database that it started itself.
  await expect.poll(() => postmasterPid(dataDir)).toBeNull()
})

test('on SIGTERM finishes open requests, accepts no new ones, and stops the database', async () => {
  // Without a worker, whose jobs might wait for the same lock.
  const system = await begin({ env: { WORKER: 'off' } })
  const { token } = await system.makePartner({ deals: [{ id: 1n, stage: 'NTP' }] })
  // Holds a lock that delays the response until released.
  const client = postgres(await embeddedUrl(system.dataDir), { max: 1 })
  const holding = await client.reserve()
  await holding`begin`
  await holding`lock table deals in access exclusive mode`
  const answer = ask(system, 'GET /api/deals', { token })
  const waiting = () => holding`select from pg_locks where relation = 'deals'::regclass and not granted`
  await expect.poll(async () => (await waiting()).length, { intervals: [10] }).toBe(1)

  const stopped = system.stop('SIGTERM')
  await expect.poll(() => system.output(), { intervals: [10] }).toContain('Stopping …')
  await expect
    .poll(
      () =>
        ask(system, 'GET /healthz').then(
          () => 'answered',
          () => 'refused',
        ),
      { intervals: [10] },
    )
    .toBe('refused')
  await holding`commit`
  holding.release()
  await client.end()
  expect(await answer).toMatchObject({
    status: 200,
    text: expect.stringContaining('"count":1,"deals":[{"id":1,'),
  })
  expect(await stopped).toBe(0)
  expect(await postmasterPid(system.dataDir)).toBeNull()
})

test('names a port in use, and leaves no database running', async () => {
  const dataDir = await makeDirectory()
  const { port, close } = await listenLocally(createServer())
  const { code, stderr } = await startInVain({ DATA_DIR: dataDir, PORT: String(port) })
  await close()
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `Port ${port} is in use. Stop the other program, or choose another port: PORT=3001 npm start\n`,
  })
  expect(await postmasterPid(dataDir)).toBeNull()
})

test('does not start with an invalid configuration, and names each invalid variable', async () => {
  const dataDir = await makeDirectory()
  const wrong = await startInVain({
    DATA_DIR: dataDir,
    PORT: 'http',
    DEMO: 'yes',
    AUTH_SECRET: 'hunter2',
    FILE_URL_TTL_SECONDS: '5',
  })
  expect(wrong).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Invalid configuration:\nPORT: must be a whole number from 1 to 65535\nDEMO: must be on or off\n' +
      'AUTH_SECRET: must be at least 32 characters long\nFILE_URL_TTL_SECONDS: must be a whole number from 60 to 21600\n',
  })
  expect(
    await run(process.execPath, [...nodeArguments, 'server/operator.ts', 'partner', 'list'], {
      ...bare,
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: '-1',
    }),
  ).toEqual({
    code: 1,
    stdout: '',
    stderr: 'operator: RATE_LIMIT_PER_MINUTE: must be a whole number from 0 to 1000000000\n',
  })
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
})

test('runs on the database in DATABASE_URL, without demo data', async () => {
  const host = await begin()
  await host.db.$client`create database elsewhere`
  const url = (await embeddedUrl(host.dataDir)).replace(/[^/]+$/, 'elsewhere')
  const dataDir = await makeDirectory()
  // An empty variable counts as unset, so the product decides whether to load the demo.
  const plain = await begin({ dataDir, env: { DATABASE_URL: url, DEMO: '', SMTP_URL: 'smtp://127.0.0.1:9' } })
  expect(plain.output()).not.toContain('demonstration')
  expect(plain.output()).toContain('npm run -s operator -- user invite you@example.com --operator\n')
  // The product tries to connect to the mail server at startup.
  await expect.poll(() => plain.output()).toContain('mail cannot be sent')
  expect(await plain.db.$client`select from partners`).toHaveLength(0)
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  expect((await plain.operator(['partner', 'create', 'mine', '--name', 'Mine'])).stdout).toBe('mine\n')
  expect(await plain.stop()).toBe(0)
  expect(await host.db.$client`select from partners`).toHaveLength(0)
})

test('data and database of an ordinary user are private to that user', async () => {
  const dataDir = await makeDirectory()
  const nobody = { uid: 65_534, gid: 65_534 }
  const account =
    process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], nobody).status === 0
      ? nobody
      : { uid: process.getuid!(), gid: process.getgid!() }
  await chown(dataDir, account.uid, account.gid)
  const port = String(await freePort())
  const child = spawn(process.execPath, [...nodeArguments, 'server/main.ts'], {
    ...account,
    env: { ...bare, DEMO: 'off', PORT: port, DATA_DIR: dataDir },
    cwd: join(import.meta.dirname, '..'),
    stdio: 'ignore',
  })
  children.push(child)
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => null,
    )
  await expect.poll(isReady, { intervals: [20], timeout: 90_000 }).toBe(200)
  expect((await stat(join(dataDir, 'postgres'))).uid).toBe(account.uid)
  const end = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await end).toEqual([0, null])
  expect(await postmasterPid(dataDir)).toBeNull()
})
