import { describeBrowser } from '../accounts/sign-in/browser.ts'

const wordMax = 40

/**
 * Returns what people call the client that calls itself so: a browser by its name, a program by its first
 * word, such as `curl`; null when it says nothing.
 */
export function describeAgent(agent: string): string | null {
  if (agent.startsWith('Mozilla/')) return describeBrowser(agent)
  return /^[^\s/]+/.exec(agent.trim())?.[0].slice(0, wordMax) ?? null
}
