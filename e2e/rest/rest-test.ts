import { expect, test as base, vi } from 'vitest'
import { demoPartners } from '#db/demo/demo.ts'
import { type DemoAccess, demoAccess } from '#server/programs/demo.ts'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { secret } from './client.ts'

export { expect } from 'vitest'

// The first file of a run has to load the demo.
vi.setConfig({ testTimeout: 120_000 })

/** Tests of the REST API. Every file has its own system with demo data. */
export const test = base.extend<{
  $file: { system: LocalSystem; demo: DemoAccess & { slug: string } }
}>({
  system: [
    // The fixture needs no other, and its pattern has to be there.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const system = await openLocalSystem({ demo: true })
      await use(system)
      await system.close()
      const lines = system.output().split('\n')
      expect(lines.filter((line) => secret.test(line))).toEqual([])
    },
    { scope: 'file' },
  ],
  demo: [
    async ({ system }, use) => use({ ...(await demoAccess(system.services))!, slug: demoPartners[0]!.slug }),
    { scope: 'file' },
  ],
})
