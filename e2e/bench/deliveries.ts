import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './drive.ts'
import { type Ours, makeOurs } from './ours.ts'
import { type Party, makeParty } from './party.ts'
import { settle } from './peer.ts'
import { type Started, start, stop, waitUntil } from './process.ts'
import { type Site, once } from './site.ts'

/** Measurements on a system that sends events. */
export interface DeliveryFigures {
  /** Delivery rates: alone, and next to a partner that never responds. */
  drains(): Promise<{ perS: number; besideDead: number }>
}

/** A system with a partner whose events are sent to a receiver. */
interface Sender {
  ours: Ours
  receiver: Receiver
  receiving: Party
}

/** Returns the measurements of deliveries. */
export function measureDeliveries({ stack, size, say }: Site): DeliveryFigures {
  const sender = once(async (): Promise<Sender> => {
    say('Starting another system, which sends events')
    const [ours, receiver] = [await makeOurs(stack), await startReceiver(stack)]
    await ours.start({ WORKER: 'off' })
    return { ours, receiver, receiving: await makeParty(ours, 'receiving', size.partyDeals, 20_000_000_000n) }
  })

  return {
    drains: once(async () => {
      const dead = await makeParty((await sender()).ours, 'dead', size.partyDeals, 40_000_000_000n)
      say('Sending events alone and beside a receiver that never answers in turn')
      return compareDrains(await sender(), dead, size.drains)
    }),
  }
}

/**
 * Lets the worker send waiting events, alternately with and without as many for a partner that never
 * responds.
 */
async function compareDrains(sender: Sender, dead: Party, drains: number) {
  await restart(sender)
  // Not counted: only after the first delivery can the planner learn that nothing waits, and be surprised.
  await changeAndDrain(sender)
  const pairs: [number, number][] = []
  while (pairs.length < drains) {
    const alone = await changeAndDrain(sender)
    await dead.setEndpoints(sender.receiver.silent)
    pairs.push([alone, await changeAndDrain(sender, dead)])
    // Its waiting deliveries are dropped.
    await dead.setEndpoints(null)
  }
  return {
    perS: median(pairs.map(([alone]) => alone)),
    besideDead: median(pairs.map(([alone, beside]) => beside / alone)),
  }
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

/** Restarts the system with an empty queue and without a worker. */
async function restart({ ours, receiving, receiver }: Sender): Promise<void> {
  await ours.stop()
  await ours.start({ WORKER: 'off' })
  await receiving.setEndpoints(null)
  await receiving.setEndpoints(receiver.answering)
}

/** A running receiver of events, in its own process. */
interface Receiver {
  /** The path where each event is accepted at once. */
  answering: string
  /** The path that never responds. */
  silent: string
  /** Clears the received events. */
  reset(): Promise<unknown>
  /** Waits for this many distinct events while `worker` runs. Returns the rate from first to last. */
  perS(events: number, worker: Started): Promise<number>
}

// Rare enough to cost nothing.
const lookMs = 200

// Ten times the expected time.
const patienceMs = 200_000

async function startReceiver(stack: AsyncDisposableStack): Promise<Receiver> {
  const words = ['e2e/bench/receiver.ts']
  const receiver = start(stack, process.execPath, words, {}, ['ignore', 'pipe', 'inherit'])
  await waitUntil(receiver, 'The receiver', async () => receiver.output().stdout.endsWith('\n'))
  const url = receiver.output().stdout.trim()
  return {
    answering: `${url}/events`,
    silent: `${url}/silent`,
    reset: () => fetch(url, { method: 'DELETE' }),
    async perS(events, worker) {
      const deadline = performance.now() + patienceMs
      for (;;) {
        const came = (await (await fetch(url)).json()) as { messages: number; ms: number }
        if (came.messages >= events) return (came.messages / came.ms) * 1000
        if (worker.child.exitCode !== null) throw new Error(`The worker ended\n${worker.output().stderr}`)
        if (performance.now() > deadline) throw new Error(`Only ${came.messages} of ${events} events came`)
        await sleep(lookMs)
      }
    },
  }
}
