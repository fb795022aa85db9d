import { freePort } from '#db/free-port.ts'
import { readJson } from './drive.ts'
import { type FilledSystem, benchPartner } from './filled-system.ts'
import { lowestScore } from './lighthouse.ts'
import { once } from './once.ts'
import {
  type Export,
  type Feel,
  makeVisitor,
  measureExport,
  measureFeel,
  measurePhone,
  openBrowser,
} from './portal.ts'
import type { Site } from './site.ts'

/** Measurements in a browser. */
export interface BrowsingFigures {
  /** Response times of the deals page in a browser. */
  feel(): Promise<Feel>
  /** How long a phone on slow 4G takes to paint the overview; ms. */
  phoneMs(): Promise<number>
  /** The cost of a file of all deals. */
  exported(): Promise<Export>
  /** The lowest Lighthouse score of sign-in, deals and a deal. */
  lighthouse(): Promise<number>
}

export function measureBrowsing({ stack, size, say }: Site, filled: FilledSystem): BrowsingFigures {
  const browser = once(async () => {
    const ours = await filled.loaded()
    say('Opening a browser')
    await makeVisitor(ours, benchPartner.slug)
    const port = await freePort()
    return { ...(await openBrowser(stack, ours.url, port)), port }
  })

  const feel = once(async () => {
    const { context } = await browser()
    say('Looking for deals in the browser')
    return measureFeel(context, (await filled.loaded()).url)
  })

  const phoneMs = once(async () => {
    const { context } = await browser()
    say('Opening the overview on a slow phone')
    return measurePhone(context, (await filled.loaded()).url)
  })

  const exported = once(async () => {
    const ours = await filled.loaded()
    say('Making a file of all deals')
    return measureExport(ours, benchPartner.slug, size.deals)
  })

  const lighthouse = once(async () => {
    const { context, port } = await browser()
    const { url } = await filled.loaded()
    say('Asking Lighthouse')
    const [first] = ((await readJson(filled.listPage(1))) as { deals: { id: number }[] }).deals
    const scores: number[] = []
    // The first pages without a cookie: they redirect signed-in users.
    for (const [path, asWhom] of [
      ['/sign-in', await context.browser()!.newContext()],
      ['/deals', context],
      [`/deals/${first!.id}`, context],
    ] as const)
      scores.push(await lowestScore(asWhom, port, `${url}${path}`))
    return Math.min(...scores)
  })

  return { feel, phoneMs, exported, lighthouse }
}
