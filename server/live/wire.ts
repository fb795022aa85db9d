/** A live message to pages. Contains nothing that the page's user may not see. */
export interface LiveMessage {
  /** The ids of changed deals by partner id; null if there are many. 0 stands for deals without a partner. */
  deals: Record<string, string[] | null>
  /** The ids of partners whose deliveries have changed. */
  deliveries: number[]
  /** The ids of partners with new messages. */
  messages?: number[]
  /** The ids of users whose notifications have changed: on a page, only its own user's. */
  notifications?: number[]
}

/** The events of a stream besides messages (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const streamEvents = {
  /** The first event; no change is missed after it. */
  ready: 'ready',
  /** Sent every `pingMs`, even if nothing happens. */
  ping: 'ping',
  /** The last: the user has opened too many streams since. */
  full: 'full',
} as const

export const pingMs = 15_000
