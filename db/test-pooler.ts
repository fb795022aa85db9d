import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

// A minimal pooler in transaction mode. Switches sessions whenever possible, and records session state that
// would outlive a transaction.

const sslRequest = 80_877_103
const cancelRequest = 80_877_102

/** Startup parameters that PgBouncer 1.18 accepts. */
const accepted = new Set(['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'application_name'])

/** A pooler in front of a database. */
export interface TestPooler {
  url: string
  /** Session state that outlived its transaction. */
  leftBehind: string[]
  /** Returns the number of transactions served by each session. */
  served(): number[]
  close(): void
}

interface Session {
  socket: Socket
  client: Socket | null
  /** Number of statements without a response. */
  underway: number
  served: number
}

/** Starts a pooler with `count` sessions on the database at `url`. */
export async function startPooler(url: string, count: number): Promise<TestPooler> {
  const free: Session[] = []
  const waiting: (() => void)[] = []
  const leftBehind: string[] = []
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(url)))
  for (const session of sessions) {
    free.push(session)
    readMessages(session.socket, (type, message) => {
      const { client } = session
      client?.write(message)
      if (type !== 'Z') return
      session.underway--
      const isIdle = message[5] === 'I'.charCodeAt(0)
      if (!isIdle || session.underway > 0) return
      session.client = null
      session.served++
      free.push(session)
      waiting.shift()?.()
    })
  }
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.setNoDelay().on('error', () => {})
    serve(client, { sessions, free, waiting, leftBehind })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    leftBehind,
    served: () => sessions.map(({ served }) => served),
    close() {
      server.close()
      for (const socket of clients) socket.destroy()
      for (const { socket } of sessions) socket.destroy()
    },
  }
}

interface Shared {
  sessions: Session[]
  free: Session[]
  waiting: (() => void)[]
  leftBehind: string[]
}

function serve(client: Socket, { sessions, free, waiting, leftBehind }: Shared): void {
  let session: Session | null = null
  let isStarted = false
  const pending: [string, Buffer][] = []
  function forward(): void {
    if (session !== null && session.client !== client) session = null
    if (session === null) {
      const next = free.shift()
      if (next === undefined) {
        waiting.push(forward)
        return
      }
      session = next
      session.client = client
    }
    for (const [type, message] of pending.splice(0)) {
      if (type === 'S' || type === 'Q') session.underway++
      session.socket.write(message)
    }
  }
  readMessages(
    client,
    (type, message) => {
      if (type === 'X') {
        client.end()
        return
      }
      note(type, message, leftBehind)
      pending.push([type, message])
      if (pending.length === 1) forward()
    },
    (startup) => {
      if (isStarted) return false
      if (startup.readInt32BE(4) === cancelRequest) client.end()
      else if (startup.readInt32BE(4) === sslRequest) client.write('N')
      else isStarted = start(client, startup)
      return !isStarted
    },
  )
  client.once('close', () => {
    for (const left of sessions) if (left.client === client) left.socket.destroy()
  })
}

/** Responds to a startup message. Returns false if the pooler rejects the message. */
function start(client: Socket, startup: Buffer): boolean {
  const parts = startup.subarray(8).toString().split('\0')
  const refused = parts.filter((name, at) => at % 2 === 0 && name !== '' && !accepted.has(name.toLowerCase()))
  if (refused.length > 0) {
    client.end(messageOf('E', `SFATAL\0C08P01\0Munsupported startup parameter: ${refused[0]}\0\0`))
    return false
  }
  client.write(
    Buffer.concat([
      messageOf('R', Buffer.alloc(4)),
      messageOf('S', 'server_version\x0018.0\0'),
      messageOf('K', Buffer.alloc(8)),
      messageOf('Z', 'I'),
    ]),
  )
  return true
}

function note(type: string, message: Buffer, leftBehind: string[]): void {
  if (type !== 'P' && type !== 'Q') return
  const text = message.subarray(5).toString()
  const [name, statement] = type === 'P' ? (text.split('\0') as [string, string]) : ['', text]
  const query = statement.trim()
  const isLeft =
    /^(?:un)?listen\b/i.test(query) ||
    (/^set\b/i.test(query) && !/^set local\b/i.test(query)) ||
    /\bpg_(?:try_)?advisory_lock/i.test(query) ||
    /\bcreate temp/i.test(query) ||
    /\bwith hold\b/i.test(query)
  if (name !== '' || isLeft) leftBehind.push(query)
}

function messageOf(type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body as string)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** Forwards the messages of a socket. Calls `takeStartup` with startup messages until it returns false. */
function readMessages(
  socket: Socket,
  onMessage: (type: string, message: Buffer) => void,
  takeStartup?: (message: Buffer) => boolean,
): void {
  let received: Buffer = Buffer.alloc(0)
  let isStarting = takeStartup !== undefined
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk as Buffer])
    for (;;) {
      const lengthAt = isStarting ? 0 : 1
      if (received.length < lengthAt + 4) return
      const size = received.readInt32BE(lengthAt) + lengthAt
      if (received.length < size) return
      const message = received.subarray(0, size)
      received = received.subarray(size)
      if (isStarting) isStarting = takeStartup!(message)
      else onMessage(String.fromCharCode(message[0]!), message)
    }
  })
}

/** Opens a session on the database and signs in with SCRAM (RFC 5802, RFC 7677). */
async function openSession(url: string): Promise<Session> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
    .setNoDelay()
    .on('error', () => {})
  await once(socket, 'connect')
  const startup = Buffer.from(
    `\0\0\0\0\0\x03\0\0user\0${username}\0database\0${pathname.slice(1)}\0TimeZone\0UTC\0\0`,
  )
  startup.writeInt32BE(startup.length)
  socket.write(startup)
  const nonce = randomBytes(18).toString('base64')
  await new Promise<void>((resolve, reject) => {
    readMessages(socket, (type, message) => {
      const text = message.subarray(9).toString()
      if (type === 'E') reject(new Error(message.subarray(5).toString()))
      if (type === 'Z') resolve()
      if (type !== 'R') return
      const kind = message.readInt32BE(5)
      if (kind === 10) socket.write(firstProof(nonce))
      if (kind === 11) socket.write(messageOf('p', lastProof(text, nonce, decodeURIComponent(password))))
    })
  })
  socket.removeAllListeners('data')
  return { socket, client: null, underway: 0, served: 0 }
}

function firstProof(nonce: string): Buffer {
  const first = Buffer.from(`n,,n=*,r=${nonce}`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(first.length)
  return messageOf('p', Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), length, first]))
}

function lastProof(serverFirst: string, nonce: string, password: string): string {
  const parts = Object.fromEntries(serverFirst.split(',').map((part) => [part[0]!, part.slice(2)]))
  const salted = pbkdf2Sync(password, Buffer.from(parts['s']!, 'base64'), Number(parts['i']), 32, 'sha256')
  const key = createHmac('sha256', salted).update('Client Key').digest()
  const withoutProof = `c=biws,r=${parts['r']}`
  const signature = createHmac('sha256', createHash('sha256').update(key).digest())
    .update(`n=*,r=${nonce},${serverFirst},${withoutProof}`)
    .digest()
  return `${withoutProof},p=${Buffer.from(key.map((byte, at) => byte ^ signature[at]!)).toString('base64')}`
}
