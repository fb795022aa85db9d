/** A live message to a page. Contains only what the page's user may see. */
export interface LiveMessage {
  /**
   * The ids of changed deals by partner id, or null if there are many. Key 0 is for deals without a partner.
   */
  deals: Record<string, string[] | null>
  deliveries: number[]
  messages?: number[]
  /** The ids of users whose notifications have changed. A page only receives its own user's id. */
  notifications?: number[]
}

/** Stream events besides messages (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const streamEvents = {
  /** The page receives every change after this event. */
  ready: 'ready',
  /**
   * Sent before `ready` if the page must check for changes itself, because the server may not know all changes
   * since the page's data was read.
   */
  stale: 'stale',
  /** Sent every `pingMs` to show that the stream is alive. */
  ping: 'ping',
  /** The last event, sent when the user has opened too many newer streams. */
  full: 'full',
} as const

export const pingMs = 15_000
