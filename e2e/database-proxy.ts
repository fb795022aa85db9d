import { createServer as createHttpServer } from 'node:http'
import { type Socket, connect, createServer } from 'node:net'
import postgres from 'postgres'
import { freePort } from '#db/free-port.ts'
import { haproxy, runHaproxy } from './balancer.ts'
import { listenLocally } from './loopback.ts'

/** A proxy with one address that always leads to the current primary. */
interface DatabaseProxy {
  url: string
  close(): Promise<void>
}

/** A database server behind the proxy, with the port of its primary check. */
interface Checked {
  port: number
  checkPort: number
}

const checkMs = 250

/**
 * Starts HAProxy (or a stand-in if HAProxy is not installed) in front of the database servers at these URLs.
 */
export async function startDatabaseProxy(directory: string, urls: string[]): Promise<DatabaseProxy> {
  const checks = await Promise.all(urls.map(startCheck))
  const servers = urls.map((url, at) => ({ port: Number(new URL(url).port), checkPort: checks[at]!.port }))
  const port = await freePort()
  const stop = await (haproxy === undefined
    ? startStandIn(port, servers)
    : startHaproxy(directory, port, servers))
  return {
    url: Object.assign(new URL(urls[0]!), { port: String(port) }).href,
    async close() {
      await stop()
      await Promise.all(checks.map(({ close }) => close()))
    },
  }
}

/** Responds with 200 while the server at `url` is the primary, like Patroni does. */
async function startCheck(url: string) {
  const server = createHttpServer((_request, response) => {
    void isPrimary(url).then((isOne) => response.writeHead(isOne ? 200 : 503).end())
  })
  return listenLocally(server)
}

async function isPrimary(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 1, fetch_types: false, onnotice: () => {} })
  try {
    const [row] = await sql<[{ transaction_read_only: string }]>`show transaction_read_only`
    return row.transaction_read_only === 'off'
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const startHaproxy = (directory: string, port: number, servers: Checked[]) =>
  runHaproxy(
    directory,
    `defaults
    mode tcp
    timeout connect 2s
    timeout client 30m
    timeout server 30m
    timeout check 5s
listen deals
    bind 127.0.0.1:${port}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter ${checkMs}ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((each, at) => `    server db${at} 127.0.0.1:${each.port} check port ${each.checkPort}`).join('\n')}
`,
  )

/**
 * Starts a stand-in for HAProxy. Closes connections to servers that are no longer the primary, and all
 * connections while there is no primary.
 */
async function startStandIn(port: number, servers: Checked[]) {
  const sockets = new Map(servers.map((server) => [server, new Set<Socket>()]))
  let primary: Checked | undefined
  const check = async () => {
    for (const server of servers) {
      const isUp = await fetch(`http://127.0.0.1:${server.checkPort}/primary`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isUp) primary = server
      else if (primary === server) primary = undefined
      if (!isUp) for (const socket of sockets.get(server)!) socket.destroy()
    }
  }
  await check()
  const checking = setInterval(() => void check(), checkMs)
  const server = createServer((client) => {
    if (primary === undefined) return void client.destroy()
    const known = sockets.get(primary)!
    const upstream = connect(primary.port, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      known.add(socket)
      socket.setNoDelay().on('error', () => {})
      socket.on('close', () => {
        known.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const { close } = await listenLocally(server, port)
  return () => (clearInterval(checking), close())
}
