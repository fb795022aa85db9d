import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#db/free-port.ts'
import { listenLocally } from './loopback.ts'

/** A load balancer in front of several web processes. */
export interface Balancer {
  url: string
  close(): Promise<void>
}

/** Interval of readiness checks. */
const probeMs = 250

/** Path of the HAProxy executable; undefined if HAProxy is not installed. */
export const haproxy = ['haproxy', '/usr/sbin/haproxy'].find((path) => spawnSync(path, ['-v']).status === 0)

/** Name of the load balancer in use. */
export const balancerName = haproxy === undefined ? 'a stand-in for HAProxy' : 'HAProxy'

/** Starts HAProxy (or a stand-in if HAProxy is not installed) on `port`, in front of these local ports. */
export const startBalancer = (directory: string, port: number, ports: number[]): Promise<Balancer> =>
  haproxy === undefined ? startStandIn(port, ports) : startHaproxy(directory, port, ports)

/** Starts HAProxy with this configuration. Returns a function that kills it. */
export async function runHaproxy(directory: string, configuration: string): Promise<() => Promise<void>> {
  const path = join(directory, `haproxy-${randomUUID()}.cfg`)
  await writeFile(path, configuration)
  const child = spawn(haproxy!, ['-db', '-q', '-f', path], { stdio: 'ignore' })
  return async () => {
    if (child.kill('SIGKILL')) await once(child, 'close')
  }
}

async function startHaproxy(directory: string, port: number, ports: number[]): Promise<Balancer> {
  const close = await runHaproxy(
    directory,
    `defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 5s
    option redispatch
frontend deals
    bind 127.0.0.1:${port}
    default_backend web
backend web
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter ${probeMs}ms fall 2 rise 1
${ports.map((each, at) => `    server web${at} 127.0.0.1:${each}`).join('\n')}
`,
  )
  const url = `http://127.0.0.1:${port}`
  for (let isUp = false; !isUp; await sleep(20))
    isUp = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  return { url, close }
}

/**
 * Starts a stand-in for HAProxy, which forwards requests round robin to ready processes over persistent
 * connections. If a connection fails, the request goes to the next process. A request that was sent but got
 * no response fails.
 */
async function startStandIn(port: number, ports: number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set(ports)
  const probing = setInterval(() => {
    for (const port of ports)
      fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => void (ok ? ready.add(port) : ready.delete(port)),
        () => void ready.delete(port),
      )
  }, probeMs)
  let turn = 0
  const server = createServer((incoming, response) => {
    const choices = ports.filter((each) => ready.has(each))
    const pass = (triesLeft: number) => {
      const to = choices[turn++ % Math.max(1, choices.length)]
      if (to === undefined) return void response.writeHead(503).end()
      const { method, url: path, headers } = incoming
      const passed = request({ host: '127.0.0.1', port: to, method, path, headers, agent })
      passed.once('response', (answer) => {
        const { connection: _ofOurs, 'keep-alive': _alsoOurs, ...responseHeaders } = answer.headers
        response.writeHead(answer.statusCode!, responseHeaders)
        answer.pipe(response)
      })
      passed.once('error', (error: NodeJS.ErrnoException) => {
        const isUnsent = error.code === 'ECONNREFUSED'
        if (isUnsent && triesLeft > 0) pass(triesLeft - 1)
        else response.writeHead(502).end()
      })
      incoming.pipe(passed)
      response.once('close', () => passed.destroy())
    }
    pass(2)
  })
  const { url, close } = await listenLocally(server, port)
  return {
    url,
    async close() {
      clearInterval(probing)
      agent.destroy()
      await close()
    },
  }
}

/** Returns free ports for a balancer and `count` processes. */
export async function balancedPorts(count: number): Promise<{ port: number; ports: number[] }> {
  const port = await freePort()
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return { port, ports }
}
