import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, realpath } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { socketPath } from './database-url.ts'
import { type SystemUser, environment, lastLines } from './postgres-files.ts'

const run = promisify(execFile)

/** Maximum time for crash recovery, or for another process to start or stop the server. */
export const timeoutMs = 120_000

const defaults = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  random_page_cost: '1.1',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  idle_in_transaction_session_timeout: '60s',
  jit: 'off',
  // Ends statements of disconnected clients, which would keep locks and delay a shutdown.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '500ms' }),
}

/** A cluster and its connection details. */
export interface Cluster {
  home: string
  directory: string
  account: SystemUser | undefined
  password: string
  native: string | undefined
  settings: Record<string, string>
}

/** A server as described by the cluster's lock file. */
interface Server {
  pid: number
  port: number
  /** Directory of the Unix socket, or null if there is none. */
  socketDirectory: string | null
  ready: boolean
}

/** Returns the server in the cluster's lock file if that server is running. */
export async function postmaster(directory: string): Promise<Server | undefined> {
  const server = await lockFile(directory)
  return server && (await isServer(server.pid, directory)) ? server : undefined
}

async function lockFile(directory: string): Promise<Server | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  // Lines of the lock file in PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*: process, directory, start, port,
  // socket directory, address, shared memory, status
  const [process, , , port, sockets, , , status] = text.split('\n')
  // The process id of a single-user server is stored as a negative number.
  const pid = Math.abs(Number(process))
  if (!(pid > 0)) return undefined
  return { pid, port: Number(port), socketDirectory: sockets || null, ready: status?.trim() === 'ready' }
}

export async function isServer(pid: number, directory: string): Promise<boolean> {
  if (process.platform === 'linux') {
    // In a container, even root cannot read the working directory of another process.
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    if (basename(words[0] ?? '') !== 'postgres') return false
    const named = words.includes('-D') ? (words[words.indexOf('-D') + 1] ?? '') : ''
    return !isAbsolute(named) || (await realpath(named).catch(() => named)) === directory
  }
  const windows = process.platform === 'win32'
  const list = windows
    ? run('tasklist', ['/nh', '/fi', `PID eq ${pid}`])
    : run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  const { stdout } = await list.catch(() => ({ stdout: '' }))
  return windows ? stdout.includes('postgres') : /(^|\/)postgres /.test(stdout) && stdout.includes(directory)
}

/** Maximum length of the path of a Unix socket: `sun_path` on macOS, excluding the final NUL. */
const socketPathMax = 103

/** Returns true if the server can have a Unix socket in its directory. */
const hasSocket = (directory: string, port: number) =>
  process.platform !== 'win32' &&
  !/[",]/.test(directory) &&
  Buffer.byteLength(socketPath(directory, port)) <= socketPathMax

/**
 * Starts the server and waits until it is ready. If the server exits instead, returns its last lines of
 * output.
 */
export async function launch(
  { home, directory, account, settings }: Cluster,
  native: string,
  port: number,
): Promise<string | undefined> {
  const path = join(home, 'postgres.log')
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    const all = {
      ...defaults,
      ...settings,
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: hasSocket(directory, port) ? directory : '',
      unix_socket_permissions: '0700',
    }
    const server = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', directory, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // Runs in its own session, so that Ctrl-C reaches only this process.
      {
        ...account,
        cwd: native,
        env: environment(),
        detached: true,
        windowsHide: true,
        stdio: ['ignore', file.fd, file.fd],
      },
    )
    server.unref()
    await once(server, 'spawn')
    for (const until = Date.now() + timeoutMs; ; await sleep(10)) {
      if (server.exitCode !== null || server.signalCode !== null)
        return lastLines((await readFile(path)).subarray(size).toString())
      const now = await lockFile(directory)
      if (now?.pid === server.pid && now?.ready) return undefined
      if (Date.now() > until)
        throw new Error(
          `PostgreSQL is still starting in ${directory} (see ${path}). It continues in the background; start again later.`,
        )
    }
  } finally {
    await file.close()
  }
}
