import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './drive.ts'
import { type Ours, makeOurs } from './ours.ts'
import { type Party, makeParty } from './party.ts'
import { settle } from './peer.ts'
import { type Started, start, stop, waitUntil } from './process.ts'
import { type Site, once } from './site.ts'

/** A system with a partner whose events are sent to a receiver. */
interface Sender {
  ours: Ours
  receiver: Receiver
  receiving: Party
}

/** Returns the measurements of deliveries: the rate alone, and relative to it next to a partner that never responds. */
export function measureDeliveries({ stack, size, say }: Site) {
  const drains = once(async () => {
    say('Starting another system, which sends events')
    const [ours, receiver] = [await makeOurs(stack), await startReceiver(stack)]
    await ours.start({ WORKER: 'off' })
    const receiving = await makeParty(ours, 'receiving', size.partyDeals, 20_000_000_000n)
    const dead = await makeParty(ours, 'dead', size.partyDeals, 40_000_000_000n)
    say('Sending events alone and beside a receiver that never answers in turn')
    return compareDrains({ ours, receiver, receiving }, dead, size.drains)
  })
  return {
    deliveriesPerS: async () => median((await drains()).map(([alone]) => alone)),
    deadNeighbourRatio: async () => median((await drains()).map(([alone, beside]) => beside / alone)),
  }
}

/**
 * Lets the worker send waiting events, alternately with and without as many for a partner that never
 * responds. Returns the pairs of rates.
 */
async function compareDrains(sender: Sender, dead: Party, drains: number) {
  const { ours, receiver, receiving } = sender
  // An empty queue.
  await ours.restart({ WORKER: 'off' })
  await receiving.setEndpoints(null)
  await receiving.setEndpoints(receiver.answering)
  // Not counted: only after the first delivery can the planner learn that nothing waits, and be surprised.
  await changeAndDrain(sender)
  const pairs: [alone: number, beside: number][] = []
  while (pairs.length < drains) {
    const alone = await changeAndDrain(sender)
    await dead.setEndpoints(receiver.silent)
    pairs.push([alone, await changeAndDrain(sender, dead)])
    // Its waiting deliveries are dropped.
    await dead.setEndpoints(null)
  }
  return pairs
}

/**
 * Changes all deals without a worker, those of `beside` first, then runs one until all events of the partner
 * are received. Returns the events sent per second.
 */
async function changeAndDrain({ ours, receiving, receiver }: Sender, beside?: Party): Promise<number> {
  // Before the change: the burst is a surprise to the planner as well.
  await settle(await ours.databaseUrl())
  await beside?.change()
  await receiving.change()
  await receiver.reset()
  const worker = ours.startWorker()
  const perS = await receiver.perS(receiving.deals, worker)
  await stop(worker)
  return perS
}

// Rare enough to cost nothing.
const pollMs = 200

// Ten times the expected time.
const timeoutMs = 200_000

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts a receiver of events, in its own process. */
export async function startReceiver(stack: AsyncDisposableStack) {
  const words = ['e2e/bench/receiver.ts']
  const receiver = start(stack, process.execPath, words, {}, ['ignore', 'pipe', 'inherit'])
  await waitUntil(receiver, 'The receiver', async () => receiver.output().stdout.endsWith('\n'))
  const url = receiver.output().stdout.trim()
  const received = async () => (await (await fetch(url)).json()) as { messages: number; ms: number }
  return {
    /** Returns how many distinct events arrived since the last reset, and the ms from first to last. */
    received,
    /** The URL where each event is accepted at once. */
    answering: `${url}/events`,
    /** The URL that never responds. */
    silent: `${url}/silent`,
    /** Clears the received events. */
    reset: () => fetch(url, { method: 'DELETE' }),
    /** Waits for this many distinct events while `worker` runs. Returns the rate from first to last. */
    async perS(events: number, worker: Started): Promise<number> {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const { messages, ms } = await received()
        if (messages >= events) return (messages / ms) * 1000
        if (worker.child.exitCode !== null) throw new Error(`The worker ended\n${worker.output().stderr}`)
        if (performance.now() > deadline) throw new Error(`Only ${messages} of ${events} events came`)
        await sleep(pollMs)
      }
    },
  }
}
