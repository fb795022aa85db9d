import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, realpath } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { socketPath } from './database-url.ts'
import { type SystemUser, environment, lastLines } from './postgres-files.ts'

const run = promisify(execFile)

/** How long to wait for crash recovery, or for another process that starts or stops the server. */
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
  // Otherwise a statement keeps running after its client has gone, holds its locks, and delays the stop of the server.
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
  /** Where its Unix socket is; null without one. */
  socketDirectory: string | null
  ready: boolean
}

/**
 * Returns the server in the cluster's lock file, or undefined unless that process is alive and is a server.
 */
export async function postmaster(directory: string): Promise<Server | undefined> {
  const server = await lockFile(directory)
  return server && (await isServer(server.pid, directory)) ? server : undefined
}

async function lockFile(directory: string): Promise<Server | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  // PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*: process, directory, start, port, socket directory, address,
  // shared memory, status
  const [process, , , port, sockets, , , status] = text.split('\n')
  // negative when it is a single-user server
  const pid = Math.abs(Number(process))
  if (!(pid > 0)) return undefined
  return { pid, port: Number(port), socketDirectory: sockets || null, ready: status?.trim() === 'ready' }
}

export async function isServer(pid: number, directory: string): Promise<boolean> {
  if (process.platform === 'linux') {
    // its command line is readable by all, its working directory is not, not even by root in a container
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

/** The maximum length of a Unix socket path on every system, without its final NUL: `sun_path` on macOS. */
const socketPathMax = 103

/** Returns whether the server can have a Unix socket among its files. */
const hasSocket = (directory: string, port: number) =>
  process.platform !== 'win32' &&
  !/[",]/.test(directory) &&
  Buffer.byteLength(socketPath(directory, port)) <= socketPathMax

/**
 * Starts the server and waits until it is ready. Returns the last lines of its output if it ends before that.
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
      // its own session: Ctrl-C reaches only this process, which shuts the server down gracefully
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
          `PostgreSQL is still busy starting in ${directory} (see ${path}). Start again later: it goes on by itself.`,
        )
    }
  } finally {
    await file.close()
  }
}
