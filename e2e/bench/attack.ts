import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// A greedy caller in its own process, until stopped. Its argument is an `Attack` as JSON; it prints `begun`
// once all connections are open.

/** A request; one with a body is a POST. `RANDOM` in it becomes another number each time. */
export interface SentRequest {
  path: string
  headers: Record<string, string>
  body?: string
}

/** Requests that some connections send in turn, without end. */
export interface Attack {
  connections: number
  requests: SentRequest[]
  /** Reads nothing of a response that has begun, or sends no more than these bytes of a longer body. */
  stalls?: 'response' | 'body'
}

const { url, connections, requests, stalls } = JSON.parse(process.argv[2]!) as Attack & { url: string }
const { hostname, port, host } = new URL(url)
const agent = new Agent({ keepAlive: true })

/** Sends a request and reads the response, whatever its status. */
function send({ path, headers, body }: SentRequest, sent: () => void): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve) => {
    // As a URL, its path would be brought into normal form.
    request({ hostname, port, path, agent, method, headers }, (response) => {
      response.resume().once('close', resolve)
    })
      .once('error', () => resolve())
      .once('finish', sent)
      .end(body)
  })
}

/** Sends a request and leaves its connection open until the system closes it. */
function stall({ path, headers, body }: SentRequest, sent: () => void): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket
      .on('error', () => {})
      .once('close', () => void sleep(100).then(resolve))
      .once('connect', () => {
        const method = body === undefined ? 'GET' : 'POST'
        socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n${body ?? ''}`)
        if (stalls === 'response') return void socket.once('readable', sent)
        socket.resume()
        sent()
      })
  })
}

const texts = requests.map((each) => JSON.stringify(each))
let count = 0
let waiting = connections

async function callWithoutEnd(): Promise<void> {
  let isFirst = true
  const sent = () => {
    if (isFirst && --waiting === 0) process.stdout.write('begun\n')
    isFirst = false
  }
  for (;;) {
    const text = texts[count++ % texts.length]!.replaceAll('RANDOM', () => String(Math.random() * 1000))
    await (stalls === undefined ? send : stall)(JSON.parse(text) as SentRequest, sent)
    // A system that has ended refuses connections at once.
    await sleep(1)
  }
}

// A connection that is not read from keeps no process running.
setInterval(() => {}, 1000)
for (let place = 0; place < connections; place++) void callWithoutEnd()
