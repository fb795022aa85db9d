import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { withTimeout } from '#server/admission/scheduling.ts'
import { secureDataDir } from './data-dir.ts'
import { socketPath } from './database-url.ts'
import { freePort } from './free-port.ts'
import { advice, give, initdb, isCluster, locateCluster, postgresBinaries } from './postgres-files.ts'
import { type Cluster, isServer, launch, timeoutMs, postmaster } from './postgres-process.ts'

const run = promisify(execFile)

/** Maximum time that the backends of a killed server keep its shared memory. */
const sharedMemoryMs = 15_000

/** While connections are closing, PostgreSQL's connection count decreases at least this often. */
const partingMs = 500

/** Maximum time that a process that did not start the server tries to stop it. */
const leavingMs = 1500

export interface EmbeddedDatabase {
  /** URL for any program on this machine. */
  url: string
  /** URL of the Unix socket, which is faster. Same as `url` if there is no socket. */
  localUrl: string
  /**
   * Directory of the cluster. If the server's user cannot enter the data directory, the cluster is elsewhere.
   */
  directory: string
  /** True if the server was already running. */
  adopted: boolean
  /**
   * Restarts the server on the same port if it is down.
   * @throws Error like `startEmbedded`, or if the port is taken
   */
  ensure(): Promise<void>
  /**
   * Stops the server unless others are connected. Close your own connections first.
   * @throws Error if the server does not respond or does not stop within two minutes
   */
  stop(): Promise<void>
  /** Drops the database and creates it again. @throws Error while there are connections */
  recreate(): Promise<void>
}

/**
 * Starts PostgreSQL on the cluster in `dataDir`, or uses the running server. The first start creates the
 * cluster. The server listens on 127.0.0.1 and a Unix socket, keeps running after this process exits, and
 * stores its port, password, and log in `dataDir`. If this process is run by root, the server runs as the
 * owner of the cluster, initially 65534. Any number of processes may start at the same time.
 * @param options.database created if missing
 * @param options.log logs the location of a cluster that is outside of `dataDir`
 * @param options.settings server settings that override the defaults, such as `{ fsync: 'off' }`
 * @param options.native directory of the binaries, by default in the installed package
 * @throws Error if the server does not start, or the password in `dataDir` is missing or wrong
 */
export async function startEmbedded(options: {
  dataDir: string
  database: string
  log: (message: string) => void
  settings?: Record<string, string>
  native?: string
}): Promise<EmbeddedDatabase> {
  const { database, log, settings = {}, native } = options
  await secureDataDir(options.dataDir, (path) =>
    log(`Other users may be able to read ${path}: its mode cannot be changed.`),
  )
  const home = await realpath(options.dataDir)
  return alone(home, async () => {
    const { directory, account } = await locateCluster(home, log)
    const password = await passwordOf(home, directory)
    const cluster: Cluster = { home, directory, account, password, native, settings }
    const found = await running(cluster)
    const port = found ?? (await start(cluster))
    await ask(cluster, port, async (sql) => {
      const [existing] = await sql`select from pg_database where datname = ${database}`
      if (!existing) await sql`create database ${sql(database)}`
    })
    const urlAt = (host: string) =>
      `postgres://postgres:${password}@${host}:${port}/${encodeURIComponent(database)}`
    const url = urlAt('127.0.0.1')
    const sockets = (await postmaster(directory))?.socketDirectory ?? null
    return {
      url,
      localUrl: sockets === null ? url : urlAt(encodeURIComponent(sockets)),
      directory,
      adopted: found !== undefined,
      ensure: () =>
        alone(home, async () => {
          const now = (await running(cluster)) ?? (await start(cluster, port))
          if (now !== port)
            throw new Error(
              `PostgreSQL in ${directory} is back on port ${now} instead of ${port}. Start this process again.`,
            )
        }),
      stop() {
        const stopping = alone(home, () => stop(cluster))
        // A process that did not start the server waits only briefly.
        return found === undefined ? stopping : withTimeout(stopping, leavingMs, () => undefined)
      },
      recreate: () =>
        ask(cluster, port, async (sql) => {
          await sql`drop database ${sql(database)}`
          await sql`create database ${sql(database)}`
        }),
    }
  })
}

/** Runs the work while no other process works on this data directory. */
async function alone<T>(home: string, work: () => Promise<T>): Promise<T> {
  // The operating system releases SQLite's lock when a process dies.
  const file = join(home, 'postgres.lock')
  // SQLite would make the file readable by all users.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file)
  const busy = 5
  try {
    for (const until = Date.now() + timeoutMs; ; await sleep(20)) {
      try {
        lock.exec('begin exclusive')
        break
      } catch (cause) {
        if ((cause as { errcode?: number }).errcode !== busy) {
          throw new Error(`${file} cannot be locked. Does ${home} belong to another user?`, { cause })
        }
        if (Date.now() > until) {
          throw new Error(
            `Another process has been starting or stopping PostgreSQL in ${home} for two minutes. ` +
              'End it and start again.',
            { cause },
          )
        }
      }
    }
    return await work()
  } finally {
    lock.close()
  }
}

async function passwordOf(home: string, directory: string): Promise<string> {
  const file = join(home, 'postgres-password')
  const stored = existsSync(file) ? (await readFile(file, 'utf8')).trim() : ''
  if (stored) return stored
  if (isCluster(directory))
    throw new Error(
      `The password of the PostgreSQL cluster in ${directory} is missing: put ${file} back, ` +
        'or remove the cluster to begin anew.',
    )
  const password = randomBytes(24).toString('hex')
  await writeFile(file, password, { mode: 0o600, flush: true })
  return password
}

/** Returns the port of the running server, or undefined. Waits while a server is starting or stopping. */
async function running(cluster: Cluster): Promise<number | undefined> {
  for (const until = Date.now() + timeoutMs; ; await sleep(20)) {
    const server = await postmaster(cluster.directory)
    if (!server) return undefined
    let problem: unknown
    if (server.ready) {
      try {
        const [row] = await ask(cluster, server.port, (sql) => sql`show data_directory`)
        if ((await realpath(row?.['data_directory'])) === cluster.directory) return server.port
        problem = new Error(`Port ${server.port} belongs to the cluster in ${row?.['data_directory']}`)
      } catch (error) {
        // Other errors may mean that the server is stopping.
        if (error instanceof WrongPasswordError) throw error
        problem = error
      }
    }
    if (Date.now() > until) {
      throw new Error(
        `PostgreSQL in ${cluster.directory} (process ${server.pid}) does not respond. ` +
          'Wait for its recovery, or end it, and start again.',
        { cause: problem },
      )
    }
  }
}

class WrongPasswordError extends Error {}

async function ask<T>(cluster: Cluster, port: number, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: cluster.password,
    database: 'postgres',
    ssl: false,
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
  })
  try {
    return await work(sql)
  } catch (error) {
    if ((error as { code?: string }).code !== '28P01') throw error
    const file = join(cluster.home, 'postgres-password')
    throw new WrongPasswordError(
      `The password in ${file} is not that of the PostgreSQL cluster in ${cluster.directory}: ` +
        'put the right one back.',
      { cause: error },
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Starts the server on `port`, by default its previous port or a free port. Returns the port. */
async function start(cluster: Cluster, port?: number): Promise<number> {
  const { home, directory, account } = cluster
  const native = await postgresBinaries({ account, dataDir: home, native: cluster.native })
  // If a port is given, a cluster must exist. Creating an empty cluster would hide the loss of data.
  if (port === undefined && !isCluster(directory)) {
    await initdb({
      native,
      directory,
      account,
      password: cluster.password,
      sync: cluster.settings['fsync'] !== 'off',
    })
  }
  if (account && (await stat(directory)).uid !== account.uid) await give(directory, account)
  const portFile = join(home, 'postgres-port')
  let candidate = port ?? (Number(await readFile(portFile, 'utf8').catch(() => '')) || (await freePort()))
  for (const began = Date.now(); ;) {
    // The server in the lock file has ended, but PostgreSQL refuses to start if another process now has its
    // id.
    await rm(join(directory, 'postmaster.pid'), { force: true })
    await rm(`${socketPath(directory, candidate)}.lock`, { force: true })
    const output = await launch(cluster, native, candidate)
    if (output === undefined) break
    const waited = Date.now() - began
    if (output.includes('shared memory block') && output.includes('still in use') && waited < sharedMemoryMs)
      await sleep(100)
    else if (
      /could not create any TCP\/IP sockets/.test(output) &&
      port === undefined &&
      waited < sharedMemoryMs
    )
      candidate = await freePort()
    else
      throw new Error(
        `PostgreSQL does not start in ${directory}. The last lines of ` +
          `${join(home, 'postgres.log')}:\n${output}\n${advice}`,
      )
  }
  await writeFile(portFile, `${candidate}\n`, { mode: 0o600 })
  return candidate
}

async function stop(cluster: Cluster): Promise<void> {
  const port = await running(cluster)
  const server = await postmaster(cluster.directory)
  if (port === undefined || !server) return
  const others = await ask(cluster, port, async (sql) => {
    for (let [fewest, until] = [Infinity, 0]; ; await sleep(20)) {
      const { length } =
        await sql`select from pg_stat_activity where backend_type in ('client backend', 'walsender') and pid <> pg_backend_pid()`
      if (length < fewest) [fewest, until] = [length, Date.now() + partingMs]
      if (length === 0 || Date.now() > until) return length
    }
  })
  if (others > 0) return
  if (process.platform === 'win32') {
    // Windows has no SIGINT, PostgreSQL's signal for a fast shutdown.
    const native = await postgresBinaries({ dataDir: cluster.home, native: cluster.native })
    await run(join(native, 'bin', 'pg_ctl'), ['stop', '-D', cluster.directory, '-m', 'fast'], {
      windowsHide: true,
    })
  } else {
    process.kill(server.pid, 'SIGINT')
  }
  for (const until = Date.now() + timeoutMs; await isServer(server.pid, cluster.directory); await sleep(10)) {
    if (Date.now() > until)
      throw new Error(
        `PostgreSQL in ${cluster.directory} (process ${server.pid}) does not stop. ` +
          `See ${join(cluster.home, 'postgres.log')}.`,
      )
  }
}
