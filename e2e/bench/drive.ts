import { createHash } from 'node:crypto'
import autocannon from 'autocannon'
import postgres from 'postgres'

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

// Long enough to average out short bursts of other load.
const durationMs = 500
const atOnce = 8
const speedConnections = 4

// Iterations per second on a machine with speed 1.
const referencePerS = 8000

const text = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({
    id,
    name: `Deal ${id}`,
    amount: id * 1.5,
    stage: 'Permit Submitted',
  })),
)

/**
 * Measures how fast this machine currently is. The floors of rates assume a machine with speed 1. A fixed mix
 * of JSON, hashes, queries and commits keeps this process and PostgreSQL busy, like the figures do.
 */
export async function measureSpeed(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: speedConnections, onnotice: () => {} })
  try {
    await Promise.all(Array.from({ length: speedConnections }, () => sql`select 1`))
    const began = performance.now()
    let steps = 0
    const work = async () => {
      for (; performance.now() - began < durationMs; steps++) await step(sql, steps)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return ((steps / (performance.now() - began)) * 1000) / referencePerS
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function step(sql: postgres.Sql, number: number): Promise<void> {
  const [row] = await sql<[{ text: string }]>`
    select ${text} || sum(hashtext(n::text)) as text from generate_series(1, 300) n`
  createHash('sha256')
    .update(JSON.stringify(JSON.parse(row.text.slice(0, text.length))))
    .digest()
  // A commit that must be written to disk but leaves no data behind.
  if (number % 4 === 0) await sql`select pg_logical_emit_message(true, 'bench', 'x')`
}
