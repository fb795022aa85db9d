import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agreementPdf, demoDeals, demoPartners } from '#db/demo/demo.ts'
import { findAccess } from './access.ts'
import { createPartner, findPartner } from './accounts/store.ts'
import { writeDeals } from './deals/deal-writer.ts'
import { insertFile } from './files/store.ts'
import type { Services } from './services.ts'
import { createToken } from './tokens/create-token.ts'
import { hashToken } from './tokens/token.ts'

/** How to get into the demonstration: an admin of its first partner, and a token of that partner. */
export interface DemoAccess {
  email: string
  password: string
  token: string
}

/** Loads the demonstration data and makes the means of access to it; partners that are there already stay as they are. */
export async function loadDemo(services: Services): Promise<DemoAccess> {
  for (const demo of demoPartners) {
    const partner = await createPartner(services.db, demo.slug, demo.name)
    if (partner !== undefined) await loadDeals(services, demo, partner.id)
  }
  return await demoAccess(services) ?? makeAccess(services)
}

async function loadDeals({ db, storage }: Services, demo: (typeof demoPartners)[number], partnerId: number): Promise<void> {
  const now = new Date()
  const deals = [...demoDeals({ partner: demo, count: demo.deals, firstId: demo.firstId, now })]
  for (let start = 0; start < deals.length; start += 250) {
    const batch = deals.slice(start, start + 250)
    await writeDeals(db, batch.map((deal) => ({ record: deal, partnerId })), { now, events: false })
    for (const deal of batch) {
      if (deal.hicAgreement === null) continue
      const content = agreementPdf(deal)
      await storage.put(deal.hicAgreement, content)
      await insertFile(db, { id: deal.hicAgreement, dealId: deal.id, name: `Agreement ${deal.lastName}.pdf`, type: 'application/pdf', sizeBytes: content.length })
    }
  }
}

const accessPath = (services: Services) => join(services.config.dataDir, 'demo-access.json')

async function makeAccess(services: Services): Promise<DemoAccess> {
  const partner = (await findPartner(services.db, demoPartners[0]!.slug))!
  const { token } = await createToken(services.db, { partnerId: partner.id, name: 'Demonstration', expiresAt: null })
  const access = { email: `demo@${partner.slug}.example`, password: randomBytes(9).toString('base64url'), token }
  await writeFile(accessPath(services), JSON.stringify(access), { mode: 0o600 })
  return access
}

/** The means of access to the demonstration, as long as its token is not revoked. */
export async function demoAccess(services: Services): Promise<DemoAccess | null> {
  const text = await readFile(accessPath(services), 'utf8').catch(() => null)
  if (text === null) return null
  const access = JSON.parse(text) as DemoAccess
  return (await findAccess(services.db, [hashToken(access.token)])).size === 0 ? null : access
}
