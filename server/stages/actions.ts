import { type AuditContext, audited } from '../access/audited.ts'
import { ApiError, notFound } from '../protocol/errors.ts'
import type { StageMove } from './order.ts'
import type { Stage } from './stage.ts'
import * as store from './store.ts'
import type { SetStage } from './wire.ts'

/**
 * Changes a stage's meaning for all partners. Returns the changed stage.
 * @throws ApiError 404 if there is no such stage
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

const changedMeanwhile = () => new ApiError('PRECONDITION_FAILED', 'The stages have changed in the meantime')

/**
 * Moves a stage within its kind, for all partners.
 * @throws ApiError 412 if the order has changed since
 */
export function moveStage(context: AuditContext, move: StageMove): Promise<Stage> {
  const { after } = move
  return audited(
    context,
    ({ name, kind }: Stage) => ({
      action: 'stage.changed',
      subject: `${name} (${kind}, ${after === null ? 'first' : `after ${after}`})`,
      partnerId: null,
    }),
    async (tx) => {
      const moved = await store.saveMove(tx, move)
      if (moved === undefined) throw changedMeanwhile()
      return moved
    },
  )
}

/**
 * Confirms the suggested places of these stages. Returns the confirmed stages.
 * @throws ApiError 412 if none has a suggestion
 */
export function confirmStages(context: AuditContext, names: string[]): Promise<Stage[]> {
  return audited(
    context,
    (confirmed: Stage[]) => ({
      action: 'stage.changed',
      subject: confirmed.map(({ name, place }) => `${name} (waits for ${place ?? 'none'})`).join(', '),
      partnerId: null,
    }),
    async (tx) => {
      const confirmed = await store.confirmPlaces(tx, names)
      if (confirmed.length === 0) throw changedMeanwhile()
      return confirmed
    },
  )
}
