import { once as onceEmitted } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './drive.ts'
import { type Ours, makeOurs } from './ours.ts'
import { type Party, makeParty } from './party.ts'
import { settle } from './peer.ts'
import { type Started, stop } from './process.ts'
import { type Site, once } from './site.ts'

/** A system with a partner whose events are sent to a receiver. */
interface Sender {
  ours: Ours
  receiver: Receiver
  receiving: Party
}

/**
 * Returns the measurements of deliveries: the plain rate, and the rate relative to it while another partner's
 * endpoint never responds.
 */
export function measureDeliveries({ stack, size, say }: Site) {
  const drains = once(async () => {
    say('Starting another system, which sends events')
    const [ours, receiver] = [await makeOurs(stack), await startReceiver(stack)]
    await ours.start({ WORKER: 'off' })
    const receiving = await makeParty(ours, 'receiving', size.partyDeals, 20_000_000_000n)
    const dead = await makeParty(ours, 'dead', size.partyDeals, 40_000_000_000n)
    say('Sending events, alternately alone and beside a receiver that never responds')
    return compareDrains({ ours, receiver, receiving }, dead, size.drains)
  })
  return {
    deliveriesPerS: async () => median((await drains()).map(([alone]) => alone)),
    deadNeighbourRatio: async () => median((await drains()).map(([alone, beside]) => beside / alone)),
  }
}

/**
 * Measures the rate of deliveries alternately with and without as many events for a partner that never
 * responds. Returns pairs of rates.
 */
async function compareDrains(sender: Sender, dead: Party, drains: number) {
  const { ours, receiver, receiving } = sender
  // Clears the queue in memory.
  await ours.restart({ WORKER: 'off' })
  await receiving.setEndpoints(receiver.url)
  // Warm-up: before the first delivery, the planner's statistics say that the queue is empty.
  await changeAndDrain(sender)
  const pairs: [alone: number, beside: number][] = []
  while (pairs.length < drains) {
    const alone = await changeAndDrain(sender)
    await dead.setEndpoints(receiver.silentUrl)
    pairs.push([alone, await changeAndDrain(sender, dead)])
    // Drop the pending deliveries of the partner that never responds.
    await dead.setEndpoints(null)
  }
  return pairs
}

/**
 * Changes all deals while no worker runs (those of `beside` first), then runs a worker until all events of
 * the partner have arrived. Returns the number of events per second.
 */
async function changeAndDrain({ ours, receiving, receiver }: Sender, beside?: Party): Promise<number> {
  // Update statistics before the change, so that the planner does not know about the burst.
  await settle(await ours.databaseUrl())
  await beside?.change()
  await receiving.change()
  const worker = ours.startWorker()
  const perS = await receiver.perS(receiving.deals, worker)
  await stop(worker)
  return perS
}

const pollMs = 200

// Ten times the expected duration.
const timeoutMs = 200_000

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts a receiver of events that responds with 200, or never at `silentUrl`. */
export async function startReceiver(stack: AsyncDisposableStack) {
  const messages = new Set<unknown>()
  let firstMs = 0
  let lastMs = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/silent') return
    if (!messages.has(request.headers['webhook-id'])) lastMs = performance.now()
    if (messages.size === 0) firstMs = lastMs
    messages.add(request.headers['webhook-id'])
    request.once('end', () => response.end())
  })
  await onceEmitted(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => (server.closeAllConnections(), void server.close()))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    url,
    silentUrl: `${url}/silent`,
    count: () => messages.size,
    /**
     * Waits for this many distinct events while `worker` runs. Returns the rate between the first and last
     * event.
     */
    async perS(events: number, worker: Started): Promise<number> {
      messages.clear()
      const deadline = performance.now() + timeoutMs
      while (messages.size < events) {
        if (worker.child.exitCode !== null) throw new Error(`The worker ended\n${worker.output().stderr}`)
        if (performance.now() > deadline) throw new Error(`Only ${messages.size} of ${events} events arrived`)
        await sleep(pollMs)
      }
      return (messages.size / (lastMs - firstMs)) * 1000
    },
  }
}
