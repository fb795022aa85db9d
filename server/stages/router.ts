import { forOperators, personal, router } from '../access/procedure.ts'
import { setStage } from './actions.ts'
import { readStages } from './store.ts'
import { SetStage } from './wire.ts'

/** The stages of all deals: read by everybody who is shown deals, corrected by operators. */
export const stagesRouter = router({
  list: personal.query(({ ctx: { db } }) => readStages(db)),

  /** The same for the page where operators correct them, which is not for partners. */
  editable: forOperators.query(({ ctx: { db } }) => readStages(db)),

  set: forOperators.input(SetStage).mutation(({ ctx, input }) => setStage(ctx, input)),
})
