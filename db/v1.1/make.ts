import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import postgres from 'postgres'
import { startEmbedded } from '../embedded.ts'

// Writes database.sql.gz: a small database as version 1.1 left it, which `upgraded.test.ts` upgrades. To make it again:
//   git worktree add ../v1.1 d569f35 && cd ../v1.1 && npm ci
//   DATA_DIR=/tmp/v1.1 npm run seed -- --deals 40
//   cd - && DATA_DIR=/tmp/v1.1 node db/v1.1/make.ts ../v1.1

const [clone, dataDir] = [process.argv[2], process.env['DATA_DIR']]
if (clone === undefined || dataDir === undefined)
  throw new Error('usage: DATA_DIR=<its data> node db/v1.1/make.ts <clone>')

const migrations = readMigrationFiles({ migrationsFolder: join(clone, 'db/migrations') })
const journal = migrations.map(({ hash, folderMillis }) => `('${hash}', ${folderMillis})`)
const lines = [
  ...migrations.flatMap(({ sql }) => sql.map((statement) => `${statement.trim().replace(/;$/, '')};`)),
  'create schema drizzle;',
  'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);',
  `insert into drizzle.__drizzle_migrations (hash, created_at) values ${journal.join(', ')};`,
  // Inserts rows without triggers and foreign keys.
  'set session_replication_role = replica;',
]
const embedded = await startEmbedded({ dataDir, database: 'partner_deals', log: () => {} })
const sql = postgres(embedded.url, { max: 1 })
try {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
  for (const { name } of tables) {
    const [row] = await sql.unsafe(`select json_agg(t)::text as rows from ${name} t`)
    if (row!['rows'] === null) continue
    lines.push(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $rows$${row!['rows']}$rows$);`,
    )
  }
  for (const { name, last } of await sql<{ name: string; last: string | null }[]>`
    select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public'`)
    if (last !== null) lines.push(`select setval('${name}', ${last});`)
} finally {
  await sql.end()
  await embedded.stop()
}
const path = join(import.meta.dirname, 'database.sql.gz')
await writeFile(path, gzipSync(lines.join('\n'), { level: 9 }), { mode: 0o600 })
process.stdout.write(`${path}: ${(await readFile(path)).length} bytes\n`)
