import { setTimeout as sleep } from 'node:timers/promises'
import { type Page, chromium } from '@playwright/test'
import { chromiumArguments, findChromium } from '#e2e/chromium.ts'
import { signedInUser } from '#e2e/portal-user.ts'
import { median, percentile95, send } from './drive.ts'
import { searches } from './portal-calls.ts'
import { type Filled, type Loaded, type Site, once } from './site.ts'

/** Returns the measurements of the portal in a browser, and of an export of all deals. */
export function measurePortal({ stack, size, say }: Site, filled: Filled) {
  const feel = once(async () => {
    const ours = await filled.loaded()
    say('Searching deals in a browser')
    return measureFeel(await startBrowser(stack, ours))
  })
  return {
    dealsPaintMs: async () => median((await feel()).paints),
    searchP95Ms: async () => percentile95((await feel()).searches),
    async exportOverIdleMb() {
      const ours = await filled.loaded()
      say('Exporting all deals')
      return measureExport(ours, size.deals)
    },
  }
}

/** Starts a browser. Returns a function that opens a page with a member's session in a new context. */
async function startBrowser(stack: AsyncDisposableStack, ours: Loaded): Promise<() => Promise<Page>> {
  const executablePath = await findChromium()
  const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] })
  stack.defer(() => browser.close())
  const [name, value] = (await memberCookie(ours)).split('=') as [string, string]
  return async () => {
    const context = await browser.newContext({ baseURL: ours.url, viewport: { width: 1440, height: 900 } })
    await context.addCookies([{ name, value, url: ours.url, httpOnly: true, sameSite: 'Lax' }])
    return context.newPage()
  }
}

/** Creates a member of the partner. Returns the `Cookie` header of the member's session. */
export const memberCookie = (ours: Loaded): Promise<string> =>
  signedInUser({ db: ours.db() }, 'member', ours.party.id)

const firstDeal = '[role=table] [role=row] a[href^="/deals/"]'

/**
 * Uses the deals page like a person. Returns the time in ms until deals are painted, for each visit and each
 * keystroke.
 */
async function measureFeel(open: () => Promise<Page>) {
  const paints: number[] = []
  while (paints.length < 5) paints.push(await timePaint(await open()))
  const page = await open()
  await page.goto('/deals', { waitUntil: 'networkidle' })
  const typed: number[] = []
  for (const text of searches) typed.push(...(await timeTyping(page, text)))
  await page.close()
  return { paints, searches: typed }
}

/** Returns the time from the start of navigation until deals are painted, then closes the page. */
async function timePaint(page: Page): Promise<number> {
  await page.addInitScript((selector) => {
    const look = () => {
      if (document.querySelector(selector) === null) return requestAnimationFrame(look)
      // Painting happens one frame after the element is inserted.
      return requestAnimationFrame(() => Object.assign(window, { paintedMs: performance.now() }))
    }
    look()
  }, firstDeal)
  await page.goto('/deals', { waitUntil: 'commit' })
  const painted = await page.waitForFunction(() => (window as { paintedMs?: number }).paintedMs)
  const ms = (await painted.jsonValue())!
  await page.context().close()
  return ms
}

/** Types a string and waits for its deals after every keystroke, then clears the text. Returns the times. */
async function timeTyping(page: Page, text: string): Promise<number[]> {
  const search = page.getByRole('textbox', { name: 'Search deals' })
  await search.focus()
  const times: number[] = []
  for (const letter of text) times.push(await timeKey(page, letter === ' ' ? 'Space' : letter))
  await timeKey(page, 'Escape')
  return times
}

/** Returns the time from a keystroke until the page is no longer busy. */
async function timeKey(page: Page, key: string): Promise<number> {
  await page.evaluate(() => {
    let began = Infinity
    const start = () => {
      began = performance.now()
    }
    addEventListener('keydown', start, { capture: true, once: true })
    const settledMs = new Promise<number>((resolve) => {
      let frames = 0
      const look = () => {
        // The busy state appears one frame after the event. If results arrive before that, it never appears.
        frames =
          began === Infinity || document.querySelector('search .animate-spin') !== null ? 0 : frames + 1
        if (frames > 1) resolve(performance.now() - began)
        else requestAnimationFrame(look)
      }
      look()
    })
    Object.assign(window, { settledMs })
  })
  await page.keyboard.press(key)
  return page.evaluate(() => (window as unknown as { settledMs: Promise<number> }).settledMs)
}

// Enough time for background work after the start.
const restMs = 2000

const lineFeed = 10

/**
 * Exports all columns of all deals from a newly started system, because earlier work would use memory, too.
 */
async function measureExport(ours: Loaded, deals: number): Promise<number> {
  await ours.restart()
  const cookie = await memberCookie(ours)
  const request = (search: string) =>
    send({ url: `${ours.url}/deals/export?${search}`, headers: { cookie }, status: 200 })
  // Warm-up: the first export loads code.
  await (await request('q=none')).text()
  await sleep(restMs)
  const idleMb = await ours.residentMb()
  let lines = 0
  for await (const chunk of (await request('all=1')).body!)
    for (const byte of chunk) if (byte === lineFeed) lines++
  if (lines !== deals + 1) throw new Error(`Expected ${deals + 1} lines in the export, got ${lines}`)
  return (await ours.peakMb()) - idleMb
}
