import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from '../loopback.ts'
import type { RunningProgram } from '../system.ts'
import { median } from './drive.ts'
import { type Party, settle } from './ours.ts'
import { type Filled, type Site, once } from './site.ts'

/**
 * Returns the measurements of deliveries: the plain rate, and the rate relative to it while another partner's
 * endpoint never responds.
 */
export function measureDeliveries({ stack, size, say }: Site, filled: Filled) {
  const pairs = once(async () => {
    const ours = await filled.loaded()
    const dead = await filled.other()
    const receiver = await startCounter()
    stack.defer(receiver.close)
    say('Sending events, alternately alone and beside a receiver that never responds')
    // Clears the queue in memory.
    await ours.restart({ WORKER: 'off' })
    await ours.party.setEndpoints(receiver.url)

    /**
     * Changes deals while no worker runs (those of `beside` first), then runs a worker until all events of
     * the partner have arrived. Returns the number of events per second.
     */
    async function changeAndDrain(beside?: Party): Promise<number> {
      // Update statistics before the change, so that the planner does not know about the burst.
      await settle(ours.db())
      await beside?.change(size.partyDeals)
      await ours.party.change(size.partyDeals)
      receiver.times.clear()
      const worker = await ours.startWorker()
      const perS = await rateOf(receiver.times, size.partyDeals, worker)
      await worker.stop()
      return perS
    }

    // Warm-up: before the first delivery, the planner's statistics say that the queue is empty.
    await changeAndDrain()
    const rates: [alone: number, beside: number][] = []
    while (rates.length < size.drains) {
      const alone = await changeAndDrain()
      await dead.setEndpoints(`${receiver.url}/silent`)
      rates.push([alone, await changeAndDrain(dead)])
      // Drop the pending deliveries of the partner that never responds.
      await dead.setEndpoints(null)
    }
    await ours.party.setEndpoints(null)
    return rates
  })
  return {
    deliveriesPerS: async () => median((await pairs()).map(([alone]) => alone)),
    deadNeighbourRatio: async () => median((await pairs()).map(([alone, beside]) => beside / alone)),
  }
}

// Ten times the expected duration.
const timeoutMs = 200_000

/** Starts a receiver that does little, because it shares the processors with the worker. `/silent` never responds. */
async function startCounter() {
  const times = new Map<unknown, number>()
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/silent') return
    const id = request.headers['webhook-id']
    if (!times.has(id)) times.set(id, performance.now())
    request.once('end', () => response.end())
  })
  return { times, ...(await listenLocally(server)) }
}

/** Waits for this many events while the worker runs. Returns the rate between the first and the last. */
async function rateOf(times: Map<unknown, number>, events: number, worker: RunningProgram): Promise<number> {
  const deadline = performance.now() + timeoutMs
  while (times.size < events) {
    if (worker.process.exitCode !== null) throw new Error(`The worker ended\n${worker.output()}`)
    if (performance.now() > deadline) throw new Error(`Only ${times.size} of ${events} events arrived`)
    await sleep(200)
  }
  const arrivals = [...times.values()]
  return (events / (arrivals.at(-1)! - arrivals[0]!)) * 1000
}
