import { waitsPerToken } from '../deals/policy.ts'

/** Maximum concurrent waits, in this process and for each partner; further requests are answered right away. */
const inAll = 5000
const ofPartnerMax = 2000

/** A request that waits for events of its partner. */
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

  /** Returns whether the partner's deals have changed since this was last true; false at the latest after `ms`. */
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

  /** Notes a change of the partner's deals. */
  change(): void {
    this.#isChanged = true
    this.#wake?.()
  }

  /** Ends it: its request is answered with what is known. */
  end(): void {
    this.#isEnded = true
    this.#leave(this)
    this.#wake?.()
  }
}

/**
 * Requests that wait for events. A waiting request costs neither a database connection nor a slot: it is woken by
 * the notifications that also reach the open pages. Those of a partner that ask for the same share one read.
 */
export class EventWaits {
  readonly #byPartner = new Map<number, Set<Wait>>()
  readonly #byToken = new Map<number, Wait[]>()
  /** Of each partner that requests wait for: a number that was never used before its latest change. */
  readonly #versions = new Map<number, number>()
  #lastVersion = 0
  readonly #reads = new Map<string, Promise<unknown>>()
  #count = 0
  #isListening = false

  /** Returns the number of waiting requests. */
  get count(): number {
    return this.#count
  }

  /** Sets whether changes arrive. Without them, no request waits. */
  listen(isListening: boolean): void {
    this.#isListening = isListening
    if (!isListening) for (const waits of this.#byPartner.values()) for (const wait of waits) wait.end()
  }

  /** Wakes the requests of these partners. */
  changed(partnerIds: Iterable<number>): void {
    for (const partnerId of partnerIds) {
      const waits = this.#byPartner.get(partnerId)
      if (waits === undefined) continue
      this.#versions.set(partnerId, ++this.#lastVersion)
      for (const wait of waits) wait.change()
    }
  }

  /** Begins a wait, which sees every change from now on. The caller ends it. */
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

  /** Returns whether a partner with this many waits may have one more; if all are taken, ends one of the largest. */
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

  /** Reads what `key` names, or shares a read of it that began after the partner's latest change arrived. */
  read<T>(partnerId: number, key: string, read: () => Promise<T>): Promise<T> {
    const latest = this.#versions.get(partnerId)
    // Without a wait, nobody has noted when its latest change arrived.
    if (latest === undefined) return read()
    const version = `${partnerId} ${latest} ${key}`
    const running = this.#reads.get(version) as Promise<T> | undefined
    if (running !== undefined) return running
    const reading = read().finally(() => this.#reads.delete(version))
    this.#reads.set(version, reading)
    return reading
  }
}
