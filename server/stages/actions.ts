import { type AuditContext, audited } from '../access/audited.ts'
import { notFound } from '../protocol/errors.ts'
import type { Stage } from './stage.ts'
import * as store from './store.ts'
import type { SetStage } from './wire.ts'

/**
 * Corrects what a stage means, for all partners. Returns the stage as it is then. @throws Refusal 404 when
 * there is none of this name
 */
export function setStage(context: AuditContext, { name, ...given }: SetStage): Promise<Stage> {
  return audited(
    context,
    ({ kind, order, tone }: Stage) => ({
      action: 'stage.changed',
      subject: `${name} (${kind}, order ${order}, ${tone})`,
      partnerId: null,
    }),
    async (tx) => {
      const stage = await store.lockStage(tx, name)
      if (stage === undefined) throw notFound('Stage')
      const { kind = stage.kind, order = stage.order, tone = stage.tone } = given
      const changed = { name, kind, order, tone }
      await store.saveStage(tx, changed)
      return changed
    },
  )
}
