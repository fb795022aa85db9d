import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Database } from '#db/client.ts'
import { createTestDatabase } from '#db/test-database.ts'
import type { Mail } from '#server/accounts/mail/mail.ts'
import { makeListener } from '#server/http/front-door.ts'
import { openApiJson } from '#server/http/openapi.ts'
import { makeServer } from '#server/http/server.ts'
import { readConfig } from '#server/runtime/env.ts'
import type { Services } from '#server/runtime/services.ts'
import { openSystem } from '#server/runtime/system.ts'
import { startWorker } from '#server/runtime/worker.ts'
import { runOperator } from './operator.ts'
import { type MakePartner, makePartner } from './partners.ts'
import { type CommandResult, freePort } from './system.ts'

/** The product without its pages, in the process of the test, over a database and a data directory of its own. */
export interface LocalSystem {
  /** Where the front door listens. */
  url: string
  dataDir: string
  services: Services
  db: Database
  /** All that was mailed. */
  mails: { to: string; mail: Mail }[]
  /** Runs a command of the operator, `input` as its standard input. */
  operator(words: string[], input?: string): Promise<CommandResult>
  makePartner: MakePartner
  /** Stops what it started and removes its data. */
  close(): Promise<void>
}

/** Opens the product for a test file; `worker` sends webhooks too. Webhooks may go to loopback. */
export async function openLocalSystem(
  options: { env?: Record<string, string>; worker?: boolean } = {},
): Promise<LocalSystem> {
  const [database, dataDir, port] = await Promise.all([
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'partner-deals-local-')),
    freePort(),
  ])
  await chmod(dataDir, 0o700)
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: '1000000',
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    ...options.env,
  })
  const system = await openSystem(config, pino({ level: 'silent' }), () => {})
  const mails: LocalSystem['mails'] = []
  const services: Services = {
    ...system.services,
    mailer: { send: async (to, mail) => mails.push({ to, mail }) > 0 },
  }
  const noPages = async () => {
    throw new Error('The pages are not part of a local system')
  }
  const server = makeServer(makeListener(services, openApiJson(), { answer: noPages, isDevelopment: false }))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const worker = options.worker === true ? startWorker(services) : null
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    services,
    db: services.db,
    mails,
    operator: (words, input) => runOperator(services, words, input === undefined ? {} : { input }),
    makePartner: makePartner(services.db),
    async close() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
      await worker?.stop()
      await system.close()
      await database.drop()
      await rm(dataDir, { recursive: true })
    },
  }
}
