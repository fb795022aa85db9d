import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { forAdmins, forManagers, router } from '../access/procedure.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { type DealNames, readDealNames } from '../deals/row-store.ts'
import { notFound } from '../errors.ts'
import { resendAll, resendOne } from './actions.ts'
import { requestHeaders } from './attempt.ts'
import { findSearched, readDelivery, readLastRequest, readLog } from './log-store.ts'
import { countResendable } from './resend-store.ts'
import { readSecrets } from './secret-store.ts'
import { renderTest } from './send-test.ts'
import { sign, timestampOf } from './signature.ts'
import { ChooseDelivery, ListDeliveries, ResendDeliveries } from './wire.ts'

export const deliveriesRouter = router({
  /** Returns a page of the log, newest first. `next` is the cursor of the following page, or null. */
  list: forManagers
    .input(ListDeliveries)
    .query(async ({ ctx: { db, tenant }, input: { cursor, search, ...filter } }) => {
      const rows = await readLog(db, tenant, {
        ...filter,
        search: await findSearched(db, tenant, search),
        behind: cursor ?? undefined,
        limit: filter.limit + 1,
      })
      const page = rows.slice(0, filter.limit)
      return {
        deliveries: await withNames(db, tenant, page),
        next: rows.length > page.length ? page.at(-1)!.id : null,
      }
    }),

  /** Returns a delivery with its attempts: each request exactly as sent, and its response. */
  get: forManagers.input(ChooseDelivery).query(async ({ ctx: { db, tenant }, input: { id } }) => {
    const delivery = await readDelivery(db, tenant, id)
    if (delivery === undefined) throw notFound('Delivery')
    const { attempts, ...rest } = delivery
    const [named] = await withNames(db, tenant, [rest])
    return {
      ...named!,
      attempts: attempts.map(({ deliveryId: _id, signature, ...attempt }) => ({
        ...attempt,
        requestHeaders: requestHeaders(delivery.messageId, attempt.startedAt, signature),
      })),
    }
  }),

  /**
   * Returns the partner's last request for trying out signature verification. If there is none, returns an
   * unsent test event.
   */
  sample: forAdmins.query(async ({ ctx: { db, services, partnerId } }) => {
    const last = await readLastRequest(db, partnerId)
    if (last !== undefined) return last
    const message = {
      id: randomUUID(),
      at: new Date(),
      body: Buffer.from(renderTest('deal.created', new Date())),
    }
    const secrets = await readSecrets(db, partnerId, services.encryptionKey)
    return {
      id: message.id,
      timestamp: timestampOf(message.at),
      signature: sign(
        message,
        secrets.map(({ secret }) => secret),
      ),
      body: String(message.body),
    }
  }),

  resend: forManagers
    .input(ChooseDelivery)
    .mutation(({ ctx, input: { id } }) => resendOne(ctx, ctx.tenant, id)),

  /** Returns the number of deliveries that `resendFailed` would resend. */
  countFailed: forManagers.input(ResendDeliveries).query(async ({ ctx: { db, tenant }, input }) => ({
    count: await countResendable(db, tenant, {
      ...input,
      search: await findSearched(db, tenant, input.search),
    }),
  })),

  resendFailed: forManagers
    .input(ResendDeliveries)
    .mutation(async ({ ctx, input }) => ({ count: await resendAll(ctx, ctx.tenant, input) })),
})

/** Adds deal names, which are null for deals that have left the tenant. */
async function withNames<Row extends { dealId: bigint | null }>(
  db: Database,
  tenant: TenantScope,
  rows: readonly Row[],
): Promise<(Row & { deal: DealNames | null })[]> {
  const names = await readDealNames(
    db,
    tenant,
    rows.flatMap(({ dealId }) => dealId ?? []),
  )
  return rows.map((row) => ({ ...row, deal: (row.dealId !== null && names.get(row.dealId)) || null }))
}
