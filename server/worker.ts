import { serveMetrics } from './http/listen.ts'
import { readConfig } from './runtime/env.ts'
import { runToEnd, stopSignal } from './runtime/process.ts'
import { makeLog, openSystem } from './runtime/system.ts'
import { startWorker } from './runtime/worker.ts'

// npm run worker: a process that sends webhooks and serves no requests, for web processes with WORKER=off.

const say = (text: string) => void process.stdout.write(`${text}\n`)

await runToEnd(async () => {
  const stopping = stopSignal()
  const config = readConfig(process.env)
  const log = makeLog(config)
  const system = await openSystem(config, log, say, stopping)
  try {
    await serveMetrics(system.services)
    const worker = startWorker(system.services)
    say('The worker of Partner Deals is ready. Ctrl-C stops it.')
    await stopping
    say('Stopping …')
    await worker.stop()
  } finally {
    await system.close()
    log.flush()
  }
})
