import { isDeepStrictEqual } from 'node:util'
import { pageSize } from './deal-file.ts'
import { type Target, compare, readJson, timeInTurn } from './drive.ts'
import { type FilledSystem, benchPartner } from './filled-system.ts'
import { startPeer } from './peer.ts'
import { type Site, once } from './site.ts'

/** Returns the same request for another server. */
function at(url: string, target: Target): Target {
  const { pathname, search } = new URL(target.url)
  return { ...target, url: `${url}${pathname}${search}` }
}

/** The measured page of the list. */
const drivenPage = 4

/** Returns the measurements of list pages. */
export function measureListing({ stack, size, say }: Site, filled: FilledSystem) {
  const peer = once(async () => {
    const databaseUrl = await (await filled.loaded()).databaseUrl()
    say('Loading the peer')
    const url = await startPeer(stack, databaseUrl, benchPartner, filled.token())
    const our = filled.listPage(drivenPage)
    const [ourPage, theirPage] = await Promise.all([readJson(our), readJson(at(url, our))])
    if (!isDeepStrictEqual(ourPage, theirPage))
      throw new Error('The peer answers with another page than ours')
    return url
  })

  async function besidePeer(): Promise<number> {
    const url = await peer()
    say('Driving the list of both in turn')
    const our = filled.listPage(drivenPage)
    return compare(our, at(url, our), size.pace)
  }

  /** Runs the work while the system's response cache is off. */
  async function withoutCache(work: () => Promise<number>): Promise<number> {
    const system = await filled.loaded()
    await system.restart({ PAGE_CACHE_MB: '0' })
    const result = await work()
    await system.restart()
    return result
  }

  return {
    listVsFastify: besidePeer,
    freshListVsFastify: async () => (await peer(), withoutCache(besidePeer)),
    lastPageVsFirst: () =>
      withoutCache(async () => {
        // The last full page: a shorter one takes less.
        const last = filled.listPage(Math.floor(size.deals / pageSize))
        const [lastMs, firstMs] = await timeInTurn(last, filled.listPage(1))
        return lastMs / firstMs
      }),
  }
}
