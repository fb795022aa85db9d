import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from '@playwright/test'
import { openDatabase } from '#db/client.ts'
import { chromiumArguments, findChromium } from '#e2e/chromium.ts'
import { signedInUser } from '#e2e/portal-user.ts'
import { createUser } from '#server/accounts/create-user.ts'
import { findPartner } from '#server/accounts/store.ts'
import { median } from './drive.ts'
import type { Ours } from './ours.ts'

/** User-visible times of the deals page; ms. */
export interface Feel {
  /** From the start of the navigation until deals are painted; median. */
  paintMs: number
  /** From a keystroke in the search until the deals are painted; 95th percentile. */
  searchP95Ms: number
  /** From a click on a header or a filter until the deals are painted; 95th percentile. */
  filterP95Ms: number
  /** The size of the page's scripts, compressed. */
  scriptKb: number
}

/** The cost of a file of all columns of all deals. */
export interface Export {
  seconds: number
  /** Peak increase of the server's resident memory. */
  overIdleMb: number
  /** From the request until the first byte of the slowest file; ms. */
  firstByteMs: number
}

const access = { email: 'bench@bench.example', password: 'a password of the benchmark' }

/** Creates the user who views the partner's deals. */
export async function makeVisitor(ours: Ours, slug: string): Promise<void> {
  const db = openDatabase(await ours.databaseUrl(), 1)
  try {
    const partner = (await findPartner(db, slug))!
    await createUser(db, { ...access, name: 'Bench Visitor', role: 'member', partnerId: partner.id })
  } finally {
    await db.$client.end()
  }
}

/** Opens a browser in which the visitor is signed in; `port` controls it from outside. */
export async function openBrowser(
  stack: AsyncDisposableStack,
  url: string,
  port?: number,
): Promise<{ browser: Browser; context: BrowserContext }> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...chromiumArguments, ...(port === undefined ? [] : [`--remote-debugging-port=${port}`])],
  })
  stack.defer(() => browser.close())
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto('/sign-in?callbackUrl=%2Faccount')
  await page.getByLabel('E-mail address').fill(access.email)
  await page.getByLabel('Password', { exact: true }).fill(access.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/account')
  await page.close()
  return { browser, context }
}

const firstDeal = '[role=table] [role=row] a[href^="/deals/"]'

/** Uses the deals page like a person. */
export async function measureFeel(context: BrowserContext, url: string): Promise<Feel> {
  const paints: number[] = []
  for (let visit = 0; visit < 5; visit++)
    paints.push(await timePaint(context, desktop(url), '/deals', firstDeal))
  const page = await context.newPage()
  const scriptKb = await measureScripts(page)
  const searches: number[] = []
  for (const text of ['smith', 'pho', 'garcia m', '602', '85', 'w pal', 'zzz', 'nguyen'])
    searches.push(...(await timeTyping(page, text)))
  const filters: number[] = []
  for (const column of ['Amount', 'Stage', 'System', 'Deal', 'In stage', 'Last modified']) {
    for (let click = 0; click < 2; click++)
      filters.push(
        await timeAnswer(page, () =>
          page.getByRole('columnheader', { name: column, exact: true }).getByRole('button').first().click(),
        ),
      )
  }
  for (const search of [
    'stage=Permit+Submitted',
    'yes=hasBattery',
    'permitSubmitted=last-90-days',
    'amount=20000..30000',
    'lacks=fundingSubmitted',
    'state=AZ&sort=-amount',
    'createDate=2020-01-01..2020-02-01',
  ]) {
    filters.push(await timeChip(page, search))
  }
  await page.close()
  return {
    paintMs: median(paints),
    searchP95Ms: percentile95(searches),
    filterP95Ms: percentile95(filters),
    scriptKb,
  }
}

/**
 * The time from the start of the navigation until the overview is painted on a phone with slow 4G; ms,
 * median.
 */
export async function measurePhone(context: BrowserContext, url: string): Promise<number> {
  const phone: BrowserContextOptions = {
    baseURL: url,
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
  }
  const paints: number[] = []
  for (let visit = 0; visit < 3; visit++)
    paints.push(await timePaint(context, phone, '/', firstFigure, slowDown))
  return median(paints)
}

const firstFigure = 'main ul[aria-label=Money] a'

/** Slows the page down like a phone with slow 4G, with the settings of the browser's own tools. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 562.5,
    downloadThroughput: (1474.56 * 1000) / 8,
    uploadThroughput: (675 * 1000) / 8,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

const desktop = (url: string): BrowserContextOptions => ({
  baseURL: url,
  viewport: { width: 1440, height: 900 },
})

/** From the start of the navigation until this is painted, in a fresh browser. */
async function timePaint(
  visited: BrowserContext,
  options: BrowserContextOptions,
  path: string,
  painted: string,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<number> {
  const context = await visited
    .browser()!
    .newContext({ ...options, storageState: await visited.storageState() })
  const page = await context.newPage()
  await prepare(page)
  await page.addInitScript((selector) => {
    const look = () => {
      if (document.querySelector(selector) === null) requestAnimationFrame(look)
      // It is on the screen one frame after it is in the document.
      else
        requestAnimationFrame(() => {
          Object.assign(window, { paintedMs: performance.now() })
        })
    }
    look()
  }, painted)
  await page.goto(path, { waitUntil: 'commit' })
  const shown = await page.waitForFunction(() => (window as { paintedMs?: number }).paintedMs)
  const ms = (await shown.jsonValue())!
  await context.close()
  return ms
}

async function measureScripts(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Set<string>()
  let bytes = 0
  session.on(
    'Network.responseReceived',
    ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.goto('/deals', { waitUntil: 'networkidle' })
  await session.detach()
  return bytes / 1000
}

/** From each keystroke of a text until its deals appear; then clears the text. */
async function timeTyping(page: Page, text: string): Promise<number[]> {
  const search = page.getByRole('textbox', { name: 'Search deals' })
  await search.focus()
  const times: number[] = []
  for (const letter of text)
    times.push(await timeAnswer(page, () => page.keyboard.press(letter === ' ' ? 'Space' : letter)))
  await timeAnswer(page, () => page.keyboard.press('Escape'))
  return times
}

/** From removing a filter's chip on a page with this URL until the unfiltered deals appear. */
async function timeChip(page: Page, search: string): Promise<number> {
  await page.goto(`/deals?${search}`)
  await page.getByRole('textbox', { name: 'Search deals' }).waitFor()
  return timeAnswer(page, () =>
    page
      .getByRole('button', { name: /^Remove / })
      .first()
      .click(),
  )
}

/** From the user's action until the page, which then shows that it is busy, no longer does. */
async function timeAnswer(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    let began = Infinity
    for (const type of ['keydown', 'click'])
      addEventListener(
        type,
        () => {
          began = Math.min(began, performance.now())
        },
        { capture: true, once: true },
      )
    const settledMs = new Promise<number>((resolve) => {
      let frames = 0
      const look = () => {
        // The busy state is set by the frame after the event; earlier results need no wait.
        frames =
          began === Infinity || document.querySelector('search .animate-spin') !== null ? 0 : frames + 1
        if (frames > 1) resolve(performance.now() - began)
        else requestAnimationFrame(look)
      }
      look()
    })
    Object.assign(window, { settledMs })
  })
  await act()
  return page.evaluate(() => (window as unknown as { settledMs: Promise<number> }).settledMs)
}

// Background work of the start is done by then.
const restMs = 2000

const firstByteRounds = 5

/** Exports all columns of all deals from a freshly started system, because earlier work takes memory too. */
export async function measureExport(ours: Ours, slug: string, deals: number): Promise<Export> {
  await ours.stop()
  await ours.start()
  const { member, operator } = await makeExporters(ours, slug)
  // The first export loads code for all.
  await (await beginExport(ours, member, 'q=none')).response.text()
  await sleep(restMs)
  const idleMb = await ours.residentMb()
  const { response, asked } = await beginExport(ours, member, 'all=1')
  const lines = await countLines(response.body!)
  const seconds = (performance.now() - asked) / 1000
  if (lines !== deals + 1) throw new Error(`The file has ${lines} lines where ${deals + 1} were expected`)
  const overIdleMb = (await ours.peakMb()) - idleMb
  const firstBytes: number[] = []
  for (const cookie of [member, operator])
    for (const search of ['all=1', 'all=1&yes=hasBattery&sort=-amount'])
      firstBytes.push(await timeFirstByte(ours, cookie, search))
  return { seconds, overIdleMb, firstByteMs: Math.max(...firstBytes) }
}

/** Returns the cookies of a member of the partner and of an operator. */
async function makeExporters(ours: Ours, slug: string): Promise<{ member: string; operator: string }> {
  const db = openDatabase(await ours.databaseUrl(), 1)
  try {
    const partner = (await findPartner(db, slug))!
    return {
      member: await signedInUser({ db }, 'member', partner.id),
      operator: await signedInUser({ db }, 'operator', null),
    }
  } finally {
    await db.$client.end()
  }
}

/**
 * Requests an export, retrying while the user's previous one runs; `asked` is the time of the last request.
 */
async function beginExport({ url }: Ours, cookie: string, search: string) {
  for (;;) {
    const asked = performance.now()
    const response = await fetch(`${url}/deals/export?${search}`, { headers: { Cookie: cookie } })
    if (response.status === 200) return { response, asked }
    await response.body?.cancel()
    if (response.status !== 429) throw new Error(`The export answered ${response.status}`)
    await sleep(20)
  }
}

/** Returns the median time from a request until the first byte of its file, in ms. */
async function timeFirstByte(ours: Ours, cookie: string, search: string): Promise<number> {
  const times: number[] = []
  while (times.length < firstByteRounds) {
    const { response, asked } = await beginExport(ours, cookie, search)
    const reader = response.body!.getReader()
    await reader.read()
    times.push(performance.now() - asked)
    await reader.cancel()
  }
  return median(times)
}

async function countLines(body: ReadableStream<Uint8Array>): Promise<number> {
  let lines = 0
  let end = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
    // A line end may be split across two chunks.
    const text = end + chunk
    lines += text.split('\r\n').length - 1
    end = text.endsWith('\r') ? '\r' : ''
  }
  return lines
}

function percentile95(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!
}
