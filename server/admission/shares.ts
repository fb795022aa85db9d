import type { ApiError } from '../errors.ts'
import type { Caller } from './admission.ts'

/** Limits of open resources. */
interface ShareLimits {
  inAll: number
  perGroup: number
  perMember: number
}

/** Counts what callers hold open, such as exports: a member gets few, and a group never gets all. */
export class Shares {
  readonly limits: ShareLimits
  #inAll = 0
  readonly #held = new Map<string, number>()

  constructor(limits: ShareLimits) {
    this.limits = limits
  }

  get count(): number {
    return this.#inAll
  }

  /**
   * Takes a share, and returns a function that frees it, once.
   * @throws ApiError the one for the member's or for all others' limit
   */
  take({ group, member }: Caller, tooMany: { ofMember: () => ApiError; ofAll: () => ApiError }): () => void {
    const { inAll, perGroup, perMember } = this.limits
    const keys = [group, `${group} ${member}`] as const
    if (this.#count(keys[1]) >= perMember) throw tooMany.ofMember()
    if (this.#inAll >= inAll || this.#count(keys[0]) >= perGroup) throw tooMany.ofAll()
    this.#inAll++
    for (const key of keys) this.#held.set(key, this.#count(key) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#inAll--
      for (const key of keys) {
        const left = this.#count(key) - 1
        if (left > 0) this.#held.set(key, left)
        else this.#held.delete(key)
      }
    }
  }

  #count(key: string): number {
    return this.#held.get(key) ?? 0
  }
}
