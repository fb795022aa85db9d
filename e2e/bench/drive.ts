import autocannon from 'autocannon'

/** A request and the expected status of every response. */
export interface Target {
  url: string
  headers: Record<string, string>
  status: number
}

const connections = 16

/** Duration and number of measurements. */
export interface Pace {
  warmUpS: number
  roundS: number
  rounds: number
}

/**
 * Measures two targets in short alternating rounds after a warm-up, so that other load affects both. Returns
 * the requests per second of the first target relative to the second, as the median of all pairs of rounds.
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

/** Sends requests for this long. Returns the number of requests per second. */
async function drive({ url, headers, status }: Target, durationS: number): Promise<number> {
  const options = { url, headers, connections, duration: durationS, sampleInt: 250 }
  const { requests, duration, errors, statusCodeStats } = await autocannon(options)
  if (errors > 0 || requests.total === 0 || Object.keys(statusCodeStats).join() !== String(status))
    throw new Error(
      `${url}: expected only ${status}, got ${JSON.stringify(statusCodeStats)}, ${errors} errors`,
    )
  return requests.total / duration
}

const singles = 300
const warmUpSingles = 50

/**
 * Sends requests to both targets alternately over persistent connections. Returns the median time of each in
 * ms.
 */
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

/** Returns the median. For an even number of values, returns the larger of the two middle values. */
export const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Returns the 95th percentile of the values. */
export const percentile95 = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!

/** Sends a request once. Returns the response. */
export async function send({ url, headers, status }: Target): Promise<Response> {
  const response = await fetch(url, { headers })
  if (response.status !== status) throw new Error(`${url}: expected ${status}, got ${response.status}`)
  return response
}

/** Sends a request once. Returns the parsed body. */
export const readJson = async (target: Target): Promise<unknown> => (await send(target)).json()
