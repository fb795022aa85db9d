import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { startEmbedded } from '#db/embedded.ts'
import { freePort } from '#db/free-port.ts'
import { environment, postgresBinaries } from '#db/postgres-files.ts'

const run = promisify(execFile)

/** A primary database and its synchronous standby on this machine. */
export interface Pair {
  /** URL with both servers, primary first. */
  url: string
  /** URL of each server alone. */
  primaryUrl: string
  standbyUrl: string
  /** Kills the primary with `kill -9`. */
  killPrimary(): Promise<void>
  /** Sends a signal to all processes of the standby, for instance to simulate the loss of its machine. */
  signalStandby(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
  startStandby(): Promise<void>
  /** Promotes the standby and waits until it is the primary. */
  promote(): Promise<void>
  close(): Promise<void>
}

// User who runs PostgreSQL if the tests run as root.
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

/** Starts a primary and a synchronous standby in new directories inside `directory`. */
export async function startPair(directory: string): Promise<Pair> {
  const home = join(directory, 'primary')
  const standbyDirectory = join(directory, 'standby')
  const settings = { fsync: 'off' }
  const made = await startEmbedded({ dataDir: home, database: 'partner_deals', log: () => {}, settings })
  await made.stop()
  const { username, password, pathname } = new URL(made.url)
  const [port, standbyPort] = [await freePort(), await freePort()]
  await run('cp', ['-a', made.directory, standbyDirectory])
  const connection = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`
  await writeFile(join(standbyDirectory, 'standby.signal'), '')
  await appendFile(join(standbyDirectory, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  if (account !== undefined) await chown(join(standbyDirectory, 'standby.signal'), account.uid, account.gid)
  const native = await postgresBinaries({ account: account as never, dataDir: home })
  const start = (data: string, at: number, more: Record<string, string>) =>
    startServer(native, data, { ...settings, port: String(at), ...more })
  const primary = start(made.directory, port, { synchronous_standby_names: 'standby' })
  let standby = start(standbyDirectory, standbyPort, {})
  const url = (...ports: number[]) =>
    `postgres://${username}:${password}@${ports.map((each) => `127.0.0.1:${each}`).join(',')}${pathname}`
  await until(url(port), `select from pg_stat_replication where sync_state = 'sync'`)
  return {
    url: url(port, standbyPort),
    primaryUrl: url(port),
    standbyUrl: url(standbyPort),
    async signalStandby(signal) {
      const ended = signal === 'SIGKILL' ? once(standby, 'close') : Promise.resolve()
      // Every process has its own process group. Children of a killed process exit by themselves.
      const children = signal === 'SIGKILL' ? [] : childrenOf(standby.pid!)
      for (const pid of [standby.pid!, ...children]) process.kill(pid, signal)
      await ended
    },
    async startStandby() {
      standby = start(standbyDirectory, standbyPort, {})
      await until(url(standbyPort), 'select 1')
    },
    async killPrimary() {
      const ended = once(primary, 'close')
      primary.kill('SIGKILL')
      await ended
    },
    async promote() {
      await run(join(native, 'bin', 'pg_ctl'), ['promote', '-D', standbyDirectory], {
        ...account,
        cwd: native,
        env: environment(),
      })
    },
    async close() {
      await Promise.all(
        [primary, standby].map(async (server) => {
          const ended = once(server, 'close')
          if (server.exitCode === null && server.signalCode === null && server.kill('SIGQUIT')) await ended
        }),
      )
    },
  }
}

const childrenOf = (pid: number) =>
  spawnSync('pgrep', ['-P', String(pid)])
    .stdout.toString()
    .split('\n')
    .filter((line) => line !== '')
    .map(Number)

function startServer(native: string, data: string, settings: Record<string, string>): ChildProcess {
  const all = {
    ...settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_statement: 'none',
  }
  return spawn(
    join(native, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...account, cwd: native, env: environment(), stdio: 'ignore' },
  )
}

/** Waits until the query returns a row. */
async function until(url: string, query: string): Promise<void> {
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
    try {
      if ((await sql.unsafe(query)).length > 0) return
      if (Date.now() > end) throw new Error(`No row in time: ${query}`)
    } catch (error) {
      if (Date.now() > end) throw error
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
