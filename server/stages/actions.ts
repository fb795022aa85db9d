import { type AuditContext, audited } from '../access/audited.ts'
import { notFound } from '../protocol/errors.ts'
import type { Stage } from './stage.ts'
import * as store from './store.ts'
import type { SetStage } from './wire.ts'

/**
 * Corrects what a stage means, for all partners. Returns the stage as it is then. @throws Refusal 404 when
 * there is none of this name
 */
export function setStage(context: AuditContext, given: SetStage): Promise<Stage> {
  return audited(
    context,
    ({ name, kind, order, tone, place }: Stage) => ({
      action: 'stage.changed',
      subject: `${name} (${kind}, order ${order}, ${tone}${place === null ? '' : `, waits for ${place}`})`,
      partnerId: null,
    }),
    async (tx) => {
      const changed = await store.saveStage(tx, given)
      if (changed === undefined) throw notFound('Stage')
      return changed
    },
  )
}
