import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { freePort } from '#db/free-port.ts'
import { pageSize } from './deal-file.ts'
import { type Comparison, type Target, compare, compareCrowds, readJson, send, timeInTurn } from './drive.ts'
import type { FilledSystem } from './filled-system.ts'
import { once } from './once.ts'
import { startPeer } from './peer.ts'
import { scriptText, startLine, waitUntil } from './process.ts'
import type { Site } from './site.ts'

/** The speed of list pages. */
export interface ListingFigures {
  /** An unchanged page, relative to the peer's. */
  listBesidePeer(): Promise<Comparison>
  /** The same without the response cache. */
  freshListBesidePeer(): Promise<Comparison>
  /** An unchanged page relative to a constant response of its size. */
  listBesideConstant(): Promise<Comparison>
  /** A 304 relative to a constant 304. */
  notModifiedBesideConstant(): Promise<Comparison>
  /**
   * The share of its rate that the list keeps at 1,000 connections instead of 50, relative to a constant
   * response.
   */
  crowdBesideConstant(): Promise<number>
  /** The ratio of the last page's time to the first's, uncached. */
  lastPageVsFirst(): Promise<number>
}

/** Returns the same request for another server. */
function at(url: string, target: Target): Target {
  const { pathname, search } = new URL(target.url)
  return { ...target, url: `${url}${pathname}${search}` }
}

/** The measured page of the list. */
const drivenPage = 4

export function measureListing({ stack, size, say }: Site, filled: FilledSystem): ListingFigures {
  const ours = async () => {
    await filled.loaded()
    return filled.listPage(drivenPage)
  }

  const peer = once(async () => {
    const databaseUrl = await (await filled.loaded()).databaseUrl()
    say('Loading the peer')
    const { url } = await startPeer(stack, databaseUrl, (await filled.file()).path, filled.token())
    const our = await ours()
    const [ourPage, theirPage] = await Promise.all([readJson(our), readJson(at(url, our))])
    if (!isDeepStrictEqual(ourPage, theirPage))
      throw new Error('The peer answers with another page than ours')
    return url
  })

  const constant = once(async () => {
    const bodyFile = join((await filled.loaded()).directory, 'page.json')
    await writeFile(bodyFile, await (await send(await ours())).text())
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const line = scriptText('start').replace('server/main.ts', 'e2e/bench/constant-peer.ts')
    const started = startLine(stack, line, [], { PORT: String(port), BODY_FILE: bodyFile }, 'ignore')
    await waitUntil(started, 'The constant', async () => (await fetch(url)).ok)
    return url
  })

  async function compareWith(other: () => Promise<string>, words: string, more: Partial<Target> = {}) {
    const url = await other()
    const our = await ours()
    say(words)
    const target = { ...our, ...more, headers: { ...our.headers, ...more.headers } }
    return compare(target, at(url, target), size.pace)
  }

  return {
    listBesidePeer: once(() => compareWith(peer, 'Driving the list of both in turn')),
    freshListBesidePeer: once(() =>
      withoutKeeping(filled, () => compareWith(peer, 'Driving the list of both in turn, no page kept')),
    ),
    listBesideConstant: once(() => compareWith(constant, 'Driving the list and a constant in turn')),
    async notModifiedBesideConstant() {
      const etag = (await send(await ours())).headers.get('etag')!
      const held = { headers: { 'If-None-Match': etag }, status: 304 }
      return compareWith(constant, 'Driving 304s and constant ones in turn', held)
    },
    async crowdBesideConstant() {
      const [url, our] = [await constant(), await ours()]
      say('Driving the list and a constant over 1,000 and 50 connections in turn')
      return compareCrowds(our, at(url, our))
    },
    lastPageVsFirst: () =>
      withoutKeeping(filled, async () => {
        // The last full page: a shorter one takes less.
        const last = filled.listPage(Math.floor(size.deals / pageSize))
        const [lastMs, firstMs] = await timeInTurn(last, filled.listPage(1))
        return lastMs / firstMs
      }),
  }
}

/** Runs the work while the system's response cache is off. */
async function withoutKeeping<T>(filled: FilledSystem, work: () => Promise<T>): Promise<T> {
  const system = await filled.loaded()
  await system.stop()
  await system.start({ PAGE_CACHE_MB: '0' })
  const result = await work()
  await system.stop()
  await system.start()
  return result
}
