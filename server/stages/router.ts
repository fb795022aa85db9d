import { forOperators, personal, router } from '../access/procedure.ts'
import { confirmStages, mergeStage, moveStage, removeStage, setStage } from './actions.ts'
import { readDescribedStages, readStages } from './store.ts'
import { ConfirmStages, MergeStage, MoveStage, NameStage, SetStage } from './wire.ts'

/** Stages, which everyone with access to deals can read and operators can edit. */
export const stagesRouter = router({
  list: personal.query(({ ctx: { db, actor } }) => readStages(db, actor.tenant)),

  /** Returns the stages with CRM descriptions for the operators' settings page, which partners cannot see. */
  editable: forOperators.query(({ ctx: { db } }) => readDescribedStages(db)),

  set: forOperators.input(SetStage).mutation(({ ctx, input }) => setStage(ctx, input)),

  move: forOperators.input(MoveStage).mutation(({ ctx, input }) => moveStage(ctx, input)),

  confirm: forOperators.input(ConfirmStages).mutation(({ ctx, input }) => confirmStages(ctx, input.names)),

  remove: forOperators.input(NameStage).mutation(({ ctx, input }) => removeStage(ctx, input.name)),

  merge: forOperators.input(MergeStage).mutation(({ ctx, input }) => mergeStage(ctx, input)),
})
