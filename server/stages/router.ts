import { forOperators, personal, router } from '../access/procedure.ts'
import { confirmStages, moveStage, setStage } from './actions.ts'
import { readDescribedStages, readStages } from './store.ts'
import { ConfirmStages, MoveStage, SetStage } from './wire.ts'

/** The stages: read by everybody who sees deals, corrected by operators. */
export const stagesRouter = router({
  list: personal.query(({ ctx: { db, actor } }) => readStages(db, actor.tenant)),

  /** The same for the page where operators correct them, which partners cannot see. */
  editable: forOperators.query(({ ctx: { db } }) => readDescribedStages(db)),

  set: forOperators.input(SetStage).mutation(({ ctx, input }) => setStage(ctx, input)),

  move: forOperators.input(MoveStage).mutation(({ ctx, input }) => moveStage(ctx, input)),

  confirm: forOperators.input(ConfirmStages).mutation(({ ctx, input }) => confirmStages(ctx, input.names)),
})
