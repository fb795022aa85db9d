import type { Transaction } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import { ApiError, notFound } from '../errors.ts'
import type { StageMove } from './order.ts'
import type { Stage } from './stage.ts'
import * as store from './store.ts'
import type { MergeStage, SetStage } from './wire.ts'

/**
 * Changes the properties of a stage for all partners. Returns the changed stage.
 * @throws ApiError 404 if there is no such stage
 */
export function setStage(context: AuditContext, input: SetStage): Promise<Stage> {
  return audited(
    context,
    ({ name, kind, order, tone, place }: Stage) => ({
      action: 'stage.changed',
      subject: `${name} (${kind}, order ${order}, ${tone}${place === null ? '' : `, waits for ${place}`})`,
      partnerId: null,
    }),
    async (tx) => {
      const changed = await store.saveStage(tx, input)
      if (changed === undefined) throw notFound('Stage')
      return changed
    },
  )
}

const changedMeanwhile = () => new ApiError('PRECONDITION_FAILED', 'The stages have changed in the meantime')

/**
 * Moves a stage among the stages of the same kind, for all partners.
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
 * Confirms the suggested steps of these stages. Returns the confirmed stages.
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

/**
 * Removes a stage without deals, for all partners. Returns the removed stage.
 * @throws ApiError 400 if deals have it, 404 if there is no such stage
 */
export function removeStage(context: AuditContext, name: string): Promise<Stage> {
  return audited(context, { action: 'stage.removed', subject: name, partnerId: null }, async (tx) => {
    await requireUnused(tx, name)
    return (await store.deleteStage(tx, name)) ?? throwNotFound()
  })
}

/**
 * Removes a stage without deals. From then on, incoming deals with its name get the other stage. Returns the
 * other stage.
 * @throws ApiError 400 if deals have it or both are one stage, 404 if there is no such stage
 */
export async function mergeStage(context: AuditContext, { name, into }: MergeStage): Promise<Stage> {
  if (name === into) throw new ApiError('BAD_REQUEST', 'A stage cannot be merged into itself')
  return audited(
    context,
    { action: 'stage.merged', subject: `${name} into ${into}`, partnerId: null },
    async (tx) => {
      await requireUnused(tx, name)
      return (await store.saveMerge(tx, name, into)) ?? throwNotFound()
    },
  )
}

/**
 * Checks that no deal is in the stage and prevents changes to this until the transaction ends.
 * @throws ApiError 400 if deals have it
 */
async function requireUnused(tx: Transaction, name: string): Promise<void> {
  const count = await store.countDealsLocked(tx, name)
  if (count === 0) return
  const deals = count === 1 ? '1 deal is' : `${count} deals are`
  throw new ApiError(
    'BAD_REQUEST',
    `${deals} in “${name}”; only a stage without deals can be removed or merged`,
  )
}

function throwNotFound(): never {
  throw notFound('Stage')
}
