import type { Database } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { insertPartner } from '#server/accounts/store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import type { Scope } from '#server/tokens/policy.ts'

/** A partner created for one test. */
export interface TestPartner {
  id: PartnerId
  slug: string
  token: string
}

/** Creates a partner with a token and these deals. */
export type MakePartner = (options?: {
  deals?: DealRecord[]
  scopes?: readonly Scope[]
}) => Promise<TestPartner>

/** Returns a function that creates partners in this database. */
export function makePartner(db: Database): MakePartner {
  return async ({ deals = [], scopes } = {}) => {
    const slug = `p${crypto.randomUUID()}`
    const { id } = (await insertPartner(db, slug, 'A partner of a test'))!
    const { token } = await issueToken(db, {
      partnerId: id,
      name: 'test',
      expiresAt: null,
      ...(scopes === undefined ? {} : { scopes }),
    })
    await writeDeals(
      db,
      deals.map((record) => ({ record, partnerId: id })),
      { now: new Date(), events: true },
    )
    return { id, slug, token }
  }
}

/** Returns a function that creates internal tokens in this database. */
export const makeInternalToken = (db: Database) => async () =>
  (await issueToken(db, { partnerId: null, name: 'test', expiresAt: null })).token
