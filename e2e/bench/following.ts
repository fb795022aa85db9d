import { randomBytes } from 'node:crypto'
import { openDatabase } from '#db/client.ts'
import { storagesOf } from '#server/files/storage.ts'
import { asCommand } from '#server/runtime/command.ts'
import { connectSource } from '#server/sources/actions.ts'
import { followSource } from '#server/sources/follow-source.ts'
import { memoryStorage } from '../crm/memory-storage.ts'
import { StandIn } from '../crm/stand-in.ts'
import { once } from './once.ts'
import { makeOurs } from './ours.ts'
import type { Site } from './site.ts'

/** The speed of following a source. */
export interface FollowingFigures {
  following(): Promise<{ firstLoadPerS: number; changesPerS: number }>
}

const unlimited = { burst: Infinity, searches: Infinity, daily: Infinity }

/** Measures a source that responds instantly, so that our cost per deal is measured instead of its limits. */
export function measureFollowing({ stack, size, say }: Site): FollowingFigures {
  return {
    following: once(async () => {
      const { sourceDeals } = size
      const counted = sourceDeals.toLocaleString('en')
      const ours = await makeOurs(stack)
      await ours.start({ WORKER: 'off' })
      const crm = new StandIn({ limits: unlimited })
      const hubspotUrl = await crm.listen()
      stack.defer(() => crm.close())
      const ids = Array.from({ length: sourceDeals }, (_, index) =>
        crm.create({ dealname: `Lopez, Ana - ${index}`, amount: String(index), city: 'Phoenix' }),
      )
      const db = openDatabase(await ours.databaseUrl(), 4)
      stack.defer(() => db.$client.end())
      const means = {
        ...asCommand({ db }),
        encryptionKey: randomBytes(32),
        hubspotUrl,
        pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
        storages: storagesOf(memoryStorage(), null),
        log: { warn: (fields: object) => say(JSON.stringify(fields)) },
      }
      const id = await connectSource(means, { kind: 'hubspot', name: 'HubSpot', secret: crm.token })
      const perS = async () => {
        const began = performance.now()
        await followSource(means, id, new AbortController().signal)
        return (sourceDeals * 1000) / (performance.now() - began)
      }
      say(`Loading ${counted} deals from a CRM`)
      const firstLoadPerS = await perS()
      const [{ count }] = (await db.$client`select count(*)::int as count from deals`) as [{ count: number }]
      if (count !== sourceDeals) throw new Error(`The source has loaded ${count} deals`)
      for (const id of ids) crm.change(id, { dealstage: '1002' })
      say(`Following ${counted} changes`)
      return { firstLoadPerS, changesPerS: await perS() }
    }),
  }
}
