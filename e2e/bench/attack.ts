import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// An abusive client in its own process, which runs until killed. Its argument is an `Attack` as JSON. It
// prints `begun` once every connection has sent a request.

/** A request; a POST if it has a body. Each `RANDOM` is replaced with a random number. */
export interface SentRequest {
  path: string
  headers: Record<string, string>
  body?: string
}

/** Requests that every connection repeats in turn until the process ends. */
export interface Attack {
  connections: number
  requests: SentRequest[]
  /** Stops reading after the response begins, or stops sending in the middle of a longer body. */
  stalls?: 'response' | 'body'
}

const { url, connections, requests, stalls } = JSON.parse(process.argv[2]!) as Attack & { url: string }
const { hostname, port, host } = new URL(url)
const agent = new Agent({ keepAlive: true })
const methodOf = ({ body }: SentRequest) => (body === undefined ? 'GET' : 'POST')

/** Sends a request and reads the response regardless of its status. */
function send(sent: SentRequest, onSent: () => void): Promise<void> {
  const { path, headers, body } = sent
  return new Promise((resolve) => {
    // Given as parts, because a URL would normalize the path.
    request({ hostname, port, path, agent, method: methodOf(sent), headers }, (response) => {
      response.resume().once('close', resolve)
    })
      .once('error', () => resolve())
      .once('finish', onSent)
      .end(body)
  })
}

/** Sends a request and keeps its connection open until the system closes the connection. */
function stall(sent: SentRequest, onSent: () => void): Promise<void> {
  const lines = Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket
      .on('error', () => {})
      .once('close', () => void sleep(100).then(resolve))
      .once('connect', () => {
        const head = `${methodOf(sent)} ${sent.path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`
        socket.write(head + (sent.body ?? ''))
        if (stalls === 'response') return void socket.once('readable', onSent)
        socket.resume()
        onSent()
      })
  })
}

const texts = requests.map((sent) => JSON.stringify(sent))
let count = 0
let waiting = connections

async function callWithoutEnd(): Promise<void> {
  let isFirst = true
  const onSent = () => {
    if (isFirst && --waiting === 0) process.stdout.write('begun\n')
    isFirst = false
  }
  for (;;) {
    const text = texts[count++ % texts.length]!
    // JSON in a URL contains the marker in encoded quotation marks, which must be removed to get a number.
    const random = text.replaceAll(/%22RANDOM%22|RANDOM/g, () => String(Math.random() * 1000))
    await (stalls === undefined ? send : stall)(JSON.parse(random) as SentRequest, onSent)
    // Prevents a busy loop when the system has stopped and refuses connections immediately.
    await sleep(1)
  }
}

// Keeps the process alive, which paused connections do not.
setInterval(() => {}, 1000)
for (let connection = 0; connection < connections; connection++) void callWithoutEnd()
