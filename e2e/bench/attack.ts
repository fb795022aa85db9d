import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Calls, makeCallAttacks } from './member-attacks.ts'

// A greedy caller in its own process, until stopped. Its argument is an `Attack` as JSON; it prints `begun`
// once all connections are open.

/** An attack on the system at `url`. */
export type Attack = { url: string } & (
  | { kind: 'resets' }
  | { kind: 'bodies'; tokens: string[] }
  | { kind: 'boards'; cookie: string }
  | { kind: 'exports'; cookies: string[] }
  | { kind: 'files'; cookie: string; fileIds: string[]; viewPaths: string[] }
  | Calls
)

/**
 * All attacks of a single caller; `names` and `pushes` register webhooks and browsers that never answer, and need no
 * client.
 */
export type AttackName =
  | Exclude<Attack['kind'], 'calls'>
  | keyof Awaited<ReturnType<typeof makeCallAttacks>>
  | 'names'
  | 'pushes'

const counts = { resets: 40, bodies: 280, boards: 300, files: 16 }
const callsOfBatch = 10

const attack = JSON.parse(process.argv[2]!) as Attack
const { hostname, port, host } = new URL(attack.url)
const agent = new Agent({ keepAlive: true })

const random = () => randomBytes(9).toString('hex')

/** Sends a request and reads the response, whatever its status. */
function send(path: string, headers: Record<string, string>, sent: () => void, body?: string): Promise<void> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST'
    // As a URL, its path would be brought into normal form.
    request({ hostname, port, path, agent, method, headers }, (response) => {
      response.resume().once('close', resolve)
    })
      .once('error', () => resolve())
      .once('finish', sent)
      .end(body)
  })
}

let waiting = 0

function begun(): void {
  if (--waiting === 0) process.stdout.write('begun\n')
}

/** Repeats the work, this many times in parallel; it calls `sent` once its request is sent. */
function withoutEnd(places: number, work: (place: number, sent: () => void) => Promise<void>): void {
  waiting = places
  for (let place = 0; place < places; place++)
    void (async () => {
      let isFirst = true
      for (;;) {
        await work(place, () => {
          if (isFirst) begun()
          isFirst = false
        })
        // A system that has ended refuses connections at once.
        await sleep(1)
      }
    })()
}

/** Opens a connection, sends some bytes and leaves it open until the system closes it. */
function hold(said: string, open: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket
      .on('error', () => {})
      .once('close', () => void sleep(100).then(resolve))
      .once('connect', () => {
        socket.write(said)
        open(socket)
      })
  })
}

function requestResets(sent: () => void): Promise<void> {
  const procedures = Array<string>(callsOfBatch).fill('accounts.requestReset')
  const inputs = procedures.map((_, at) => [at, { json: { email: `${random()}@nobody.example` } }] as const)
  const headers = { origin: attack.url, 'content-type': 'application/json' }
  return send(
    `/api/trpc/${procedures.join(',')}?batch=1`,
    headers,
    sent,
    JSON.stringify(Object.fromEntries(inputs)),
  )
}

/** Sends one byte of a body, and no more. */
const beginBody = (token: string, sent: () => void) =>
  hold(
    `POST /api/events/reconcile HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    (socket) => {
      socket.resume()
      sent()
    },
  )

/** Requests a board that is not cached. */
function askForBoard(cookie: string, sent: () => void): Promise<void> {
  const filter = { search: '602', amount: { min: Math.random() * 1000 } }
  const input = encodeURIComponent(JSON.stringify({ json: { filter } }))
  return send(`/api/trpc/deals.board?input=${input}`, { cookie }, sent)
}

/** Begins an export and reads nothing of it. */
const beginExport = (cookie: string, sent: () => void) =>
  hold(`GET /deals/export?all=1 HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`, (socket) =>
    // The response has begun; nothing reads it.
    socket.once('readable', sent),
  )

function askForFile(cookie: string, id: string, sent: () => void): Promise<void> {
  const input = encodeURIComponent(JSON.stringify({ json: { id } }))
  return send(`/api/trpc/files.get?input=${input}`, { cookie }, sent)
}

// A connection that is not read from keeps no process running.
setInterval(() => {}, 1000)

const pick = (from: string[]) => from[Math.floor(Math.random() * from.length)]!

switch (attack.kind) {
  case 'resets':
    withoutEnd(counts.resets, (_, sent) => requestResets(sent))
    break
  case 'bodies':
    withoutEnd(counts.bodies, (place, sent) => beginBody(attack.tokens[place % attack.tokens.length]!, sent))
    break
  case 'boards':
    withoutEnd(counts.boards, (_, sent) => askForBoard(attack.cookie, sent))
    break
  case 'exports':
    withoutEnd(attack.cookies.length, (place, sent) => beginExport(attack.cookies[place]!, sent))
    break
  case 'calls': {
    const { requests, places, isRead } = attack
    let count = 0
    withoutEnd(places, (_, sent) => {
      const { path, headers, body } = requests[count++ % requests.length]!
      if (isRead) return send(path, headers, sent, body)
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      // The response has begun; nothing reads it.
      return hold(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`, (socket) =>
        socket.once('readable', sent),
      )
    })
    break
  }
  case 'files':
    withoutEnd(counts.files, (place, sent) =>
      place % 2 === 0
        ? send(pick(attack.viewPaths), {}, sent)
        : askForFile(attack.cookie, pick(attack.fileIds), sent),
    )
}
