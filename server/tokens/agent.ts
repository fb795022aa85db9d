import { describeBrowser } from '../accounts/sign-in/browser.ts'

const wordMax = 40

/**
 * Returns a short name for a `User-Agent`: the browser, or the program's first word such as `curl`; null if
 * it is empty.
 */
export function describeAgent(agent: string): string | null {
  if (agent.startsWith('Mozilla/')) return describeBrowser(agent)
  return /^[^\s/]+/.exec(agent.trim())?.[0].slice(0, wordMax) ?? null
}
