import { type Database, deleteInBatches } from '#db/client.ts'
import { throughFailover } from '../records/through-failover.ts'

/** A deal that would move away from its current partner. */
interface LeavingDeal {
  id: bigint
  partnerId: number
}

// Limits the memory for pending rows to a few hundred KB.
const writtenAtOnce = 1000

/** Deletes the list of other partners' deals that an import may move. @system operators */
export async function deleteLeaving({ $client: sql }: Database, importId: number): Promise<void> {
  await sql`delete from import_leaving where import_id = ${importId}`
}

/** Stores in batches the deals of other partners that a check finds. @system operators */
export function saveLeaving({ $client: sql }: Database, importId: number, isStopping: () => boolean) {
  let waiting: LeavingDeal[] = []
  const write = async () => {
    const deals = waiting
    waiting = []
    if (deals.length === 0) return
    const ids = deals.map(({ id }) => String(id))
    const owners = deals.map(({ partnerId }) => partnerId)
    await throughFailover(
      () => sql`
        insert into import_leaving (import_id, deal_id, partner_id)
        select ${importId}, deal_id, partner_id
        from unnest(${ids}::bigint[], ${owners}::int[]) as found (deal_id, partner_id)
        on conflict do nothing`,
      isStopping,
    )
  }
  return {
    add: (deal: LeavingDeal) => void waiting.push(deal),
    /** Writes pending deals if there are enough for a batch. */
    settle: async () => (waiting.length < writtenAtOnce ? undefined : write()),
    end: write,
  }
}

/**
 * Returns the deals of other partners that a check found, with the partner of each deal.
 * @system operators
 */
export async function readLeaving(
  { $client: sql }: Database,
  importId: number,
  ids: bigint[],
): Promise<Map<bigint, number>> {
  const rows = await sql<{ id: string; partnerId: number }[]>`
    select deal_id as id, partner_id as "partnerId" from import_leaving
    where import_id = ${importId} and deal_id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, partnerId }) => [BigInt(id), partnerId]))
}

/** Deletes the lists of deals to move of ended imports. Returns the number of rows. @system retention */
export const removeOldLeaving = (db: Database): Promise<number> =>
  deleteInBatches(
    db,
    'import_leaving',
    db.$client`import_id in (select id from imports where finished_at is not null)`,
  )
