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
  /** The key that decrypts the secrets. */
  encryptionKey: Buffer
  /** How long a delivery stays leased without a renewal, in milliseconds. */
  leaseMs: number
  /** Called for each attempt once it is recorded. */
  attempted?: (result: Recorded) => void
}

/** Sends the events of all partners while it runs. */
export interface Courier {
  /** Waits at most `graceMs` for requests in progress, then releases the remaining leases. */
  stop(graceMs: number): Promise<void>
}

/**
 * The deliveries in progress to one endpoint. Each endpoint has its own lane, so that a slow one delays no
 * other.
 */
interface Lane {
  name: EndpointName
  /** Leased deliveries whose results are not recorded yet. */
  held: Map<number, Held>
  /** Requests in progress. */
  sending: number
  recorder: Recorder
  /** Whether the last lease may have left something behind. */
  hasMore: boolean
  leasing: boolean
  /** The timer of a lease that waits for more room. */
  planned?: NodeJS.Timeout
  /** Whether new work arrived while it was leasing. */
  again: boolean
}

type Held = Leased & { leasedAt: number }

// More at once could overload a partner's system.
const laneWidth = 16

// Limits how many results pile up behind a slow database: a worker that is killed repeats what it holds.
const heldMax = 2 * laneWidth

// A fallback for notifications, which a broken connection or a pooler loses; sooner when something falls due.
const pollMs = 1000
const pollGapMs = 50

/**
 * Starts to send due deliveries: leases them lane by lane, attempts them outside of any transaction, records
 * the results. Several processes may do so on the same database.
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

  /** Fills the lane soon: leasing many deliveries costs little more than leasing one. */
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
        // Reported where the secrets are used.
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
      tell(error, 'failed to lease deliveries')
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
      // After a pause of this process, another one may hold the lease.
      if (performance.now() - delivery.leasedAt < leaseMs / 2) await attempt(lane, delivery, secrets)
    } catch (error) {
      tell(error, 'attempt not made')
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
      // The next ones are sent while this one is being recorded.
      if (lane.hasMore) pumpSoon(lane)
    })
    const { status, error, waitMs } = result
    if (result.state !== 'delivered')
      log.info({ delivery: delivery.id, partner: partnerId, kind, status, error, waitMs }, 'attempt failed')
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

  const polling = repeat(poll, pollMs, (error) => tell(error, 'failed to read delivery queue'))
  const renewing = repeat(renew, leaseMs / 3, (error) => tell(error, 'failed to renew leases'))
  const listening = listenForDeliveries(
    db,
    (name) => void pump(laneOf(name)),
    () => void poll().catch(() => {}),
  ).catch((error: unknown) => {
    tell(error, 'failed to listen for deliveries, polling every second')
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
      // While the database is down they become due when their leases end.
      if (left.length > 0) await releaseLeases(db, left).catch(() => {})
    },
  }
}

/** Repeats the work, `everyMs` after the last run or sooner on request. */
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
