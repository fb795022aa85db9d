import {
  type Burst,
  type Drains,
  type OldRowsRatios,
  compareBursts,
  compareDrains,
  compareImports,
  compareOldRows,
  makeSender,
} from './deliveries.ts'
import { once } from './once.ts'
import { makeParty } from './party.ts'
import { startReceiver } from './receipts.ts'
import type { Site } from './site.ts'

/** Measurements on a system that sends events. */
export interface SendingFigures {
  /**
   * The time of an import of changed deals with sent events, or with a disabled worker, relative to one
   * without.
   */
  importsWithEvents(worker: 'on' | 'off'): Promise<number>
  /** The delivery rates. */
  drains(): Promise<Drains>
  /** The effect of a burst of notifications on deliveries. */
  notifyBurst(): Promise<Burst>
  /** The effects of a million old events. */
  oldRows(): Promise<OldRowsRatios>
}

const oldRowCount = 1_000_000

export function measureSending({ stack, size, say }: Site): SendingFigures {
  const { partyDeals } = size
  const receiver = once(() => startReceiver(stack))

  const sender = once(async () => {
    say('Starting another system, which sends events')
    return makeSender(stack, await receiver(), partyDeals)
  })

  const quiet = once(async () => makeParty((await sender()).ours, 'quiet', partyDeals, 30_000_000_000n))
  const dead = once(async () => makeParty((await sender()).ours, 'dead', partyDeals, 40_000_000_000n))

  async function importsWithEvents(worker: 'on' | 'off'): Promise<number> {
    const [from, beside] = [await sender(), await quiet()]
    say(`Importing with and without addresses in turn, the worker ${worker}`)
    return compareImports(from, beside, worker)
  }

  const drains = once(async () => {
    const [from, beside] = [await sender(), await dead()]
    say('Sending events alone and beside a receiver that never answers in turn')
    return compareDrains(from, beside, size.drains)
  })

  const notifyBurst = once(async () => {
    const from = await sender()
    const followed = await makeParty(from.ours, 'followed', partyDeals, 50_000_000_000n)
    say('Sending events alone and while the followers of as many changes are told in turn')
    return compareBursts(from, followed, size.drains)
  })

  const oldRows = once(async () => {
    const young = await sender()
    say(`Making a system with ${oldRowCount.toLocaleString('en')} old events`)
    const old = await makeSender(stack, await receiver(), partyDeals, oldRowCount)
    say('Importing, sending and reading the log on both in turn')
    return compareOldRows(old, young)
  })

  return { importsWithEvents, drains, notifyBurst, oldRows }
}
