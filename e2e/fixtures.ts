import { test as base } from '@playwright/test'
import { demoPartners } from '#db/demo/demo.ts'
import { findPartner } from '#server/accounts/store.ts'
import { demoAccess, type DemoAccess } from '#server/programs/demo.ts'
import { type RunningSystem, startSystem } from './system.ts'

export { expect } from '@playwright/test'

/** Demo accounts of a running system, and their partner's slug. */
export type Demo = DemoAccess & { slug: string }

type Use = (system: RunningSystem) => Promise<void>

/**
 * Runs the product with demo data for the tests of one worker. A test file that extends `test` again gets its
 * own worker and data.
 */
export const demonstration: [(_: object, use: Use) => Promise<void>, { scope: 'worker'; timeout: number }] = [
  // Playwright reads the names of fixtures from this pattern, so an empty one is required.
  // oxlint-disable-next-line no-empty-pattern
  async ({}, use) => {
    const system = await startSystem({ env: { DEMO: 'on' } })
    await use(system)
    await system.dispose()
  },
  { scope: 'worker', timeout: 120_000 },
]

/** Tests against a running product with demo data, one product per worker. */
export const test = base.extend<{ demo: Demo }, { system: RunningSystem }>({
  system: demonstration,
  demo: async ({ system }, use) => {
    const access = await demoAccess({ db: system.db, config: { dataDir: system.dataDir } })
    const slug = demoPartners[0]!.slug
    if (access === null || (await findPartner(system.db, slug)) === undefined)
      throw new Error('The demonstration is not loaded')
    await use({ ...access, slug })
  },
  baseURL: async ({ system }, use) => use(system.url),
})
