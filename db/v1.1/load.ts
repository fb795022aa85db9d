import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import postgres from 'postgres'

/** Fills the empty database at `url` with data as left by version 1.1 (`make.ts`). */
export async function loadLastRelease(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(gunzipSync(await readFile(join(import.meta.dirname, 'database.sql.gz'))).toString())
  } finally {
    await sql.end()
  }
}
