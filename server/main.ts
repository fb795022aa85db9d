import { globSync } from 'node:fs'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import next from 'next'
import type { Logger } from 'pino'
import type { EmbeddedDatabase } from '#db/embedded.ts'
import { type DataDirLock, lockDataDir } from '../db/data-dir.ts'
import { hasOperator } from './accounts/user-store.ts'
import { oneAtATime } from './admission/scheduling.ts'
import { type ShutdownState, makeListener } from './http/front-door.ts'
import { listen, serveMetrics } from './http/listen.ts'
import { type Live, startLive } from './http/live.ts'
import { watchLoad } from './http/load.ts'
import { openApiJson } from './http/openapi.ts'
import { makeServer } from './http/server.ts'
import { sendJob } from './jobs/send-store.ts'
import { accountText, demoAccess, isDemoDue, loadDemo } from './programs/demo.ts'
import { removeLeftSoon } from './programs/housekeeping.ts'
import { makeLog, openSystem, tryMailServer } from './programs/system.ts'
import { startWorker } from './programs/worker.ts'
import { readProcessEnvironment } from './runtime/env-file.ts'
import { readConfig } from './runtime/env.ts'
import { recordInstallation, requireInstallation } from './runtime/installation.ts'
import { runToEnd, stopSignal } from './runtime/process.ts'
import { type Services, shareServices } from './runtime/services.ts'
import { secondMs } from './values/units.ts'

// Maximum time that running requests may take during shutdown.
const drainMs = 10_000

// True for `npm run dev`, in which pages reload when their source changes.
const isDevelopment = process.env.NODE_ENV === 'development'

const print = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const stopping = stopSignal()
  const shutdown: ShutdownState = { isShuttingDown: false }
  void stopping.then(() => {
    shutdown.isShuttingDown = true
  })
  const { variables } = readProcessEnvironment()
  const config = readConfig(variables)
  requireInstallation(config, variables, process.cwd(), 'always')
  const log = makeLog(config)
  const system = await openSystem(config, log, print, stopping)
  const { services, embedded } = system
  recordInstallation(config, process.cwd())
  let lock: DataDirLock | null = null
  let live: Live | null = null
  try {
    if (embedded !== null) lock = await lockDataDir(embedded.url, config.dataDir)
    if (config.demo && (await isDemoDue(services))) {
      print('Loading the demonstration data …')
      await loadDemo(services)
    }
    await serveMetrics(services)
    live = startLive(services)
    const servers = await serve(services, live, shutdown)
    watchLoad()
    // A process of an older version may have written deals.
    await sendJob(services.db.$client, 'upgrade-deals', { data: null })
    tryMailServer(services)
    const left = removeLeftSoon(services)
    const worker = config.worker ? startWorker(services) : null
    const watch = embedded === null || lock === null ? undefined : watchDatabase(lock, embedded, services.log)
    await printStart(services)

    await stopping
    print('Stopping …')
    clearInterval(watch)
    clearTimeout(left)
    await Promise.all([live.stop(), drain(servers, config.drainS), worker?.stop()])
  } finally {
    // Open live connections would keep the embedded database running.
    await live?.stop()
    await lock?.release()
    await system.close()
    log.flush()
  }
}

/** Prepares the portal's pages and starts to listen. */
async function serve(services: Services, live: Live, shutdown: ShutdownState): Promise<Server[]> {
  const { config } = services
  shareServices(services)
  // `node --watch` sets this variable. If Next's workers inherited it, they would report imports instead of
  // responding.
  delete process.env.WATCH_REPORT_DEPENDENCIES
  // After a form submission, Next requests pages from this address.
  const pages = next({
    dev: isDevelopment,
    hostname: config.hosts.length > 1 ? 'localhost' : config.hosts[0]!,
    port: config.port,
    dir: fileURLToPath(new URL('..', import.meta.url)),
  })
  await pages.prepare()
  const portal = { answer: pages.getRequestHandler(), files: builtFiles(), isDevelopment }
  const listener = makeListener(services, openApiJson(config), portal, live, shutdown)
  // In development, the first response waits until its page is compiled.
  const options = isDevelopment ? { isDevelopment, stalledMs: 0 } : {}
  return listen(() => makeServer(listener, options), config.hosts, config.port)
}

/** Returns the paths of the build's scripts, styles, and fonts. Empty in development. */
function builtFiles(): Set<string> {
  if (isDevelopment) return new Set()
  const directory = fileURLToPath(new URL('../.next/static', import.meta.url))
  return new Set(globSync('**/*.*', { cwd: directory }).map((path) => encodeURI(`/_next/static/${path}`)))
}

/** Keeps the lock on the embedded database, and restarts the database if it stops unexpectedly. */
function watchDatabase(lock: DataDirLock, embedded: EmbeddedDatabase, log: Logger): NodeJS.Timeout {
  const watch = oneAtATime(() =>
    lock
      .keep()
      .catch(() => embedded.ensure().then(() => lock.keep()))
      .catch((error: unknown) => log.error({ error: String(error) }, 'database unavailable')),
  )
  return setInterval(() => void watch(), secondMs)
}

/**
 * Keeps serving for a few seconds until load balancers notice the shutdown, then waits for running requests.
 */
async function drain(servers: Server[], drainS: number): Promise<void> {
  // In development, browsers keep the hot reload socket open.
  if (isDevelopment) return
  await sleep(drainS * secondMs)
  const closed = servers.map((server) => new Promise((resolve) => void server.close(resolve)))
  const idle = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), 50)
  const deadline = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), drainMs)
  await Promise.all(closed)
  clearInterval(idle)
  clearTimeout(deadline)
}

async function printStart(services: Services): Promise<void> {
  const { publicUrl } = services.config
  const demo = services.config.demo ? await demoAccess(services) : null
  print(`\nPartner Deals is ready at ${publicUrl}\n`)
  if (demo !== null) {
    print(`  Portal     ${publicUrl}/sign-in`)
    for (const account of demo.accounts) print(`             ${accountText(account)}`)
    print(`  API token  ${demo.token}`)
    print(`  Try it     curl -H "Authorization: Bearer ${demo.token}" "${publicUrl}/api/deals?size=1"\n`)
  }
  if (demo === null && !(await hasOperator(services.db))) {
    print('  There is no operator yet. This command prints an invitation link for the first one:')
    print('  npm run -s operator -- user invite you@example.com --operator\n')
  }
  print('Ctrl-C stops it.\n')
}

await runToEnd(main)
