import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// A greedy caller in its own process, until it is killed. Its argument is an `Attack` as JSON. It prints `begun`
// once all connections have sent a request.

/** A request; with a body, a POST. Each `RANDOM` in it becomes another number each time. */
export interface SentRequest {
  path: string
  headers: Record<string, string>
  body?: string
}

/** Requests that the connections send in turn until the process ends. */
export interface Attack {
  connections: number
  requests: SentRequest[]
  /** Stops reading once a response begins, or sends nothing after these bytes of a longer body. */
  stalls?: 'response' | 'body'
}

const { url, connections, requests, stalls } = JSON.parse(process.argv[2]!) as Attack & { url: string }
const { hostname, port, host } = new URL(url)
const agent = new Agent({ keepAlive: true })
const methodOf = ({ body }: SentRequest) => (body === undefined ? 'GET' : 'POST')

/** Sends a request and reads the response, whatever its status. */
function send(sent: SentRequest, onSent: () => void): Promise<void> {
  const { path, headers, body } = sent
  return new Promise((resolve) => {
    // A URL instead of these parts would normalize the path.
    request({ hostname, port, path, agent, method: methodOf(sent), headers }, (response) => {
      response.resume().once('close', resolve)
    })
      .once('error', () => resolve())
      .once('finish', onSent)
      .end(body)
  })
}

/** Sends a request and leaves its connection open until the system closes it. */
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
    // In an encoded JSON number, the marker is a quoted string.
    const random = text.replaceAll(/%22RANDOM%22|RANDOM/g, () => String(Math.random() * 1000))
    await (stalls === undefined ? send : stall)(JSON.parse(random) as SentRequest, onSent)
    // A system that has ended refuses connections immediately.
    await sleep(1)
  }
}

// Connections that are not read from would let the process end.
setInterval(() => {}, 1000)
for (let connection = 0; connection < connections; connection++) void callWithoutEnd()
