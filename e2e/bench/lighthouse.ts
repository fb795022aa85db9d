import type { BrowserContext } from '@playwright/test'
import lighthouse, { desktopConfig } from 'lighthouse'

/** What is judged. */
const categories = ['performance', 'accessibility', 'best-practices']

/** Lighthouse's lowest score of a page, 0 to 100, for whoever is signed in with the context's cookies. Chromium listens at `port`. */
export async function lowestScore(context: BrowserContext, port: number, url: string): Promise<number> {
  const cookies = await context.cookies(url)
  const result = await lighthouse(
    url,
    {
      port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: categories,
      disableStorageReset: true,
      extraHeaders: { Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
    },
    desktopConfig,
  )
  const scores = categories.map((category) => result!.lhr.categories[category]!.score)
  if (scores.includes(null) || new URL(result!.lhr.finalDisplayedUrl).pathname !== new URL(url).pathname)
    throw new Error(`Lighthouse could not judge ${url}`)
  return Math.min(...(scores as number[])) * 100
}
