import type { DemoPartner } from '#db/demo/demo.ts'
import { Random, seedOf } from '#db/demo/random.ts'
import { rows } from '#db/demo/tables.ts'
import { type Deal, type DealField, type DealRecord, dealFields } from '#server/deals/deal.ts'

/** A deal from a source with incomplete data. */
export interface SparseDeal {
  record: DealRecord
  /** False if the source names no partner. */
  hasPartner: boolean
}

/** A partner with sparse deals. */
export interface SparsePartner extends DemoPartner {
  /** Returns the known fields of a deal, the same each day. */
  given: (deal: Deal) => SparseDeal
}

/** The demo partners with sparse deals, whose number of deals is fixed. */
export const sparsePartners: readonly SparsePartner[] = [
  {
    slug: 'mesa-verde-solar',
    name: 'Mesa Verde Solar',
    deals: 150,
    firstId: 20_416_204_811n,
    states: ['NM', 'AZ', 'TX'],
    given: givenByCrm,
  },
  {
    slug: 'bluebird-roofing',
    name: 'Bluebird Roofing',
    deals: 60,
    firstId: 20_418_377_590n,
    states: ['CO', 'UT'],
    given: ({ id, dealname, stage, amount }) => ({
      record: { id, dealname, stage, amount },
      hasPartner: true,
    }),
  },
]

/** The stages of a separate CRM, with its usual spellings and those of some deals. */
const crmStages = new Map(
  rows('crm stages').map(([id = '', usual = '', other = '']) => [id, { usual, other }]),
)

/** The CRM sets these automatically; people fill in other fields, but not flags. */
const written: readonly DealField[] = ['dealname', 'owner', 'createDate', 'lastModified', 'amount']
/** Fields known only to other systems than the CRM. */
const foreign: readonly DealField[] = ['stage', 'stageId', 'pipeline', 'pipelineId', 'hicAgreement']

/** The probability that people fill in a date, and other fields. */
const dateChance = 0.31
const fieldChance = 0.7

function givenByCrm(deal: Deal): SparseDeal {
  const random = new Random(seedOf(`crm ${deal.id}`))
  const names = (Object.keys(dealFields) as DealField[]).filter((name) => {
    const { kind } = dealFields[name]
    // Drawn per field, so that an additional one leaves the others unchanged.
    const drawn = random.next()
    if (name === 'id' || written.includes(name)) return true
    if (kind === 'flag' || foreign.includes(name)) return false
    return drawn < (kind === 'time' ? dateChance : fieldChance)
  })
  const spellings = crmStages.get(deal.stageId ?? '')
  const isMisspelled = random.chance(0.2)
  return {
    record: {
      ...(Object.fromEntries(names.map((name) => [name, deal[name]])) as unknown as DealRecord),
      stage: (isMisspelled ? spellings?.other : spellings?.usual) ?? deal.stage,
      ...absurdities(random),
    },
    hasPartner: !random.chance(0.04),
  }
}

/** Returns typing errors for a few deals. */
function absurdities(random: Random): Partial<DealRecord> {
  const [amount, size, zipCode] = [random.chance(0.02), random.chance(0.02), random.chance(0.02)]
  return {
    ...(amount && { amount: -5000 }),
    ...(size && { systemSize: '0' }),
    ...(zipCode && { zipCode: '852011' }),
  }
}
