import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agreementPdf, demoDeals, demoPartners } from '#db/demo/demo.ts'
import { findAccess } from './access.ts'
import { createUser } from './accounts/create-user.ts'
import { createPartner, findPartner, listPartners } from './accounts/store.ts'
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

/** Whether nothing but the demonstration has ever been here, and that is not whole: a first start, or one that was cut short. */
export async function isDemoDue(services: Services): Promise<boolean> {
  const demoSlugs = new Set(demoPartners.map(({ slug }) => slug))
  return await readAccess(services) === null && (await listPartners(services.db)).every(({ slug }) => demoSlugs.has(slug))
}

/** Loads the demonstration data, unless that was done before, and makes the means of access to it. */
export async function loadDemo(services: Services): Promise<DemoAccess> {
  if (await readAccess(services) === null) {
    for (const demo of demoPartners) {
      const partner = await createPartner(services.db, demo.slug, demo.name) ?? (await findPartner(services.db, demo.slug))!
      await loadDeals(services, demo, partner.id)
    }
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
  const access = { email: `demo@${partner.slug}.example`, password: randomBytes(12).toString('base64url'), token }
  await createUser(services.db, { email: access.email, password: access.password, name: 'Dana Whitfield', role: 'admin', partnerId: partner.id })
  await writeFile(accessPath(services), JSON.stringify(access), { mode: 0o600 })
  return access
}

async function readAccess(services: Services): Promise<DemoAccess | null> {
  const text = await readFile(accessPath(services), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text) as DemoAccess
}

/** The means of access to the demonstration, as long as its token is not revoked. */
export async function demoAccess(services: Services): Promise<DemoAccess | null> {
  const access = await readAccess(services)
  return access === null || (await findAccess(services.db, [hashToken(access.token)])).size === 0 ? null : access
}
