import type { ApiError } from '../errors.ts'
import type { Caller } from './admission.ts'

/** Limits for resources that stay open. */
interface ShareLimits {
  inAll: number
  perGroup: number
  perMember: number
}

/** Limits how many resources callers keep open, such as exports: per member, per group and in total. */
export class Shares {
  readonly limits: ShareLimits
  #total = 0
  readonly #taken = new Map<string, number>()

  constructor(limits: ShareLimits) {
    this.limits = limits
  }

  get count(): number {
    return this.#total
  }

  /**
   * Takes a share of the limit. Returns a function that releases the share.
   * @throws ApiError for the member's limit or any other
   */
  take({ group, member }: Caller, tooMany: { ofMember: () => ApiError; ofAll: () => ApiError }): () => void {
    const { inAll, perGroup, perMember } = this.limits
    const keys = [group, `${group} ${member}`] as const
    if (this.#count(keys[1]) >= perMember) throw tooMany.ofMember()
    if (this.#total >= inAll || this.#count(keys[0]) >= perGroup) throw tooMany.ofAll()
    this.#total++
    for (const key of keys) this.#taken.set(key, this.#count(key) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#total--
      for (const key of keys) {
        const left = this.#count(key) - 1
        if (left > 0) this.#taken.set(key, left)
        else this.#taken.delete(key)
      }
    }
  }

  #count(key: string): number {
    return this.#taken.get(key) ?? 0
  }
}
