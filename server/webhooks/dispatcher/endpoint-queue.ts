import type { Database } from '#db/client.ts'
import { type AttemptDeps, type Attempted, makeAttempt } from '../attempt.ts'
import { isRefusal } from '../delivery.ts'
import { type EndpointName, type Leased, type Recorded, leaseDue, releaseLeases } from '../queue-store.ts'
import { type SigningSecret, readSecrets } from '../secret-store.ts'
import { Pace, widthMax as queueWidth } from './pace.ts'
import { type Recorder, type RecorderOptions, gatherMs, makeRecorder } from './recorder.ts'

/** Dependencies shared by a dispatcher's queues. */
export interface EndpointQueueDeps extends AttemptDeps, RecorderOptions {
  db: Database
  encryptionKey: Buffer
  /** Duration of a lease that is not renewed, in milliseconds. */
  leaseMs: number
  /**
   * An endpoint that responds within this many milliseconds (default 250) gets a full batch leased ahead,
   * because larger batches put less load on the database.
   */
  soonMs?: number
  attempted?: (result: Recorded, endpoint: EndpointName) => void
  dueIn: (waitMs: number) => void
  logError: (error: unknown, message: string) => void
  /** Returns true if the dispatcher is stopping, in which case nothing more is leased. */
  isStopping: () => boolean
}

/** A leased delivery and the secrets that sign it. */
export interface LeasedDelivery extends Leased {
  /** Time of the lease, in terms of `performance.now()`. */
  leasedAt: number
  secrets: string[]
  isWithdrawn: boolean
  hasBegun: boolean
}

// Maximum number of unrecorded results when the database is slow. If the worker is killed, these requests are
// repeated.
const unrecordedMax = 2 * queueWidth

/**
 * Maximum number of concurrent requests to all endpoints of a partner. Beyond this limit, an idle endpoint
 * may still start one request.
 */
const ofPartnerMax = 4 * queueWidth

export interface PartnerLoad {
  sending: number
}

const soonDefaultMs = 250

// Maximum age of the leases of unsent deliveries. Older leases are released, because a notification about a
// withdrawal may have been lost.
const aheadMs = 1000

/** The deliveries in progress to one endpoint. A slow endpoint does not delay others. */
export class EndpointQueue {
  /** Leased deliveries whose results are not recorded yet. */
  readonly leases = new Map<number, LeasedDelivery>()
  /** Leased deliveries that wait for a slot. */
  #ahead: LeasedDelivery[] = []
  #answersSoon = false
  readonly #endpoint: EndpointName
  readonly #deps: EndpointQueueDeps
  readonly #load: PartnerLoad
  readonly #recorder: Recorder
  #pace = new Pace()
  #url: string | undefined
  #sending = 0
  /** True if the last lease query may not have returned all due deliveries. */
  #hasMore = false
  #isLeasing = false
  /** Deliveries that were withdrawn during a lease query, which may still return them. */
  readonly #withdrawnEarly = new Set<number>()
  /** True if the queue was pumped during a lease query, which is then repeated. */
  #pumpAgain = false
  #planned: NodeJS.Timeout | undefined

  constructor(endpoint: EndpointName, load: PartnerLoad, deps: EndpointQueueDeps) {
    this.#endpoint = endpoint
    this.#load = load
    this.#deps = deps
    this.#recorder = makeRecorder(deps.db, deps)
  }

  get isBusy(): boolean {
    return this.#isLeasing || this.#unrecorded > 0
  }

  /** Returns true if the queue can be discarded, because a new queue would continue at the same pace. */
  get isIdle(): boolean {
    const isWaiting = this.#isLeasing || this.leases.size > 0 || this.#planned !== undefined
    return !isWaiting && !this.#pace.isSlowed(performance.now())
  }

  /** Fills the queue with due deliveries. */
  async pump(): Promise<void> {
    clearTimeout(this.#planned)
    this.#planned = undefined
    this.#pumpAgain = this.#isLeasing
    if (this.#isLeasing) return
    this.#isLeasing = true
    try {
      do {
        this.#pumpAgain = false
        const free = this.#room()
        if (free <= 0 || this.#deps.isStopping()) return
        await this.#lease(free)
      } while (this.#pumpAgain)
    } catch (error) {
      this.#deps.logError(error, 'failed to lease deliveries')
    } finally {
      this.#isLeasing = false
      this.#withdrawnEarly.clear()
    }
  }

  /**
   * Discards a withdrawn delivery, unless its request has been sent. The delivery never becomes due again.
   */
  withdraw(id: number): void {
    if (this.#isLeasing) this.#withdrawnEarly.add(id)
    const delivery = this.leases.get(id)
    if (delivery === undefined) return
    delivery.isWithdrawn = true
    const at = this.#ahead.indexOf(delivery)
    if (at === -1) return
    this.#ahead.splice(at, 1)
    this.leases.delete(id)
    this.#pumpSoon()
  }

  async #lease(limit: number): Promise<void> {
    const { db, leaseMs, encryptionKey, isStopping } = this.#deps
    const leasedAt = performance.now()
    const leasing = leaseDue(db, this.#endpoint, limit, [...this.leases.keys()], leaseMs)
    const secrets = readSecrets(db, this.#endpoint.partnerId, encryptionKey)
    // An error is reported where the secrets are used.
    secrets.catch(() => {})
    const leased = await leasing
    this.#hasMore = leased.length === limit
    if (isStopping()) return releaseLeases(db, leased)
    if (leased.length === 0) return
    const signing = await secrets.catch(async (error: unknown) => {
      await releaseLeases(db, leased)
      throw error
    })
    this.#take(leased, leasedAt, signing)
  }

  #take(leased: Leased[], leasedAt: number, signing: SigningSecret[]): void {
    const secrets = signing.map(({ secret }) => secret)
    this.#paceFor(leased[0]!)
    for (const delivery of leased) {
      if (this.#withdrawnEarly.has(delivery.id)) continue
      const entry = { ...delivery, leasedAt, secrets, isWithdrawn: false, hasBegun: false }
      this.leases.set(entry.id, entry)
      this.#ahead.push(entry)
    }
    this.#sendAhead()
    // An attempt may have failed during the lease query.
    if (!this.#answersSoon) this.releaseAhead()
  }

  /**
   * Keeps the pace for the same URL, unless an admin has ended the pause. A new pace starts with a width of
   * one if the endpoint recently rejected another worker's requests.
   */
  #paceFor({ url, isSlowed }: Leased): void {
    const now = performance.now()
    if (url === this.#url && !this.#pace.isPaused(now)) return
    this.#url = url
    this.#pace = new Pace()
    if (isSlowed) this.#pace.startNarrow(now)
  }

  #sendAhead(): void {
    if (this.#ahead.some(({ leasedAt }) => performance.now() - leasedAt > aheadMs)) this.releaseAhead()
    while (this.#ahead.length > 0 && this.#places() > 0 && !this.#deps.isStopping())
      void this.#send(this.#ahead.shift()!)
  }

  async #send(delivery: LeasedDelivery): Promise<void> {
    const { leaseMs, logError } = this.#deps
    try {
      // If this process was paused, another process may have the lease.
      if (performance.now() - delivery.leasedAt < leaseMs / 2) await this.#attempt(delivery)
    } catch (error) {
      logError(error, 'attempt failed to start')
    }
    this.leases.delete(delivery.id)
    this.#sendAhead()
    this.#pumpSoon()
  }

  async #attempt(delivery: LeasedDelivery): Promise<void> {
    const { partnerId, kind } = this.#endpoint
    const { log, attempted: reportAttempt, dueIn, soonMs = soonDefaultMs } = this.#deps
    this.#sending++
    this.#load.sending++
    const beganAt = performance.now()
    const mayBegin = () => (delivery.hasBegun = !delivery.isWithdrawn)
    const attempted = await makeAttempt(delivery, delivery.secrets, this.#deps, mayBegin).finally(() => {
      this.#sending--
      this.#load.sending--
    })
    if (delivery.isWithdrawn && !delivery.hasBegun) return
    const result = this.#paced(attempted, delivery, beganAt)
    const { status, error, waitMs } = result
    this.#answersSoon = result.state === 'delivered' && result.durationMs <= soonMs
    // A failure may require releasing the deliveries that follow.
    if (result.state !== 'delivered') this.releaseAhead()
    // Sends the next deliveries while this result is being recorded.
    this.#sendAhead()
    if (this.#hasMore) this.#pumpSoon()
    if (result.state !== 'delivered')
      log.info({ delivery: delivery.id, partner: partnerId, kind, status, error, waitMs }, 'attempt failed')
    await this.#recorder.record(result)
    reportAttempt?.(result, this.#endpoint)
    const againMs = result.pauseMs ?? waitMs
    if (againMs !== null) dueIn(againMs)
  }

  /** Adapts the pace to the result of a request. Returns the result to record. */
  #paced({ retryAfterMs, ...result }: Attempted, delivery: LeasedDelivery, beganAt: number): Recorded {
    const now = performance.now()
    if (result.state === 'delivered') this.#pace.accept(beganAt, this.#sending + 1)
    // Requests to a former URL do not slow the current URL.
    if (!isRefusal(result.status) || delivery.url !== this.#url) return result
    const refusal = { beganAt, retryAfterMs, refusals: delivery.refusals }
    const { pauseMs, isFree } = this.#pace.refuse(refusal, now, Math.random(), this.#deps.retry.throttleMs)
    return isFree ? { ...result, pauseMs, isFree, state: 'waiting', waitMs: pauseMs } : { ...result, pauseMs }
  }

  /** Stops recording and discards pending results. */
  stop(): void {
    this.#recorder.stop()
  }

  /** Releases leased deliveries that wait for a slot. */
  releaseAhead(): void {
    const released = this.#ahead.splice(0)
    for (const { id } of released) this.leases.delete(id)
    if (released.length === 0) return
    this.#hasMore = true
    releaseLeases(this.#deps.db, released).catch((error: unknown) =>
      this.#deps.logError(error, 'failed to release leases'),
    )
  }

  get #unrecorded(): number {
    return this.leases.size - this.#ahead.length
  }

  #places(): number {
    const places = this.#pace.places(this.#sending, performance.now())
    const ofPartner = Math.max(ofPartnerMax - this.#load.sending, this.#sending === 0 ? 1 : 0)
    return Math.min(places, ofPartner, unrecordedMax - this.#unrecorded)
  }

  #room(): number {
    // During a pause, leases one delivery to find out whether an admin has set another URL.
    if (this.#pace.isPaused(performance.now())) return this.leases.size === 0 ? 1 : 0
    const isFast = this.#answersSoon && !this.#pace.isSlowed(performance.now())
    return this.#places() + (isFast ? queueWidth : 0) - this.#ahead.length
  }

  /**
   * Fills the queue after a short delay, so that deliveries are leased in batches. Leasing many deliveries
   * costs little more than leasing one.
   */
  #pumpSoon(): void {
    if (this.#room() >= (this.#answersSoon ? queueWidth : queueWidth / 2)) void this.pump()
    else this.#planned ??= setTimeout(() => void this.pump(), gatherMs)
  }
}
