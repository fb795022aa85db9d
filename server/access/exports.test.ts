import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { endAccess } from '../accounts/access-store.ts'
import { streams } from '../api.ts'
import { suspendPartner } from '../partners/actions.ts'
import { asCommand } from '../runtime/command.ts'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem({ env: { WORKER: 'off' } })
})
afterAll(() => system.close())

let lastId = 6_000_000n

test.each(['the browser signs out', 'the partner is suspended', 'nothing happens'])(
  'an export ends within seconds when %s',
  async (what) => {
    const deals = Array.from({ length: 3000 }, () => ({ id: ++lastId }))
    const { id: partnerId, slug } = await system.makePartner({ deals })
    const context = await signedIn(system.services, { role: 'member', partnerId })
    const sort = { field: 'createDate', direction: 'asc' } as const
    const begin = await streams.createCaller(context).deals.export({ filter: {}, sort, derived: [] })
    let count = 0
    const running = begin(async (part) => {
      if (count === 0) {
        const { sessionHash } = context.actor.user
        if (what === 'the browser signs out') await endAccess(system.db, { sessionHash })
        if (what === 'the partner is suspended') await suspendPartner(asCommand(system), partnerId, slug)
        await sleep(3100)
      }
      count += part.length
    })
    if (what === 'nothing happens') {
      await running
      expect(count).toBe(deals.length)
    } else {
      await expect(running).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
      expect(count).toBeLessThan(deals.length)
    }
  },
)
