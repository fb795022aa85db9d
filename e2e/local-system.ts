import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { freePort } from '#db/free-port.ts'
import { createTestDatabase } from '#db/test-database.ts'
import type { Mail } from '#server/accounts/mail.ts'
import { makeListener } from '#server/http/front-door.ts'
import { listen } from '#server/http/listen.ts'
import { type Live, startLive } from '#server/http/live.ts'
import { openApiJson } from '#server/http/openapi.ts'
import type { Portal } from '#server/http/pages.ts'
import { makeServer } from '#server/http/server.ts'
import { openSystem } from '#server/programs/system.ts'
import { startWorker } from '#server/programs/worker.ts'
import { readConfig } from '#server/runtime/env.ts'
import type { Services } from '#server/runtime/services.ts'
import { createDemoDatabase } from './demo-database.ts'
import { runOperator } from './operator.ts'
import { makeInternalToken, makePartner } from './partners.ts'
import { type TestedSystem } from './system.ts'

/** The product without its pages, running in the test's process with its own database and data directory. */
export interface LocalSystem extends TestedSystem {
  services: Services
  live: Live
  /** All mails that were sent. */
  mails: { to: string; mail: Mail }[]
  /** Stops everything that was started, and removes the data. */
  close(): Promise<void>
}

/** Returns a mailer that records mails. */
const mailbox = (mails: LocalSystem['mails']): Services['mailer'] => ({
  send: async (to, mail) => mails.push({ to, mail }) > 0,
  sendStored: async () => {},
  sendNow: async (to, mail) => (mails.push({ to, mail }), null),
})

/**
 * Starts the product for a test file. `worker` also sends webhooks, `demo` loads the demo, `pooled` is the
 * URL of a connection pooler in front of the database, and `portal` serves pages. Webhooks may go to loopback
 * addresses.
 */
export async function openLocalSystem(
  options: {
    env?: Record<string, string>
    worker?: boolean
    demo?: boolean
    portal?: Partial<Portal>
    pooled?: (databaseUrl: string) => Promise<string>
  } = {},
): Promise<LocalSystem> {
  const [dataDir, port] = await Promise.all([mkdtemp(join(tmpdir(), 'partner-deals-local-')), freePort()])
  await chmod(dataDir, 0o700)
  const database = options.demo === true ? await createDemoDatabase(dataDir) : await createTestDatabase()
  const config = readConfig({
    DATABASE_URL: (await options.pooled?.(database.url)) ?? database.url,
    DATABASE_DIRECT_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: '1000000',
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
    ...options.env,
  })
  let output = ''
  const log = pino({ base: null }, { write: (line: string) => void (output += line) })
  const system = await openSystem(config, log, () => {})
  const mails: LocalSystem['mails'] = []
  const services: Services = {
    ...system.services,
    mailer: mailbox(mails),
  }
  const noPages = async () => {
    throw new Error('The pages are not part of a local system')
  }
  const live = startLive(services)
  const portal = { answer: noPages, files: new Set<string>(), isDevelopment: false, ...options.portal }
  const listener = makeListener(services, openApiJson(services.config), portal, live)
  const servers = await listen(() => makeServer(listener), ['127.0.0.1', '::1'], port)
  const worker = options.worker === true ? startWorker(services) : null
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    services,
    live,
    db: services.db,
    output: () => output,
    mails,
    operator: (words, input) => runOperator(services, words, input === undefined ? {} : { input }),
    makePartner: makePartner(services.db),
    makeInternalToken: makeInternalToken(services.db),
    async close() {
      const closed = servers.map((server) => once(server.close(), 'close'))
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
      await Promise.all([worker?.stop(), live.stop()])
      await system.close()
      await database.drop()
      await rm(dataDir, { recursive: true })
    },
  }
}
