/** A live message to pages. Contains nothing that the page's user may not see. */
export interface LiveMessage {
  /** By the id of a partner, the ids of its changed deals; null when they are many. Under 0 deals of no partner. */
  deals: Record<string, string[] | null>
  /** The ids of partners whose deliveries have changed. */
  deliveries: number[]
  /** The ids of partners with new messages. */
  messages?: number[]
  /** The ids of users whose notifications have changed: on a page, its user's own. */
  notifications?: number[]
}

/** The events of a stream besides messages (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const streamEvents = {
  /** The first event; no change is missed after it. */
  ready: 'ready',
  /** Sent every `pingMs`, however little happens. */
  ping: 'ping',
  /** The last: the user has opened too many streams since. */
  full: 'full',
} as const

export const pingMs = 15_000
