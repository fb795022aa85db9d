import { isDeepStrictEqual } from 'node:util'
import { pageSize } from './deal-file.ts'
import { type Target, compare, readJson, timeInTurn } from './drive.ts'
import { startPeer } from './peer.ts'
import { type FilledSystem, type Site, once } from './site.ts'

/** The page of the list that is measured. */
const drivenPage = 4

/** Returns the measurements of list pages. */
export function measureListing({ stack, size, say }: Site, filled: FilledSystem) {
  const peer = once(async () => {
    const { databaseUrl, party, listPage } = await filled.loaded()
    say('Loading the peer')
    const origin = await startPeer(stack, await databaseUrl(), party.id, party.token)
    const ours = listPage(drivenPage)
    const { pathname, search } = new URL(ours.url)
    const theirs: Target = { ...ours, url: `${origin}${pathname}${search}` }
    if (!isDeepStrictEqual(await readJson(ours), await readJson(theirs)))
      throw new Error('The peer returns another page than the product')
    return theirs
  })

  const besidePeer = async () =>
    compare((await filled.loaded()).listPage(drivenPage), await peer(), size.pace)

  /** Runs `work` while the response cache is off. */
  async function withoutCache(work: () => Promise<number>): Promise<number> {
    const { restart } = await filled.loaded()
    await restart({ PAGE_CACHE_MB: '0' })
    const result = await work()
    await restart()
    return result
  }

  return {
    listVsFastify: besidePeer,
    freshListVsFastify: async () => (await peer(), withoutCache(besidePeer)),
    lastPageVsFirst: () =>
      withoutCache(async () => {
        const { listPage } = await filled.loaded()
        // The last full page, because a shorter page would be faster.
        const last = Math.floor(size.deals / pageSize)
        const [lastMs, firstMs] = await timeInTurn(listPage(last), listPage(1))
        return lastMs / firstMs
      }),
  }
}
