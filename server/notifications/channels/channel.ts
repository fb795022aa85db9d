import type { Zone } from '../../values/zone.ts'
import type { News } from '../notification.ts'

/** A deal in a message, and its updates, oldest first. */
export interface DealNews {
  id: string
  /** Empty if the deal has no name. */
  name: string
  news: News[]
}

/** An update of a deal. Rows are sorted by deal. */
export type NewsRow = { dealId: string; name: string } & Pick<News, 'kind' | 'changes'>

/** Groups updates by deal. */
export const dealNewsOf = (rows: readonly NewsRow[]): DealNews[] =>
  [...Map.groupBy(rows, ({ dealId }) => dealId)].map(([id, ofDeal]) => ({
    id,
    name: ofDeal[0]!.name,
    news: ofDeal.map(({ kind, changes }) => ({ kind, changes }) as News),
  }))

export interface Content {
  /** The id of the delivery, which is the same for each attempt. */
  id: number
  user: { id: number; email: string; zone: Zone }
  /** The id of the push subscription, or 0 for mail. */
  targetId: number
  deals: [DealNews, ...DealNews[]]
}

/** The reason a message was not sent. */
export interface SendProblem {
  problem: string
  /** True if another attempt would fail the same way. */
  isPermanent: boolean
  /** True if the recipient was rejected and must receive no further messages. */
  isRecipientGone: boolean
}

/** A channel that sends messages to users. */
export interface ChannelSender {
  /** Attempts to send a message. Returns the reason for a failure, or null. Never rejects. */
  send(content: Content): Promise<SendProblem | null>
}
