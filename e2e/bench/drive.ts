import { Agent, get } from 'node:http'
import autocannon from 'autocannon'

/** A request, sent once or many times, and the status expected of every response. */
export interface Target {
  url: string
  headers: Record<string, string>
  status: number
}

const connections = 16

/** The duration and number of measurements. */
export interface Pace {
  warmUpS: number
  roundS: number
  rounds: number
}

/** Requests per second of two targets, and the ratio of the first to the second. */
export interface Comparison {
  firstPerS: number
  secondPerS: number
  ratio: number
}

/**
 * Drives two targets in alternating short rounds after a warm-up, so that other load affects both. Returns
 * medians; the ratio's is over pairs of rounds.
 */
export async function compare(
  first: Target,
  second: Target,
  { warmUpS, roundS, rounds }: Pace,
): Promise<Comparison> {
  for (const target of [first, second]) await drive(target, warmUpS)
  const pairs: [number, number][] = []
  while (pairs.length < rounds) pairs.push([await drive(first, roundS), await drive(second, roundS)])
  return {
    firstPerS: median(pairs.map(([perS]) => perS)),
    secondPerS: median(pairs.map(([, perS]) => perS)),
    ratio: median(pairs.map(([one, other]) => one / other)),
  }
}

/** Requests a second. */
async function drive({ url, headers, status }: Target, durationS: number): Promise<number> {
  const { requests, duration, errors, statusCodeStats } = await autocannon({
    url,
    headers,
    connections,
    duration: durationS,
    sampleInt: 250,
  })
  const unexpected = Object.keys(statusCodeStats).filter((code) => code !== String(status))
  if (errors > 0 || unexpected.length > 0 || requests.total === 0) {
    throw new Error(
      `${url} answered ${JSON.stringify(statusCodeStats)} with ${errors} errors where only ${status} was expected`,
    )
  }
  return requests.total / duration
}

/** More connections than a process serves at once, and enough to keep it busy. */
const crowd = { many: 1000, few: 50 }
/** Opening a thousand connections takes much of a second. */
const crowdRoundS = 6
const crowdRounds = 3

/**
 * Returns the share of successful responses per second that a target keeps at a thousand connections instead
 * of fifty, relative to another target, which accounts for machine and client; median of alternating rounds.
 * @throws Error if one of them times out, or responds with anything but the expected status and 503
 */
export async function compareCrowds(first: Target, second: Target): Promise<number> {
  const good = async ({ url, headers, status }: Target, connections: number) => {
    const { duration, errors, statusCodeStats } = await autocannon({
      url,
      headers,
      connections,
      duration: crowdRoundS,
      sampleInt: 250,
    })
    const unexpected = Object.keys(statusCodeStats).filter((code) => ![String(status), '503'].includes(code))
    if (errors > 0 || unexpected.length > 0)
      throw new Error(
        `${url} answered ${connections} connections with ${JSON.stringify(statusCodeStats)} and ${errors} errors`,
      )
    return (statusCodeStats[String(status)]?.count ?? 0) / duration
  }
  const kept = async (target: Target) => (await good(target, crowd.many)) / (await good(target, crowd.few))
  for (const target of [first, second]) await good(target, crowd.few)
  const ratios: number[] = []
  while (ratios.length < crowdRounds) ratios.push((await kept(first)) / (await kept(second)))
  return median(ratios)
}

const singles = 300
const warmUpSingles = 50

/**
 * Returns the time of one request of each in ms, sent one at a time, alternating, over one connection;
 * medians.
 */
export async function timeInTurn(first: Target, second: Target): Promise<[number, number]> {
  using agent = keepAlive()
  return await timeEach(
    () => answered(agent, first),
    () => answered(agent, second),
  )
}

/** Returns the time of each in ms, run one at a time, alternating; medians. */
export async function timeEach(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number, number][] = []
  for (let count = 0; count < warmUpSingles + singles; count++)
    times.push([await time(first), await time(second)])
  const measured = times.slice(warmUpSingles)
  return [median(measured.map(([ms]) => ms)), median(measured.map(([, ms]) => ms))]
}

function keepAlive(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function answered(agent: Agent, { url, headers, status }: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response
        .resume()
        .once('error', reject)
        .once('end', () => {
          if (response.statusCode === status) resolve()
          else reject(new Error(`${url} answered ${response.statusCode} where ${status} was expected`))
        })
    }).once('error', reject)
  })
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Sends a request once. */
export async function send({ url, headers, status }: Target): Promise<Response> {
  const response = await fetch(url, { headers })
  if (response.status !== status)
    throw new Error(`${url} answered ${response.status} where ${status} was expected`)
  return response
}

/** Sends a request once and returns the body. */
export async function readJson(target: Target): Promise<unknown> {
  return (await send(target)).json()
}
