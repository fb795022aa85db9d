import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/client.ts'
import { causeOf } from '../../protocol/errors.ts'
import { type SigningSecret, readSecrets } from '../endpoints/secret-store.ts'
import { type AttemptMeans, makeAttempt } from './attempt.ts'
import {
  type Leased,
  type EndpointName,
  type Recorded,
  leaseDue,
  findPending,
  listenForDeliveries,
  releaseLeases,
  renewLeases,
} from './queue-store.ts'
import { type Recorder, type RecorderOptions, gatherMs, makeRecorder } from './recorder.ts'

export interface CourierOptions extends AttemptMeans, RecorderOptions {
  /** The key that opens the secrets. */
  encryptionKey: Buffer
  /** How long a delivery is held without a sign of life, in milliseconds. */
  leaseMs: number
  /** Told of each attempt, when it is written down. */
  attempted?: (result: Recorded) => void
}

/** What sends the events of all partners, as long as it runs. */
export interface Courier {
  /** Waits for what is underway, for so long at most, and gives the rest back. */
  stop(graceMs: number): Promise<void>
}

/** What is underway to one endpoint. Each has a lane of its own, so that a slow one holds up no other. */
interface Lane {
  name: EndpointName
  /** Leased deliveries whose results are not recorded yet. */
  held: Map<number, Held>
  /** How many requests are under way. */
  sending: number
  recorder: Recorder
  /** Whether the last lease left something behind, for all that is known. */
  hasMore: boolean
  leasing: boolean
  /** The lease that waits a moment for more room. */
  planned?: NodeJS.Timeout
  /** Whether something came to be done while it was leasing. */
  again: boolean
}

type Held = Leased & { leasedAt: number }

// More at once would take a partner's system for stronger than it is.
const laneWidth = 16

// Results may pile up behind a slow database only so far: a worker that is killed repeats what it holds.
const heldMax = 2 * laneWidth

// Behind the notifications, which a broken connection or a pooler swallows; sooner when something falls due.
const pollMs = 1000
const pollGapMs = 50

/**
 * Starts to send what is due: leases it lane by lane, attempts it outside of any transaction, records what came of it.
 * Other processes may do the same on the same database.
 */
export function startCourier(db: Database, options: CourierOptions): Courier {
  const { log, leaseMs } = options
  const lanes = new Map<string, Lane>()
  let stopping = false

  function laneOf({ partnerId, kind }: EndpointName): Lane {
    const key = `${partnerId}:${kind}`
    const lane = lanes.get(key) ?? {
      name: { partnerId, kind },
      held: new Map(),
      sending: 0,
      recorder: makeRecorder(db, options),
      hasMore: false,
      leasing: false,
      again: false,
    }
    lanes.set(key, lane)
    return lane
  }

  const roomIn = ({ sending, held }: Lane) => Math.min(laneWidth - sending, heldMax - held.size)

  /** Fills the lane soon: one lease of many deliveries costs little more than a lease of one. */
  function pumpSoon(lane: Lane): void {
    if (roomIn(lane) >= laneWidth / 2) void pump(lane)
    else lane.planned ??= setTimeout(() => void pump(lane), gatherMs)
  }

  /** Fills the lane with what is due. */
  async function pump(lane: Lane): Promise<void> {
    clearTimeout(lane.planned)
    delete lane.planned
    lane.again = lane.leasing
    if (lane.leasing) return
    lane.leasing = true
    try {
      do {
        lane.again = false
        const free = roomIn(lane)
        if (free <= 0 || stopping) return
        const leasedAt = performance.now()
        const leasing = leaseDue(db, lane.name, free, [...lane.held.keys()], leaseMs)
        const secrets = readSecrets(db, lane.name.partnerId, options.encryptionKey)
        // Reported where the secrets are needed.
        secrets.catch(() => {})
        const leased = await leasing
        lane.hasMore = leased.length === free
        if (stopping) return await releaseLeases(db, leased)
        if (leased.length > 0)
          await sendAll(
            lane,
            leased.map((delivery) => ({ ...delivery, leasedAt })),
            secrets,
          )
      } while (lane.again)
    } catch (error) {
      tell(error, 'deliveries cannot be leased')
    } finally {
      lane.leasing = false
    }
  }

  async function sendAll(lane: Lane, leased: Held[], reading: Promise<SigningSecret[]>): Promise<void> {
    for (const delivery of leased) lane.held.set(delivery.id, delivery)
    try {
      const secrets = (await reading).map(({ secret }) => secret)
      for (const delivery of leased) void send(lane, delivery, secrets)
    } catch (error) {
      for (const { id } of leased) lane.held.delete(id)
      throw error
    }
  }

  async function send(lane: Lane, delivery: Held, secrets: string[]): Promise<void> {
    try {
      // After a pause of this process another one may have it already.
      if (performance.now() - delivery.leasedAt < leaseMs / 2) await attempt(lane, delivery, secrets)
    } catch (error) {
      tell(error, 'an attempt could not be made')
    }
    lane.held.delete(delivery.id)
    pumpSoon(lane)
  }

  async function attempt(lane: Lane, delivery: Held, secrets: string[]): Promise<void> {
    const {
      name: { partnerId, kind },
      recorder,
    } = lane
    lane.sending++
    const result = await makeAttempt(delivery, secrets, options).finally(() => {
      lane.sending--
      // The next ones are sent while this one is recorded.
      if (lane.hasMore) pumpSoon(lane)
    })
    const { status, error, waitMs } = result
    if (result.state !== 'delivered')
      log.info(
        { delivery: delivery.id, partner: partnerId, kind, status, error, waitMs },
        'an attempt failed',
      )
    await recorder.record(result)
    options.attempted?.(result)
    if (waitMs !== null) polling.soon(waitMs)
  }

  async function poll(): Promise<void> {
    for (const { due, nextMs, ...name } of await findPending(db, pollMs * 1.5)) {
      if (due) void pump(laneOf(name))
      if (nextMs !== null) polling.soon(nextMs)
    }
  }

  const everyHeld = () => [...lanes.values()].flatMap(({ held }) => [...held.values()])

  async function renew(): Promise<void> {
    const old = everyHeld().filter(({ leasedAt }) => performance.now() - leasedAt > leaseMs / 3)
    if (old.length > 0) await renewLeases(db, old, leaseMs)
  }

  function tell(error: unknown, message: string): void {
    if (!stopping) log.error({ error: causeOf(error) }, message)
  }

  const polling = repeat(poll, pollMs, (error) => tell(error, 'the queue cannot be read'))
  const renewing = repeat(renew, leaseMs / 3, (error) => tell(error, 'leases cannot be renewed'))
  const listening = listenForDeliveries(
    db,
    (name) => void pump(laneOf(name)),
    () => void poll().catch(() => {}),
  ).catch((error: unknown) => {
    tell(error, 'deliveries are not announced; they are looked for every second')
  })

  return {
    async stop(graceMs) {
      stopping = true
      polling.stop()
      await Promise.race([listening.then((unlisten) => unlisten?.()), sleep(1000)]).catch(() => {})
      const end = performance.now() + graceMs
      const isBusy = () => [...lanes.values()].some(({ leasing, held }) => leasing || held.size > 0)
      while (isBusy() && performance.now() < end) await sleep(20)
      renewing.stop()
      for (const { recorder } of lanes.values()) recorder.stop()
      const left = everyHeld()
      // With the database away they are due when their leases end.
      if (left.length > 0) await releaseLeases(db, left).catch(() => {})
    },
  }
}

/** Does the work again and again, `everyMs` after it was done, or sooner when it is asked to. */
function repeat(
  work: () => Promise<void>,
  everyMs: number,
  failed: (error: unknown) => void,
): { soon(ms: number): void; stop(): void } {
  let stopped = false
  let timer: NodeJS.Timeout
  let plannedAt = Infinity
  const round = async () => {
    plannedAt = Infinity
    await work().catch(failed)
    plan(everyMs)
  }
  function plan(ms: number): void {
    const at = performance.now() + ms
    if (stopped || at >= plannedAt) return
    plannedAt = at
    clearTimeout(timer)
    timer = setTimeout(() => void round(), ms)
  }
  plan(0)
  return {
    soon: (ms) => plan(Math.max(pollGapMs, ms + 1)),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
