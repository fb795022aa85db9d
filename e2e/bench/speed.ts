import { createHash } from 'node:crypto'
import postgres from 'postgres'

// Long enough to average out short bursts of other load.
const durationMs = 500
const atOnce = 8
const connections = 4

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
  const sql = postgres(databaseUrl, { max: connections, onnotice: () => {} })
  try {
    await Promise.all(Array.from({ length: connections }, () => sql`select 1`))
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
