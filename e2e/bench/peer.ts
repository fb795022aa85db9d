import postgres from 'postgres'
import { freePort } from '#db/free-port.ts'
import { dealFields, type FieldKind, personFields } from '#server/deals/deal.ts'
import { hashToken } from '#server/tokens/token.ts'
import { startScript, waitUntil } from './process.ts'

/**
 * Starts the peer on its own tables in our database, with one partner's deals and token. Returns the peer's
 * URL.
 */
export async function startPeer(
  stack: AsyncDisposableStack,
  databaseUrl: string,
  partnerId: number,
  token: string,
): Promise<string> {
  await withDatabase(databaseUrl, async (sql) => {
    await sql.unsafe(createTables)
    await sql`insert into peer.tokens (id, hash, partner_id) values (1, ${hashToken(token)}, 1)`
    await sql.unsafe(copyDeals, [partnerId])
    await sql.unsafe(createKeys)
  })
  await settle(databaseUrl)
  const url = new URL(databaseUrl)
  url.searchParams.set('search_path', 'peer')
  const port = await freePort()
  const environment = { PORT: String(port), DATABASE_URL: url.href, RATE_LIMIT_PER_MINUTE: '1000000000' }
  const started = startScript(stack, 'start', environment, [], 'e2e/bench/fastify-peer.ts')
  await waitUntil(started, 'The peer', async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
  return `http://127.0.0.1:${port}`
}

/** Makes a database do its background work now instead of during a measurement. */
export async function settle(url: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    await sql`vacuum analyze`
    await sql`checkpoint`
  })
}

async function withDatabase(url: string, work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

// The peer's tables have a simple design: one typed column per field, and a table of people to which deals
// refer.

const types: Record<FieldKind, string> = {
  int64: 'bigint',
  text: 'text',
  double: 'double precision',
  money: 'double precision',
  flag: 'boolean',
  time: 'timestamptz',
  person: 'bigint',
}

const columnsOf = (fields: Readonly<Record<string, { kind: FieldKind }>>, person = types.person) =>
  Object.entries(fields)
    .map(([name, { kind }]) => `"${name}" ${kind === 'person' ? person : types[kind]}`)
    .join(', ')

const roles = Object.entries(dealFields).flatMap(([name, { kind }]) =>
  kind === 'person' ? [`"${name}"`] : [],
)

const createTables = `
  create schema peer;
  create table peer.tokens (id integer primary key, hash text not null unique, partner_id integer not null, expires_at timestamptz, revoked_at timestamptz);
  create table peer.persons (${columnsOf(personFields)}, primary key (id));
  create table peer.deals (partner_id integer not null, ${columnsOf(dealFields)}, primary key (id))`

const copyDeals = `
  with deal as (
    select record.* from public.deals
    cross join jsonb_to_record(json::jsonb) as record (${columnsOf(dealFields, 'jsonb')})
    where partner_id = $1),
  people as (
    insert into peer.persons
    select distinct on (copy.id) copy.* from deal
    cross join unnest(array[${roles.join(', ')}]) as role (person)
    cross join jsonb_populate_record(null::peer.persons, person) as copy
    where copy.id is not null)
  insert into peer.deals
  select 1, ${Object.entries(dealFields)
    .map(([name, { kind }]) => (kind === 'person' ? `("${name}"->>'id')::bigint` : `"${name}"`))
    .join(', ')} from deal`

const createKeys = `
  create index on peer.deals (partner_id, id);
  ${roles.map((name) => `alter table peer.deals add foreign key (${name}) references peer.persons (id);`).join('\n')}`
