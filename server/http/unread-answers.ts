import type { ServerResponse } from 'node:http'
import type { Caller } from '../admission/admission.ts'

/** Maximum bytes of responses that clients have not read yet. */
interface UnreadLimits {
  inAll: number
  perGroup: number
  perMember: number
}

const mb = 1024 * 1024

/** Several times the largest response, so that only clients that do not read reach these limits. */
export const unreadLimits: UnreadLimits = { inAll: 192 * mb, perGroup: 96 * mb, perMember: 48 * mb }

/** Buffers of a normal connection contain less than this. */
const usualBytes = 64 * 1024

/** Minimum count for an unread page, because the compressor buffers more than it has written. */
const pageBytes = mb

interface Unread {
  caller: Caller
  isPage: boolean
  bytes: number
  /** Bytes that the operating system has not accepted yet. */
  left: number
}

/**
 * Counts the bytes of responses that clients have not read yet. Over a limit, the connection that has read nothing for
 * the longest time is closed.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits
  /** Sorted by the time of the client's last read, oldest first. */
  readonly #unread = new Map<ServerResponse, Unread>()

  constructor(limits: UnreadLimits = unreadLimits) {
    this.#limits = limits
  }

  /** Returns the unread bytes of all responses. */
  get bytes(): number {
    return this.#sum(() => true)
  }

  /** Counts the unread bytes of a response, for its caller at that time. */
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

  /** Updates the unread bytes of a response, and moves it to the end if its client has read. */
  #update(response: ServerResponse, unread: Unread): void {
    const [bytes, left] = [response.writableLength, leftOf(response)]
    const hasRead = left < unread.left
    Object.assign(unread, { bytes, left })
    if (bytes > usualBytes && !hasRead) return
    this.#unread.delete(response)
    if (bytes > usualBytes) this.#unread.set(response, unread)
  }

  /** Closes the oldest connections of the caller, its group or all while over their limit. */
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

/** Returns the bytes of a response that the operating system has not accepted yet. */
function leftOf({ socket, writableLength }: ServerResponse): number {
  // Node's timeout measures the progress of a write in the same way.
  const handle = (socket as { _handle?: { writeQueueSize?: number } } | null)?._handle
  return handle?.writeQueueSize ?? writableLength
}
