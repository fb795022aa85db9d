import { type AuditContext, audited } from '../access/audited.ts'
import { notFound } from '../errors.ts'
import type { JobKind } from './kinds.ts'
import * as store from './store.ts'

const subjectOf = (kinds: readonly JobKind[]) =>
  [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => `${length} × ${kind}`).join(', ')

/**
 * Makes failed jobs due now and returns their number.
 * @throws ApiError 404 if none of them has failed
 */
export function retryJobs(context: AuditContext, ids: readonly string[]): Promise<number> {
  return change(context, 'job.retried', (tx) => store.retryJobs(tx, ids))
}

/**
 * Deletes failed jobs and returns their number.
 * @throws ApiError 404 if none of them has failed
 */
export function discardJobs(context: AuditContext, ids: readonly string[]): Promise<number> {
  return change(context, 'job.discarded', (tx) => store.discardJobs(tx, ids))
}

async function change(
  context: AuditContext,
  action: 'job.retried' | 'job.discarded',
  work: (tx: Parameters<typeof store.retryJobs>[0]) => Promise<JobKind[]>,
): Promise<number> {
  const kinds = await audited(
    context,
    (changed: JobKind[]) => ({ action, subject: subjectOf(changed), partnerId: null }),
    async (tx) => {
      const changed = await work(tx)
      if (changed.length === 0) throw notFound('Failed job')
      return changed
    },
  )
  return kinds.length
}
