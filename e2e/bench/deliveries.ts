import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { openDatabase } from '#db/client.ts'
import { readLog } from '#server/webhooks/log/store.ts'
import { median, timeEach } from './drive.ts'
import { addOldRows } from './old-rows.ts'
import { type Ours, makeOurs } from './ours.ts'
import { type Party, makeParty } from './party.ts'
import { settle, withDatabase } from './peer.ts'
import { peakResidentMb, stop } from './process.ts'
import type { Receiver } from './receipts.ts'

/** A system with a partner whose events are sent, used only for event figures. */
export interface Sender {
  ours: Ours
  receiver: Receiver
  told: Party
}

/**
 * Creates such a system and partner with this many deals and old events. It is left running with WORKER=off.
 */
export async function makeSender(
  stack: AsyncDisposableStack,
  receiver: Receiver,
  deals: number,
  oldRows = 0,
): Promise<Sender> {
  const ours = await makeOurs(stack)
  await ours.start({ WORKER: 'off' })
  const told = await makeParty(ours, 'told', deals, 20_000_000_000n)
  if (oldRows > 0) await withDatabase(await ours.databaseUrl(), (sql) => addOldRows(sql, told.id, oldRows))
  return { ours, receiver, told }
}

const rounds = 3

/**
 * Times imports of changed deals with and without webhooks, in turn, with the worker in-process or off.
 * Returns the ratio.
 */
export async function compareImports(sender: Sender, quiet: Party, worker: 'on' | 'off'): Promise<number> {
  await restart(sender, worker)
  const ratios: number[] = []
  while (ratios.length < rounds) {
    await calm(sender, worker)
    const { perS } = await quiet.change()
    await settle(await sender.ours.databaseUrl())
    ratios.push(perS / (await sender.told.change()).perS)
  }
  return median(ratios)
}

/** Delivery rates: alone, and next to a partner that never responds. */
export interface Drains {
  perS: number
  besideDead: number
}

/**
 * Lets the worker send waiting events, alternately with and without as many for a partner that never
 * responds.
 */
export async function compareDrains(sender: Sender, dead: Party, drains = rounds): Promise<Drains> {
  await restart(sender, 'off')
  // Not counted: only after the first delivery can the planner learn that nothing waits, and be surprised.
  await changeAndDrain(sender)
  const pairs: [number, number][] = []
  while (pairs.length < drains) {
    const [alone, beside] = [await changeAndDrain(sender), await changeAndDrain(sender, dead)]
    pairs.push([alone.sentPerS, beside.sentPerS])
  }
  return {
    perS: median(pairs.map(([alone]) => alone)),
    besideDead: median(pairs.map(([alone, beside]) => beside / alone)),
  }
}

/** The effect of a burst of changes with many followers on another partner and on the worker. */
export interface Burst {
  /** Events sent per second during the burst, relative to without. */
  perSRatio: number
  /** The peak memory of the worker that notifies the followers. */
  workerPeakMb: number
}

const followersPerDeal = 10

/**
 * Lets the worker send waiting events, alternately alone and while it notifies ten followers of each of a
 * partner's deals.
 */
export async function compareBursts(sender: Sender, followed: Party, bursts = rounds): Promise<Burst> {
  const url = await sender.ours.databaseUrl()
  await withDatabase(url, (sql) => addFollowers(sql, followed.id))
  await restart(sender, 'off')
  await changeAndDrain(sender)
  const ratios: number[] = []
  const peaks: number[] = []
  while (ratios.length < bursts) {
    const alone = await changeAndDrain(sender)
    await settle(url)
    await followed.change()
    await sender.told.change()
    await sender.receiver.reset()
    const worker = sender.ours.startWorker()
    ratios.push((await sender.receiver.perS(sender.told.deals, worker)) / alone.sentPerS)
    await untilTold(url, followed.id)
    peaks.push(await peakResidentMb(worker.child.pid!))
    await stop(worker)
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

/** Waits until all followers of a partner's deals have been notified. */
async function untilTold(url: string, partnerId: number): Promise<void> {
  await withDatabase(url, async (sql) => {
    while (
      (
        await sql`
          select from notification_cursors join deal_lists on deal_lists.id = partner_id
          where partner_id = ${partnerId} and last_sequence > sequence`
      ).count > 0
    )
      await sleep(100)
  })
}

/** The effect of old rows, each as a ratio to the same without. */
export interface OldRowsRatios {
  /** Of the time to send waiting events. */
  queue: number
  /** Of the time for the log's first page. */
  log: number
  /** Of the time to import changed deals. */
  import: number
  /** Of the time to send waiting events during a removal, relative to no removal. */
  removal: number
}

/** Runs the same work alternately on a system with old rows and on one without. */
export async function compareOldRows(old: Sender, young: Sender): Promise<OldRowsRatios> {
  const pairs: { queue: number; import: number }[] = []
  for (const sender of [old, young]) await restart(sender, 'off')
  while (pairs.length < rounds) {
    const [ofOld, ofYoung] = [await changeAndDrain(old), await changeAndDrain(young)]
    pairs.push({
      queue: ofYoung.sentPerS / ofOld.sentPerS,
      import: ofYoung.importedPerS / ofOld.importedPerS,
    })
  }
  return {
    queue: median(pairs.map(({ queue }) => queue)),
    log: await compareLogs(old, young),
    import: median(pairs.map((pair) => pair.import)),
    removal: await compareRemoval(old),
  }
}

/**
 * Sends waiting events, alternately while the worker removes old rows, which takes longer, and while they
 * stay.
 */
async function compareRemoval(old: Sender): Promise<number> {
  const ratios: number[] = []
  while (ratios.length < rounds) {
    const { sentPerS } = await changeAndDrain(old)
    ratios.push(sentPerS / (await changeAndDrain(old, undefined, { EVENT_RETENTION_DAYS: '1' })).sentPerS)
  }
  return median(ratios)
}

/**
 * Changes all deals without a worker, then runs one until all events are received, with pending deliveries of
 * `dead` if given, and with these variables set.
 */
async function changeAndDrain(
  { ours, told, receiver }: Sender,
  dead?: Party,
  variables?: Record<string, string>,
): Promise<{ importedPerS: number; sentPerS: number }> {
  // Before the change: the burst is a surprise to the planner as well.
  await settle(await ours.databaseUrl())
  await dead?.setEndpoints(receiver.silent)
  await dead?.change()
  const { perS } = await told.change()
  await receiver.reset()
  const worker = ours.startWorker(variables)
  const sentPerS = await receiver.perS(told.deals, worker)
  await stop(worker)
  // Its waiting deliveries are dropped.
  await dead?.setEndpoints(null)
  return { importedPerS: perS, sentPerS }
}

async function compareLogs(...senders: [Sender, Sender]): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const readers = await Promise.all(
    senders.map(async ({ ours, told }) => {
      const db = stack.adopt(openDatabase(await ours.databaseUrl(), 1), ({ $client }) =>
        $client.end({ timeout: 5 }),
      )
      return async () => readLog(db, told.id, { limit: 25 })
    }),
  )
  const [oldMs, youngMs] = await timeEach(readers[0]!, readers[1]!)
  return oldMs / youngMs
}

/** Restarts the system with an empty queue. */
async function restart({ ours, told, receiver }: Sender, worker: 'on' | 'off'): Promise<void> {
  await ours.stop()
  await ours.start({ WORKER: worker })
  await told.setEndpoints(null)
  await told.setEndpoints(receiver.answering)
}

/** Empties the queue. */
async function calm({ ours, told, receiver }: Sender, worker: 'on' | 'off'): Promise<void> {
  const url = await ours.databaseUrl()
  if (worker === 'off') {
    await told.setEndpoints(null)
    await told.setEndpoints(receiver.answering)
  }
  await withDatabase(url, async (sql) => {
    while ((await sql`select from deliveries where state = 'waiting' limit 1`).count > 0) await sleep(100)
  })
  await settle(url)
}
