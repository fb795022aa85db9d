import { type Server, createServer } from 'node:http'
import { ConfigurationError } from '../runtime/env.ts'
import type { Services } from '../runtime/services.ts'

// With Node's default of 511, a larger burst of connections would time out.
const backlog = 4096

/** Listens on those hosts that exist on this machine. @throws if there is none */
export async function listen(make: () => Server, hosts: string[], port: number): Promise<Server[]> {
  const servers: Server[] = []
  for (const host of hosts) {
    const server = make()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject).listen({ host, port, backlog, ipv6Only: hosts.length > 1 }, resolve)
    try {
      await promise
      servers.push(server)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A machine without IPv6 does not have ::1, so listening on the other host is enough.
      if (hosts.length === 1 || (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT')) throw error
    }
  }
  return servers
}

const scrapeTimeoutMs = 10_000

/**
 * Serves this process's metrics on METRICS_PORT.
 * @throws ConfigurationError if another program uses the port
 */
export async function serveMetrics({ config, metrics }: Services): Promise<void> {
  if (metrics === null) return
  const port = config.metricsPort!
  await listen(
    () => createServer({ headersTimeout: scrapeTimeoutMs, requestTimeout: scrapeTimeoutMs }, metrics.answer),
    config.hosts,
    port,
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new ConfigurationError(`METRICS_PORT: ${port} is used by another program`)
      : error
  })
}
