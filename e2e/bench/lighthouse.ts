import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BrowserContext } from '@playwright/test'

/** Fetched on demand: it would be a tenth of everybody's installation. */
const lighthouse = 'lighthouse@13.5.0'

/** The Lighthouse categories. */
const categories = ['performance', 'accessibility', 'best-practices']

/** The part of Lighthouse's report that is used. */
interface Report {
  finalDisplayedUrl: string
  categories: Record<string, { score: number | null }>
}

/**
 * Returns Lighthouse's lowest score of a page, 0 to 100, with the context's cookies. Chromium listens at
 * `port`.
 */
export async function lowestScore(context: BrowserContext, port: number, url: string): Promise<number> {
  const cookies = await context.cookies(url)
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      lighthouse,
      url,
      `--port=${port}`,
      '--output=json',
      '--quiet',
      '--preset=desktop',
      `--only-categories=${categories.join(',')}`,
      '--disable-storage-reset',
      `--extra-headers=${JSON.stringify({
        Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      })}`,
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  )
  const report = JSON.parse(stdout) as Report
  const scores = categories.map((category) => report.categories[category]!.score)
  if (scores.includes(null) || new URL(report.finalDisplayedUrl).pathname !== new URL(url).pathname)
    throw new Error(`Lighthouse could not judge ${url}`)
  return Math.min(...(scores as number[])) * 100
}
