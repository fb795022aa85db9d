import { isIPv6 } from 'node:net'

/** A rate: `burst` at once, then one every `everyMs`. */
interface Rate {
  burst: number
  everyMs: number
}

/** Limits of anonymous callers, per network and in total. */
export const anonymousRates = {
  /** Requests for a link by e-mail. */
  'link-request': { network: { burst: 20, everyMs: 30_000 }, whole: { burst: 200, everyMs: 200 } },
  /** Sign-ins by password, link or provider, and opened links. */
  'sign-in': { network: { burst: 200, everyMs: 1000 }, whole: { burst: 1000, everyMs: 20 } },
} as const satisfies Record<string, { network: Rate; whole: Rate }>

type AnonymousWork = keyof typeof anonymousRates

/** Maximum networks tracked per kind of work. The least recent is dropped: its allowance is full again. */
export const networksMax = 10_000

/**
 * Counts the work of anonymous callers in memory, so that excess work never reaches the database. Each count
 * is the time at which its allowance is full again (generic cell rate algorithm, ITU-T I.371).
 */
export class AnonymousLimit {
  readonly #counts = new Map<AnonymousWork, { whole: number; networks: Map<string, number> }>()

  /**
   * Counts work of a client at a monotonic time in milliseconds. Returns 0, or the seconds to wait if it
   * exceeds the limit and was not counted.
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

  /** Returns the number of networks tracked. */
  networkCount(work: AnonymousWork): number {
    return this.#counts.get(work)?.networks.size ?? 0
  }
}

const waitOf = ({ burst, everyMs }: Rate, fullAt: number, nowMs: number) =>
  fullAt + everyMs - nowMs - burst * everyMs

/** Returns the network that one client controls: a /64 of IPv6, or a single IPv4 address. */
export function networkOf(ipAddress: string): string {
  if (!isIPv6(ipAddress)) return ipAddress
  const [head, tail] = ipAddress.replace(/%.*/s, '').split('::') as [string, string?]
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const [before, behind] = [groups(head), groups(tail)]
  const zeros = Array<string>(Math.max(0, 8 - before.length - behind.length)).fill('0')
  const first = [...before, ...zeros, ...behind].slice(0, 4)
  return first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
