import { forOperators, personal } from '../../access/procedure.ts'
import { notFound } from '../../errors.ts'
import { GetDeal } from '../wire.ts'
import { setStaffPhone } from './actions.ts'
import { readPhones } from './store.ts'
import { SetStaffPhone } from './wire.ts'

// Used only by the portal, because the REST API has no field for phone numbers.
export const phoneProcedures = {
  /** Returns the phone numbers of a deal's staff by e-mail address (in lower case). */
  phones: personal.input(GetDeal).query(async ({ ctx: { db, actor }, input: { id } }) => {
    const phones = await readPhones(db, actor.tenant, id)
    if (phones === undefined) throw notFound('Deal')
    return phones
  }),

  /** Sets the phone number of a member of the installer's staff, which applies to all deals. */
  setPhone: forOperators
    .input(SetStaffPhone)
    .mutation(({ ctx, input: { email, phone } }) => setStaffPhone(ctx, email, phone)),
}
