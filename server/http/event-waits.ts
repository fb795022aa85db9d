import { waitsPerToken } from '../deals/policy.ts'

/** Maximum concurrent waits of this process and of a partner; further requests get a response right away. */
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

  /** Waits up to `ms` for a change of the partner's deals since the last call. Returns false if there was none. */
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

  /** Records a change of the partner's deals. */
  change(): void {
    this.#isChanged = true
    this.#wake?.()
  }

  /** Ends the wait; its request gets a response with the known events. */
  end(): void {
    this.#isEnded = true
    this.#leave(this)
    this.#wake?.()
  }
}

/**
 * Requests that wait for events. They take neither a database connection nor a slot: the notifications for open pages
 * wake them. Equal requests of a partner share one read.
 */
export class EventWaits {
  readonly #byPartner = new Map<number, Set<Wait>>()
  readonly #byToken = new Map<number, Wait[]>()
  /** A number for each partner with waiting requests, which changes with its deals. */
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

  /** Begins a wait, which sees every change from now on and which the caller must end. */
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

  /** Returns true if a partner with this many waits may begin another. May end a wait of the partner with the most. */
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

  /** Reads the data of `key`, or shares a read that began after the partner's latest change arrived. */
  read<T>(partnerId: number, key: string, read: () => Promise<T>): Promise<T> {
    const latest = this.#versions.get(partnerId)
    // Without a wait, changes of the partner are not recorded.
    if (latest === undefined) return read()
    const version = `${partnerId} ${latest} ${key}`
    const running = this.#reads.get(version) as Promise<T> | undefined
    if (running !== undefined) return running
    const reading = read().finally(() => this.#reads.delete(version))
    this.#reads.set(version, reading)
    return reading
  }
}
