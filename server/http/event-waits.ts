import type { ServerResponse } from 'node:http'
import { type Actor, isInternal } from '../access/actor.ts'
import { waitMaxS, waitsPerToken } from '../deals/policy.ts'
import { Prepared } from '../values/prepared.ts'
import { secondMs } from '../values/units.ts'
import { type CachedResponse, type Coding, render } from './rest-answer.ts'

/**
 * Maximum numbers of concurrent waits in this process and per partner. Beyond these, requests get an
 * immediate response.
 */
const inAll = 5000
const ofPartnerMax = 2000

/** A request that is waiting for events of its partner. */
export class Wait {
  readonly partnerId: number
  readonly #leave: (wait: Wait) => void
  #isEnded: boolean
  #isChanged = false
  #wake: (() => void) | undefined

  constructor(partnerId: number, isEnded: boolean, leave: (wait: Wait) => void) {
    this.partnerId = partnerId
    this.#isEnded = isEnded
    this.#leave = leave
  }

  /**
   * Waits up to `ms` for the partner's deals to change since the previous call. Returns false if nothing has
   * changed.
   */
  async isChangedWithin(ms: number): Promise<boolean> {
    if (!this.#isChanged && !this.#isEnded && ms > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = undefined
    const isChanged = this.#isChanged && !this.#isEnded
    this.#isChanged = false
    return isChanged
  }

  /** Records that the partner's deals have changed. */
  change(): void {
    this.#isChanged = true
    this.#wake?.()
  }

  /** Ends the wait. The request then responds with the events known so far. */
  end(): void {
    this.#isEnded = true
    this.#leave(this)
    this.#wake?.()
  }
}

/**
 * Requests that are waiting for events. They occupy neither a database connection nor a slot, and are woken
 * by the notifications that also update open pages. Equal requests of a partner share a single read.
 */
export class EventWaits {
  readonly #byPartner = new Map<number, Set<Wait>>()
  readonly #byToken = new Map<number, Wait[]>()
  /** A number per partner with waiting requests, which changes whenever the partner's deals change. */
  readonly #versions = new Map<number, number>()
  #lastVersion = 0
  readonly #reads = new Map<string, Promise<unknown>>()
  #count = 0
  #isListening = false

  get count(): number {
    return this.#count
  }

  /** Sets whether notifications are being received. If not, requests never wait. */
  listen(isListening: boolean): void {
    this.#isListening = isListening
    if (!isListening) for (const waits of this.#byPartner.values()) for (const wait of waits) wait.end()
  }

  /** Wakes all waiting requests of these partners. */
  changed(partnerIds: Iterable<number>): void {
    for (const partnerId of partnerIds) {
      const waits = this.#byPartner.get(partnerId)
      if (waits === undefined) continue
      this.#versions.set(partnerId, ++this.#lastVersion)
      for (const wait of waits) wait.change()
    }
  }

  /** Starts a wait, which observes all changes from now on. The caller must end the wait. */
  begin(partnerId: number, tokenId: number): Wait {
    const ofPartner = this.#byPartner.get(partnerId) ?? new Set()
    const isFull = !this.#isListening || ofPartner.size >= ofPartnerMax || !this.#makeRoom(ofPartner.size)
    const wait = new Wait(partnerId, isFull, (ended) => this.#remove(ended, tokenId))
    if (isFull) return wait
    this.#count++
    if (ofPartner.size === 0) this.#versions.set(partnerId, ++this.#lastVersion)
    this.#byPartner.set(partnerId, ofPartner.add(wait))
    const ofToken = this.#byToken.get(tokenId) ?? []
    this.#byToken.set(tokenId, ofToken)
    ofToken.push(wait)
    if (ofToken.length > waitsPerToken) ofToken[0]!.end()
    return wait
  }

  /**
   * Returns true if a partner with this many waits may start another. If the process is full, ends a wait of
   * the partner with the most waits.
   */
  #makeRoom(size: number): boolean {
    if (this.#count < inAll) return true
    let largest = new Set<Wait>()
    for (const waits of this.#byPartner.values()) if (waits.size > largest.size) largest = waits
    if (largest.size <= size + 1) return false
    const [oldest] = largest
    oldest!.end()
    return true
  }

  #remove(wait: Wait, tokenId: number): void {
    const ofPartner = this.#byPartner.get(wait.partnerId)
    if (ofPartner?.delete(wait) !== true) return
    this.#count--
    const ofToken = this.#byToken.get(tokenId)!
    ofToken.splice(ofToken.indexOf(wait), 1)
    if (ofToken.length === 0) this.#byToken.delete(tokenId)
    if (ofPartner.size > 0) return
    this.#byPartner.delete(wait.partnerId)
    this.#versions.delete(wait.partnerId)
  }

  /**
   * Reads data, or shares a running read with the same `key` that began after the partner's latest change.
   */
  read<T>(partnerId: number, key: string, read: () => Promise<T>): Promise<T> {
    const latest = this.#versions.get(partnerId)
    // While a partner has no waiting requests, its changes are not tracked.
    if (latest === undefined) return read()
    const version = `${partnerId} ${latest} ${key}`
    const running = this.#reads.get(version) as Promise<T> | undefined
    if (running !== undefined) return running
    const reading = read().finally(() => this.#reads.delete(version))
    this.#reads.set(version, reading)
    return reading
  }
}

/**
 * Returns how long a request may wait for events, in milliseconds, or 0 for a value that the procedure
 * rejects.
 */
export function waitMsOf({ path, search }: { path: string; search: string }): number {
  if (path !== '/api/events') return 0
  const [text = '', ...others] = new URLSearchParams(search).getAll('wait')
  const seconds = /^\d+$/.test(text) && others.length === 0 ? Number(text) : 0
  return seconds <= waitMaxS ? seconds * secondMs : 0
}

type Input = Record<string, unknown>

/** A page of events that several requests share. Rendered only once per compression. */
class SharedPage {
  readonly page: unknown
  readonly #rendered = new Map<Coding | null, Promise<CachedResponse>>()

  constructor(page: unknown) {
    this.page = page
  }

  render(coding: Coding | null): Promise<CachedResponse> {
    const rendered = this.#rendered.get(coding) ?? render(this.page, coding)
    this.#rendered.set(coding, rendered)
    return rendered
  }
}

interface WaitingRequest {
  actor: Actor & { tokenId: number }
  response: ServerResponse
  waitMs: number
  input: Input
  coding: Coding | null
  read: (input: Input) => Promise<unknown>
}

/**
 * Returns a page of events as soon as there are events. Returns an empty page when the time is over, the
 * client disconnects or the process shuts down.
 */
export async function waitForEvents(
  waits: EventWaits,
  { actor, response, waitMs, input: { wait: _wait, ...input }, coding, read }: WaitingRequest,
): Promise<CachedResponse> {
  if (isInternal(actor)) return render(await read(input), coding)
  const endsAt = performance.now() + waitMs
  // The wait starts before the first read, so that no change is missed.
  const wait = waits.begin(actor.tenant as number, actor.tokenId)
  const end = () => wait.end()
  response.once('close', end)
  try {
    for (let from = input; ;) {
      const shared = await waits.read(
        wait.partnerId,
        JSON.stringify(from),
        async () => new SharedPage(await read(from)),
      )
      const emptyUpTo = shared.page instanceof Prepared ? shared.page.emptyUpTo : null
      const isOver = emptyUpTo === null || !(await wait.isChangedWithin(endsAt - performance.now()))
      if (isOver) return await shared.render(coding)
      from = { ...input, after: String(emptyUpTo) }
    }
  } finally {
    response.off('close', end)
    end()
  }
}
