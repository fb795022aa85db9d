import type { Zone } from '../../values/zone.ts'
import type { News } from '../notification.ts'

/** A deal in a message, and its news, oldest first. */
export interface DealNews {
  id: string
  /** Empty without a name. */
  name: string
  news: News[]
}

/** A row of news, ordered by deal. */
export type NewsRow = { dealId: string; name: string } & Pick<News, 'kind' | 'changes'>

/** Groups rows of news by deal. */
export const dealNewsOf = (rows: readonly NewsRow[]): DealNews[] =>
  [...Map.groupBy(rows, ({ dealId }) => dealId)].map(([id, ofDeal]) => ({
    id,
    name: ofDeal[0]!.name,
    news: ofDeal.map(({ kind, changes }) => ({ kind, changes }) as News),
  }))

/** A message to one recipient. */
export interface Content {
  /** The delivery's id: the same for each attempt. */
  id: number
  user: { id: number; email: string; zone: Zone }
  /** The push subscription; 0 for mail. */
  targetId: number
  deals: [DealNews, ...DealNews[]]
}

/** Why a message was not sent. */
export interface SendProblem {
  problem: string
  /** Whether another attempt would fail the same way. */
  isPermanent: boolean
  /** Whether the recipient itself was rejected: nothing more is sent to it. */
  isRecipientGone: boolean
}

/** A channel through which messages leave the portal. */
export interface ChannelSender {
  /** Sends a message now. Returns the reason it was not sent, or null. Never rejects. */
  send(content: Content): Promise<SendProblem | null>
}
