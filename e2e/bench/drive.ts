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

/**
 * Drives two targets in alternating short rounds after a warm-up, so that other load affects both. Returns
 * the requests per second of the first relative to the second; the median over pairs of rounds.
 */
export async function compare(
  first: Target,
  second: Target,
  { warmUpS, roundS, rounds }: Pace,
): Promise<number> {
  for (const target of [first, second]) await drive(target, warmUpS)
  const ratios: number[] = []
  while (ratios.length < rounds) ratios.push((await drive(first, roundS)) / (await drive(second, roundS)))
  return median(ratios)
}

/** Returns the requests per second. */
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

const singles = 300
const warmUpSingles = 50

/** Returns the median ms of one request of each, sent one at a time, alternating, over a kept connection. */
export async function timeInTurn(first: Target, second: Target): Promise<[number, number]> {
  const time = async (target: Target) => {
    const began = performance.now()
    await (await send(target)).arrayBuffer()
    return performance.now() - began
  }
  const times: [number, number][] = []
  for (let count = 0; count < warmUpSingles + singles; count++)
    times.push([await time(first), await time(second)])
  const measured = times.slice(warmUpSingles)
  return [median(measured.map(([ms]) => ms)), median(measured.map(([, ms]) => ms))]
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Returns the 95th percentile. */
export function percentile95(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!
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
