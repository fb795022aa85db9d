import { serveMetrics } from './http/listen.ts'
import { makeLog, openSystem, tryMailServer } from './programs/system.ts'
import { startWorker } from './programs/worker.ts'
import { readProcessEnvironment } from './runtime/env-file.ts'
import { readConfig } from './runtime/env.ts'
import { recordInstallation, requireInstallation } from './runtime/installation.ts'
import { runToEnd, stopSignal } from './runtime/process.ts'

// npm run worker: sends webhooks and runs jobs for web processes with WORKER=off. Serves no requests.

const print = (text: string) => void process.stdout.write(`${text}\n`)

await runToEnd(async () => {
  const stopping = stopSignal()
  const { variables } = readProcessEnvironment()
  const config = readConfig(variables)
  requireInstallation(config, variables, process.cwd(), 'never')
  const log = makeLog(config)
  const system = await openSystem(config, log, print, stopping)
  try {
    recordInstallation(config, process.cwd())
    await serveMetrics(system.services)
    tryMailServer(system.services)
    const worker = startWorker(system.services)
    print('The worker of Partner Deals is ready. Ctrl-C stops it.')
    await stopping
    print('Stopping …')
    await worker.stop()
  } finally {
    await system.close()
    log.flush()
  }
})
