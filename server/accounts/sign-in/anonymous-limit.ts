import { isIPv6 } from 'node:net'

/** A rate limit: `burst` calls immediately, then one call every `everyMs`. */
interface Rate {
  burst: number
  everyMs: number
}

/** Limits for anonymous callers, per network and in total. */
export const anonymousRates = {
  /** Links requested by e-mail address. */
  'link-request': { network: { burst: 20, everyMs: 30_000 }, whole: { burst: 200, everyMs: 200 } },
  /** Sign-ins with a password, link or provider, and opened links. */
  'sign-in': { network: { burst: 200, everyMs: 1000 }, whole: { burst: 1000, everyMs: 20 } },
} as const satisfies Record<string, { network: Rate; whole: Rate }>

type AnonymousWork = keyof typeof anonymousRates

/**
 * Maximum number of networks tracked per kind of work. Beyond this number, the least recently active network
 * is forgotten; by then its full burst is available again.
 */
export const networksMax = 10_000

/**
 * Counts the work of anonymous callers in memory, so that excess work never reaches the database. For each
 * counter, stores only the time at which its full burst is available again (generic cell rate algorithm,
 * ITU-T I.371).
 */
export class AnonymousLimit {
  readonly #counts = new Map<AnonymousWork, { whole: number; networks: Map<string, number> }>()

  /**
   * Counts work of a client at `nowMs`, a monotonic time in milliseconds. Returns 0 if the work is allowed.
   * Otherwise does not count the work and returns the number of seconds to wait.
   */
  countWork(work: AnonymousWork, ipAddress: string | null, nowMs: number): number {
    const rates = anonymousRates[work]
    const counts = this.#counts.get(work) ?? { whole: nowMs, networks: new Map<string, number>() }
    this.#counts.set(work, counts)
    const network = networkOf(ipAddress ?? '')
    const own = Math.max(counts.networks.get(network) ?? nowMs, nowMs)
    const whole = Math.max(counts.whole, nowMs)
    const waitMs = Math.max(waitOf(rates.network, own, nowMs), waitOf(rates.whole, whole, nowMs))
    if (waitMs > 0) return Math.ceil(waitMs / 1000)
    counts.whole = whole + rates.whole.everyMs
    counts.networks.delete(network)
    counts.networks.set(network, own + rates.network.everyMs)
    if (counts.networks.size > networksMax) counts.networks.delete(counts.networks.keys().next().value!)
    return 0
  }

  /** Returns the number of tracked networks. */
  networkCount(work: AnonymousWork): number {
    return this.#counts.get(work)?.networks.size ?? 0
  }
}

const waitOf = ({ burst, everyMs }: Rate, fullAt: number, nowMs: number) =>
  fullAt + everyMs - nowMs - burst * everyMs

/**
 * Returns the network that a single client is assumed to control: a /64 network for IPv6, or a single IPv4
 * address.
 */
export function networkOf(ipAddress: string): string {
  if (!isIPv6(ipAddress)) return ipAddress
  const [head, tail] = ipAddress.replace(/%.*/s, '').split('::') as [string, string?]
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const [before, behind] = [groups(head), groups(tail)]
  const zeros = Array<string>(Math.max(0, 8 - before.length - behind.length)).fill('0')
  const first = [...before, ...zeros, ...behind].slice(0, 4)
  return first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
