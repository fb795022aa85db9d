import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { dealLists } from '#db/schema/deals.ts'
import { channelNews, teamChannels } from '#db/schema/notifications.ts'
import { lockOwner } from '../accounts/limit-store.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { teamChannelsMax } from './policy.ts'
import { beginCursors } from './store.ts'
import type { TeamKind, TeamService } from './wire.ts'

const visibleColumns = {
  id: teamChannels.id,
  name: teamChannels.name,
  service: teamChannels.service,
  shownUrl: teamChannels.shownUrl,
  kinds: teamChannels.kinds,
  switchedOffAt: teamChannels.switchedOffAt,
  switchedOffBecause: teamChannels.switchedOffBecause,
  lastSentAt: teamChannels.lastSentAt,
  failedAt: teamChannels.failedAt,
  problem: teamChannels.problem,
}

/** Returns the channels of a partner without their URLs, oldest first. */
export const readChannels = (db: Database, partnerId: PartnerId) =>
  db
    .select(visibleColumns)
    .from(teamChannels)
    .where(eq(teamChannels.partnerId, partnerId))
    .orderBy(asc(teamChannels.id))

export interface NewChannel {
  name: string
  service: TeamService
  encryptedUrl: string
  shownUrl: string
  kinds: TeamKind[]
}

/**
 * Inserts a channel, which receives later updates. Returns false if the partner already has the maximum.
 */
export async function insertChannel(
  tx: Transaction,
  partnerId: PartnerId,
  channel: NewChannel,
): Promise<boolean> {
  await lockOwner(tx, partnerId)
  const [list] = await tx
    .select({ sequence: dealLists.lastSequence })
    .from(dealLists)
    .where(eq(dealLists.id, partnerId))
    .for('update')
  if ((await tx.$count(teamChannels, eq(teamChannels.partnerId, partnerId))) >= teamChannelsMax) return false
  await tx.insert(teamChannels).values({ ...channel, partnerId, sequence: list?.sequence ?? 0 })
  await beginCursors(tx, partnerId)
  return true
}

export interface ChannelName {
  partnerId: PartnerId
  id: number
}

const named = ({ partnerId, id }: ChannelName) =>
  and(eq(teamChannels.partnerId, partnerId), eq(teamChannels.id, id))

/** Returns a channel with its encrypted URL, or undefined. */
export async function findChannel(db: Database | Transaction, name: ChannelName) {
  const [channel] = await db
    .select({ ...visibleColumns, encryptedUrl: teamChannels.encryptedUrl })
    .from(teamChannels)
    .where(named(name))
  return channel
}

/**
 * Changes the name of a channel and the kinds of updates that it receives. Returns the name, or undefined if
 * the channel does not exist.
 */
export async function updateChannel(
  tx: Transaction,
  name: ChannelName,
  change: { name: string; kinds: TeamKind[] },
): Promise<string | undefined> {
  const [row] = await tx
    .update(teamChannels)
    .set(change)
    .where(named(name))
    .returning({ name: teamChannels.name })
  return row?.name
}

/**
 * Turns a channel on for later updates, or turns it off and discards pending updates. Returns the name, or
 * undefined if the channel does not exist.
 */
export async function switchChannel(
  tx: Transaction,
  name: ChannelName,
  isOn: boolean,
): Promise<string | undefined> {
  const [row] = await tx
    .update(teamChannels)
    .set(
      isOn
        ? {
            switchedOffAt: null,
            switchedOffBecause: null,
            sequence: sql`coalesce((select last_sequence from deal_lists where id = ${teamChannels.partnerId}), 0)`,
            dueAt: sql`now()`,
            failures: 0,
            problem: null,
            failedAt: null,
          }
        : { switchedOffAt: sql`now()`, switchedOffBecause: 'admin' as const },
    )
    .where(
      and(
        named(name),
        isOn ? sql`${teamChannels.switchedOffAt} is not null` : isNull(teamChannels.switchedOffAt),
      ),
    )
    .returning({ name: teamChannels.name })
  if (row !== undefined && !isOn) await tx.delete(channelNews).where(eq(channelNews.channelId, name.id))
  return row?.name
}

/** Deletes a channel. Returns its name, or undefined if the channel does not exist. */
export async function deleteChannel(tx: Transaction, name: ChannelName): Promise<string | undefined> {
  const [row] = await tx.delete(teamChannels).where(named(name)).returning({ name: teamChannels.name })
  return row?.name
}
