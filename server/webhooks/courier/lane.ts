import type { Database } from '#db/client.ts'
import { type SigningSecret, readSecrets } from '../endpoints/secret-store.ts'
import { type AttemptMeans, makeAttempt } from './attempt.ts'
import { type EndpointName, type Leased, type Recorded, leaseDue, releaseLeases } from './queue-store.ts'
import { type Recorder, type RecorderOptions, gatherMs, makeRecorder } from './recorder.ts'

/** What the lanes of a courier share. */
export interface LaneMeans extends AttemptMeans, RecorderOptions {
  db: Database
  /** The key that decrypts the secrets. */
  encryptionKey: Buffer
  /** How long a delivery stays leased without a renewal, in milliseconds. */
  leaseMs: number
  /** Called for each attempt once it is recorded. */
  attempted?: (result: Recorded, endpoint: EndpointName) => void
  /** Called for a delivery that falls due again. */
  dueIn: (waitMs: number) => void
  /** Logs a failure after which the lane goes on. */
  tell: (error: unknown, message: string) => void
  /** Returns whether the courier is stopping, so that nothing more is leased. */
  isStopping: () => boolean
}

/** A leased delivery; `leasedAt` is on the clock of `performance.now()`. */
export type Held = Leased & { leasedAt: number }

// More at once could overload a partner's system.
const laneWidth = 16

// Limits how many results pile up behind a slow database: a worker that is killed repeats what it holds.
const heldMax = 2 * laneWidth

/**
 * The deliveries in progress to one endpoint. Each endpoint has its own lane, so that a slow one delays no
 * other.
 */
export class Lane {
  /** Leased deliveries whose results are not recorded yet. */
  readonly held = new Map<number, Held>()
  readonly #endpoint: EndpointName
  readonly #means: LaneMeans
  readonly #recorder: Recorder
  /** Requests in progress. */
  #sending = 0
  /** Whether the last lease may have left something behind. */
  #hasMore = false
  #isLeasing = false
  /** Whether new work arrived while it was leasing. */
  #again = false
  /** The timer of a lease that waits for more room. */
  #planned: NodeJS.Timeout | undefined

  constructor(endpoint: EndpointName, means: LaneMeans) {
    this.#endpoint = endpoint
    this.#means = means
    this.#recorder = makeRecorder(means.db, means)
  }

  get isBusy(): boolean {
    return this.#isLeasing || this.held.size > 0
  }

  /** Fills the lane with what is due. */
  async pump(): Promise<void> {
    clearTimeout(this.#planned)
    this.#planned = undefined
    this.#again = this.#isLeasing
    if (this.#isLeasing) return
    this.#isLeasing = true
    try {
      do {
        this.#again = false
        const free = this.#room()
        if (free <= 0 || this.#means.isStopping()) return
        await this.#lease(free)
      } while (this.#again)
    } catch (error) {
      this.#means.tell(error, 'failed to lease deliveries')
    } finally {
      this.#isLeasing = false
    }
  }

  /** Leases up to `limit` deliveries and begins to send them. */
  async #lease(limit: number): Promise<void> {
    const { db, leaseMs, encryptionKey, isStopping } = this.#means
    const leasedAt = performance.now()
    const leasing = leaseDue(db, this.#endpoint, limit, [...this.held.keys()], leaseMs)
    const secrets = readSecrets(db, this.#endpoint.partnerId, encryptionKey)
    // Reported where the secrets are used.
    secrets.catch(() => {})
    const leased = await leasing
    this.#hasMore = leased.length === limit
    if (isStopping()) return releaseLeases(db, leased)
    if (leased.length > 0)
      await this.#sendAll(
        leased.map((delivery) => ({ ...delivery, leasedAt })),
        secrets,
      )
  }

  async #sendAll(leased: Held[], reading: Promise<SigningSecret[]>): Promise<void> {
    for (const delivery of leased) this.held.set(delivery.id, delivery)
    try {
      const secrets = (await reading).map(({ secret }) => secret)
      for (const delivery of leased) void this.#send(delivery, secrets)
    } catch (error) {
      for (const { id } of leased) this.held.delete(id)
      throw error
    }
  }

  async #send(delivery: Held, secrets: string[]): Promise<void> {
    const { leaseMs, tell } = this.#means
    try {
      // After a pause of this process, another one may hold the lease.
      if (performance.now() - delivery.leasedAt < leaseMs / 2) await this.#attempt(delivery, secrets)
    } catch (error) {
      tell(error, 'attempt not made')
    }
    this.held.delete(delivery.id)
    this.#pumpSoon()
  }

  async #attempt(delivery: Held, secrets: string[]): Promise<void> {
    const { partnerId, kind } = this.#endpoint
    const { log, attempted, dueIn } = this.#means
    this.#sending++
    const result = await makeAttempt(delivery, secrets, this.#means).finally(() => {
      this.#sending--
      // The next ones are sent while this one is being recorded.
      if (this.#hasMore) this.#pumpSoon()
    })
    const { status, error, waitMs } = result
    if (result.state !== 'delivered')
      log.info({ delivery: delivery.id, partner: partnerId, kind, status, error, waitMs }, 'attempt failed')
    await this.#recorder.record(result)
    attempted?.(result, this.#endpoint)
    if (waitMs !== null) dueIn(waitMs)
  }

  /** Stops recording; pending results are dropped. */
  stop(): void {
    this.#recorder.stop()
  }

  #room(): number {
    return Math.min(laneWidth - this.#sending, heldMax - this.held.size)
  }

  /** Fills the lane soon: leasing many deliveries costs little more than leasing one. */
  #pumpSoon(): void {
    if (this.#room() >= laneWidth / 2) void this.pump()
    else this.#planned ??= setTimeout(() => void this.pump(), gatherMs)
  }
}
