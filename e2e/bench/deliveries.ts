import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { median } from './drive.ts'
import { type Ours, makeOurs } from './ours.ts'
import { type Party, makeParty } from './party.ts'
import { settle, withDatabase } from './peer.ts'
import { type Started, peakResidentMb, start, stop, waitUntil } from './process.ts'
import { type Site, once } from './site.ts'

/** Measurements on a system that sends events. */
export interface DeliveryFigures {
  /** The time of an import of changed deals while their events are sent, relative to one without endpoints. */
  importWithEvents(): Promise<number>
  /** Delivery rates: alone, and next to a partner that never responds. */
  drains(): Promise<{ perS: number; besideDead: number }>
  /** The effect of a burst of changes with many followers on another partner and on the worker. */
  notifyBurst(): Promise<{ perSRatio: number; workerPeakMb: number }>
}

/** A system with a partner whose events are sent to a receiver. */
interface Sender {
  ours: Ours
  receiver: Receiver
  told: Party
}

const rounds = 3

/** Returns the measurements of deliveries. */
export function measureDeliveries({ stack, size, say }: Site): DeliveryFigures {
  const sender = once(async (): Promise<Sender> => {
    say('Starting another system, which sends events')
    const [ours, receiver] = [await makeOurs(stack), await startReceiver(stack)]
    await ours.start({ WORKER: 'off' })
    return { ours, receiver, told: await makeParty(ours, 'told', size.partyDeals, 20_000_000_000n) }
  })

  const partyOf = async (slug: string, firstId: bigint) =>
    makeParty((await sender()).ours, slug, size.partyDeals, firstId)

  return {
    async importWithEvents() {
      const quiet = await partyOf('quiet', 30_000_000_000n)
      say('Importing with and without addresses in turn')
      return compareImports(await sender(), quiet)
    },
    drains: once(async () => {
      const dead = await partyOf('dead', 40_000_000_000n)
      say('Sending events alone and beside a receiver that never answers in turn')
      return compareDrains(await sender(), dead, size.drains)
    }),
    notifyBurst: once(async () => {
      const followed = await partyOf('followed', 50_000_000_000n)
      say('Sending events alone and while the followers of as many changes are told in turn')
      return compareBursts(await sender(), followed, size.drains)
    }),
  }
}

/** Times imports of changed deals with and without webhooks, in turn, with the worker in the process. */
async function compareImports(sender: Sender, quiet: Party): Promise<number> {
  const url = await restart(sender, 'on')
  const ratios: number[] = []
  while (ratios.length < rounds) {
    await untilEmpty(url, (sql) => sql`select from deliveries where state = 'waiting' limit 1`)
    await settle(url)
    const { perS } = await quiet.change()
    await settle(url)
    ratios.push(perS / (await sender.told.change()).perS)
  }
  return median(ratios)
}

/**
 * Lets the worker send waiting events, alternately with and without as many for a partner that never
 * responds.
 */
async function compareDrains(sender: Sender, dead: Party, drains: number) {
  await restart(sender, 'off')
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

const followersPerDeal = 10

/**
 * Lets the worker send waiting events, alternately alone and while it notifies ten followers of each of a
 * partner's deals.
 */
async function compareBursts(sender: Sender, followed: Party, bursts: number) {
  const url = await restart(sender, 'off')
  await withDatabase(url, (sql) => addFollowers(sql, followed.id))
  await changeAndDrain(sender)
  const ratios: number[] = []
  const peaks: number[] = []
  while (ratios.length < bursts) {
    const alone = await changeAndDrain(sender)
    const beside = await changeAndDrain(sender, followed, async (worker) => {
      await untilEmpty(
        url,
        (sql) => sql`
          select from notification_cursors join deal_lists on deal_lists.id = partner_id
          where partner_id = ${followed.id} and last_sequence > sequence`,
      )
      peaks.push(await peakResidentMb(worker.child.pid!))
    })
    ratios.push(beside / alone)
  }
  return { perSRatio: median(ratios), workerPeakMb: Math.max(...peaks) }
}

/** Creates a thousand users of a partner; ten of them follow each of its deals. */
async function addFollowers(sql: Sql, partnerId: number): Promise<void> {
  await sql`
    insert into users (email, name, role, partner_id)
    select 'follower' || n || '@bench.example', 'A follower', 'member', ${partnerId} from generate_series(1, 1000) n
    on conflict do nothing`
  await sql`
    with follower as (
      select id, row_number() over (order by id) as n from users where partner_id = ${partnerId}),
    deal as (select id, row_number() over (order by id) as n from deals where partner_id = ${partnerId})
    insert into follows (user_id, deal_id)
    select follower.id, deal.id from deal
    cross join generate_series(0, ${followersPerDeal - 1}) as step
    join follower on follower.n = 1 + (deal.n + step) % 1000
    on conflict do nothing`
  await sql`
    insert into notification_cursors (partner_id, sequence)
    select id, last_sequence from deal_lists where id = ${partnerId} on conflict do nothing`
}

/**
 * Changes all deals without a worker, those of `beside` first, then runs one until all events of the partner
 * are received. Returns the events sent per second.
 */
async function changeAndDrain(
  { ours, told, receiver }: Sender,
  beside?: Party,
  sent: (worker: Started) => Promise<void> = async () => {},
): Promise<number> {
  // Before the change: the burst is a surprise to the planner as well.
  await settle(await ours.databaseUrl())
  await beside?.change()
  await told.change()
  await receiver.reset()
  const worker = ours.startWorker()
  const perS = await receiver.perS(told.deals, worker)
  await sent(worker)
  await stop(worker)
  return perS
}

/** Restarts the system with an empty queue. Returns the URL of its database. */
async function restart({ ours, told, receiver }: Sender, worker: 'on' | 'off'): Promise<string> {
  await ours.stop()
  await ours.start({ WORKER: worker })
  await told.setEndpoints(null)
  await told.setEndpoints(receiver.answering)
  return ours.databaseUrl()
}

/** Waits until a query finds nothing. */
async function untilEmpty(url: string, find: (sql: Sql) => PromiseLike<{ count: number }>): Promise<void> {
  await withDatabase(url, async (sql) => {
    while ((await find(sql)).count > 0) await sleep(100)
  })
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
