import type { ServerResponse } from 'node:http'
import type { Caller } from '../admission/admission.ts'

/** Limits for the number of response bytes that clients have not read yet. */
interface UnreadLimits {
  inAll: number
  perGroup: number
  perMember: number
}

const mb = 1024 * 1024

/**
 * Several times the size of the largest response, so that only clients that do not read reach these limits.
 */
export const unreadLimits: UnreadLimits = { inAll: 192 * mb, perGroup: 96 * mb, perMember: 48 * mb }

/** The buffers of a normal connection contain fewer bytes than this. */
const usualBytes = 64 * 1024

/**
 * Minimum number of bytes counted for an unread page, because the compressor buffers more than it has
 * written.
 */
const pageBytes = mb

interface Unread {
  caller: Caller
  isPage: boolean
  bytes: number
  /** Number of bytes that the operating system has not accepted yet. */
  left: number
}

/**
 * Counts the response bytes that clients have not read yet. If a limit is exceeded, closes the connection
 * that has read nothing for the longest time.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits
  /** Sorted by when the client last read, oldest first. */
  readonly #unread = new Map<ServerResponse, Unread>()

  constructor(limits: UnreadLimits = unreadLimits) {
    this.#limits = limits
  }

  /** Returns the number of unread bytes of all responses. */
  get bytes(): number {
    return this.#sum(() => true)
  }

  /**
   * Counts the unread bytes of a response against the caller that `callerOf` returns when counting begins.
   */
  watch(response: ServerResponse, isPage: boolean, callerOf: () => Caller): void {
    const { write, end } = response
    const counted = <Args extends unknown[], Result>(method: (...args: Args) => Result) =>
      ((...args: Args) => {
        const result = method.apply(response, args)
        this.#count(response, isPage, callerOf)
        return result
      }) as typeof method
    response.write = counted(write) as typeof write
    response.end = counted(end) as typeof end
    response.once('close', () => this.#unread.delete(response))
  }

  #count(response: ServerResponse, isPage: boolean, callerOf: () => Caller): void {
    const bytes = response.writableLength
    if (bytes <= usualBytes && !this.#unread.has(response)) return
    const before = this.#unread.get(response)
    if (before === undefined) {
      const caller = callerOf()
      this.#unread.set(response, { caller, isPage, bytes, left: leftOf(response) })
      this.#endOverdue(caller)
      return
    }
    this.#update(response, before)
    this.#endOverdue(before.caller)
  }

  /**
   * Updates the number of unread bytes of a response. If the client has read any, moves the response to the
   * end.
   */
  #update(response: ServerResponse, unread: Unread): void {
    const [bytes, left] = [response.writableLength, leftOf(response)]
    const hasRead = left < unread.left
    Object.assign(unread, { bytes, left })
    if (bytes > usualBytes && !hasRead) return
    this.#unread.delete(response)
    if (bytes > usualBytes) this.#unread.set(response, unread)
  }

  /** Closes the oldest connections while the caller, its group or the total exceeds the limit. */
  #endOverdue({ group, member }: Caller): void {
    const { perMember, perGroup, inAll } = this.#limits
    const isOfGroup = ({ caller }: Unread) => caller.group === group
    const isOfMember = (unread: Unread) => isOfGroup(unread) && unread.caller.member === member
    for (const [isCounted, max] of [
      [isOfMember, perMember],
      [isOfGroup, perGroup],
      [() => true, inAll],
    ] as const) {
      if (this.#sum(isCounted) <= max) continue
      for (const [response, unread] of Array.from(this.#unread)) this.#update(response, unread)
      for (const [response, unread] of this.#unread) {
        if (this.#sum(isCounted) <= max) break
        if (!isCounted(unread)) continue
        this.#unread.delete(response)
        response.destroy()
      }
    }
  }

  #sum(isCounted: (unread: Unread) => boolean): number {
    let sum = 0
    for (const unread of this.#unread.values())
      if (isCounted(unread)) sum += unread.isPage ? Math.max(unread.bytes, pageBytes) : unread.bytes
    return sum
  }
}

/** Returns the number of bytes of a response that the operating system has not accepted yet. */
function leftOf({ socket, writableLength }: ServerResponse): number {
  // Node's own timeout uses this value too, to measure the progress of a write.
  const handle = (socket as { _handle?: { writeQueueSize?: number } } | null)?._handle
  return handle?.writeQueueSize ?? writableLength
}
