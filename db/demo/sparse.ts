import { type DemoPartner, partnersOf } from '#db/demo/demo.ts'
import { Random, seedOf } from '#db/demo/random.ts'
import { table } from '#db/demo/tables.ts'
import { type Deal, type DealField, type DealRecord, dealFields } from '#server/deals/deal.ts'

/** A deal from a source with incomplete data. */
export interface SparseDeal {
  record: DealRecord
  /** False if the source does not specify a partner. */
  hasPartner: boolean
}

export interface SparsePartner extends DemoPartner {
  /** Returns the known fields of a deal, which are the same every day. */
  given: (deal: Deal) => SparseDeal
}

/**
 * Demo partners with sparse deals, whose number of deals is fixed. One uses a CRM, and the other only a
 * spreadsheet.
 */
export const sparsePartners: readonly SparsePartner[] = partnersOf('sparse partners').map((partner) => ({
  ...partner,
  given: partner.slug === 'mesa-verde-solar' ? givenByCrm : givenBySheet,
}))

function givenBySheet({ id, dealname, stage, amount }: Deal): SparseDeal {
  return { record: { id, dealname, stage, amount }, hasPartner: true }
}

/** Stages of a separate CRM, with the usual spelling and the spelling in some deals. */
const crmStages = table('crm stages', { id: String, usual: String, other: String })

/** Fields that the CRM sets automatically. People fill in most other fields, but not flags. */
const written: readonly DealField[] = ['dealname', 'owner', 'createDate', 'lastModified', 'amount']
/** Fields known only to systems other than the CRM. */
const foreign: readonly DealField[] = ['stage', 'stageId', 'pipeline', 'pipelineId', 'hicAgreement']

/** Probabilities that people fill in a date and any other field. */
const dateChance = 0.31
const fieldChance = 0.7

function givenByCrm(deal: Deal): SparseDeal {
  const random = new Random(seedOf(`crm ${deal.id}`))
  const names = (Object.keys(dealFields) as DealField[]).filter((name) => {
    const { kind } = dealFields[name]
    // Draws once per field, so that an additional field does not change the others.
    const drawn = random.next()
    if (name === 'id' || written.includes(name)) return true
    if (kind === 'flag' || foreign.includes(name)) return false
    return drawn < (kind === 'time' ? dateChance : fieldChance)
  })
  const spellings = crmStages.find(({ id }) => id === deal.stageId)
  const spelling = random.chance(0.2) ? 'other' : 'usual'
  return {
    record: {
      ...(Object.fromEntries(names.map((name) => [name, deal[name]])) as unknown as DealRecord),
      stage: spellings?.[spelling] ?? deal.stage,
      // Typing errors in a few deals.
      ...(random.chance(0.02) && { amount: -5000 }),
      ...(random.chance(0.02) && { systemSize: '0' }),
      ...(random.chance(0.02) && { zipCode: '852011' }),
    },
    hasPartner: !random.chance(0.04),
  }
}
