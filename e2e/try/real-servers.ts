import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#db/free-port.ts'

// Real servers that are installed on this machine, each with its own directory.

/** Path of each program, and the Debian package that contains it. */
export const parts = {
  postgres: { path: '/usr/lib/postgresql/15/bin/postgres', from: 'postgresql-15' },
  pgbouncer: { path: '/usr/sbin/pgbouncer', from: 'pgbouncer' },
  mariadbd: { path: '/usr/sbin/mariadbd', from: 'mariadb-server' },
  sqlite3: { path: '/usr/bin/sqlite3', from: 'sqlite3' },
  stunnel: { path: '/usr/bin/stunnel', from: 'stunnel4' },
  openssl: { path: '/usr/bin/openssl', from: 'openssl' },
  soffice: { path: '/usr/bin/soffice', from: 'libreoffice-calc' },
} as const
export type Part = keyof typeof parts

/** Returns the parts that are not installed on this machine. */
export const missingParts = (names: readonly Part[]) => names.filter((name) => !existsSync(parts[name].path))

const password = 'part:secret'
const urlPassword = encodeURIComponent(password)

/** A server that was started by a test. */
export interface RealServer {
  port: number
  /** URL of the database `deals`. */
  url: string
  process: ChildProcess
}

/** Returns the user to run a server as, because servers refuse to run as root. */
function asUser(name: string, directory: string): { uid?: number; gid?: number } {
  mkdirSync(directory, { recursive: true })
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name])))
  chownSync(directory, uid!, gid!)
  return { uid: uid!, gid: gid! }
}

async function start(
  path: string,
  words: string[],
  port: number,
  user: { uid?: number; gid?: number } = {},
): Promise<ChildProcess> {
  const child = spawn(path, words, { ...user, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) break
    if (await answers(port)) return child
    await sleep(100)
  }
  throw new Error(`${path} does not answer: ${output}`)
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve((socket.destroy(), true)))
    socket.once('error', () => resolve(false))
  })

export async function startPostgres(directory: string): Promise<RealServer> {
  const user = asUser('postgres', directory)
  const port = await freePort()
  const bin = (name: string) => parts.postgres.path.replace(/postgres$/, name)
  const secret = join(directory, 'password')
  writeFileSync(secret, password)
  const data = join(directory, 'data')
  execFileSync(
    bin('initdb'),
    ['-D', data, '-U', 'deals', '-A', 'scram-sha-256', `--pwfile=${secret}`, '--no-sync'],
    {
      ...user,
      stdio: 'ignore',
    },
  )
  const process = await start(
    bin('postgres'),
    ['-D', data, '-p', String(port), '-k', '', '-h', '127.0.0.1,::1'],
    port,
    user,
  )
  const url = `postgres://deals:${urlPassword}@127.0.0.1:${port}/deals`
  for (let tries = 0; tries < 50; tries++) {
    const made = spawnSync(bin('psql'), [url.replace(/deals$/, 'postgres'), '-c', 'create database deals'])
    if (made.status === 0) break
    await sleep(200)
  }
  return { port, url, process }
}

export async function startPgBouncer(directory: string, postgres: RealServer): Promise<RealServer> {
  const user = asUser('postgres', directory)
  const port = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(join(directory, 'users'), `"deals" "${password}"\n`)
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = 2
`,
  )
  const process = await start(parts.pgbouncer.path, [file], port, user)
  const url = `postgres://deals:${urlPassword}@127.0.0.1:${port}/deals?pgbouncer=true&channel_binding=prefer`
  return { port, url, process }
}

export async function startMariadb(directory: string, options: string[]): Promise<RealServer> {
  const user = asUser('mysql', directory)
  const port = await freePort()
  const data = join(directory, 'data')
  execFileSync(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    {
      ...user,
      stdio: 'ignore',
    },
  )
  const init = join(directory, 'init.sql')
  writeFileSync(
    init,
    `create database if not exists deals character set latin1;
create user if not exists deals@'%' identified by '${password}';
create user if not exists deals@localhost identified by '${password}';
grant all on deals.* to deals@'%';
grant all on deals.* to deals@localhost;
`,
  )
  const process = await start(
    parts.mariadbd.path,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1,::1',
      `--socket=${join(directory, 'socket')}`,
      `--pid-file=${join(directory, 'pid')}`,
      `--init-file=${init}`,
      ...options,
    ],
    port,
    user,
  )
  return { port, url: `mysql://deals:${urlPassword}@127.0.0.1:${port}/deals`, process }
}

/** Creates a certificate authority and a certificate for `localhost`. */
export function makeCertificates(directory: string): { ca: string; cert: string; key: string } {
  mkdirSync(directory, { recursive: true })
  const file = (name: string) => join(directory, name)
  writeFileSync(file('names'), 'subjectAltName=DNS:localhost')
  for (const words of [
    'req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=Parts -days 2',
    'req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=localhost',
    'x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile names',
  ])
    execFileSync('openssl', words.split(' '), { cwd: directory, stdio: 'ignore' })
  for (const name of ['key.pem', 'cert.pem', 'ca.pem']) chmodSync(file(name), 0o644)
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') }
}

/** Starts stunnel, which adds TLS in front of a PostgreSQL server. */
export async function startStunnel(
  directory: string,
  postgres: RealServer,
  { cert, key }: { cert: string; key: string },
): Promise<RealServer> {
  mkdirSync(directory, { recursive: true })
  const port = await freePort()
  const file = join(directory, 'stunnel.conf')
  writeFileSync(
    file,
    `foreground = yes
pid =
[postgres]
accept = 127.0.0.1:${port}
connect = 127.0.0.1:${postgres.port}
protocol = pgsql
cert = ${cert}
key = ${key}
`,
  )
  const process = await start(parts.stunnel.path, [file], port)
  return { port, url: postgres.url.replace(`127.0.0.1:${postgres.port}`, `localhost:${port}`), process }
}
