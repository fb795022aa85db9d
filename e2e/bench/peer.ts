import postgres from 'postgres'
import { freePort } from '#db/free-port.ts'
import { dealFields, type FieldKind, personFields } from '#server/deals/deal.ts'
import { hashToken } from '#server/tokens/token.ts'
import { scriptText, startLine, waitUntil } from './process.ts'

/**
 * Starts the peer on tables of its own in our database, with the deals of a partner and one token. Returns
 * its URL.
 */
export async function startPeer(
  stack: AsyncDisposableStack,
  databaseUrl: string,
  partner: { slug: string },
  token: string,
): Promise<string> {
  await withDatabase(databaseUrl, async (sql) => {
    await sql.unsafe(createTables)
    await sql`insert into peer.tokens (id, hash, partner_id) values (1, ${hashToken(token)}, 1)`
    await sql.unsafe(copyDeals, [partner.slug])
    await sql.unsafe(copyPersons)
    await sql.unsafe(createKeys)
  })
  await settle(databaseUrl)
  const url = new URL(databaseUrl)
  url.searchParams.set('search_path', 'peer')
  const port = await freePort()
  // Our own command, so that both have the same Node flags.
  const started = startLine(
    stack,
    scriptText('start').replace('server/main.ts', 'e2e/bench/fastify-peer.ts'),
    [],
    { PORT: String(port), DATABASE_URL: url.href, RATE_LIMIT_PER_MINUTE: '1000000000' },
    ['ignore', 'ignore', 'pipe'],
  )
  await waitUntil(started, 'The peer', async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
  return `http://127.0.0.1:${port}`
}

/** Makes a database do its background work now instead of during the measurement. */
export async function settle(url: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    await sql`vacuum analyze`
    await sql`checkpoint`
  })
}

/** Runs work on its own connection. */
async function withDatabase<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

// The tables of the peer, in a straightforward design: one typed column per field, and a table for people. A
// deal has the ids of its people.

type Columns = [name: string, kind: FieldKind][]

const columnsOf = (fields: Readonly<Record<string, { kind: FieldKind }>>): Columns =>
  Object.entries(fields).map(([name, { kind }]) => [name, kind])

const dealColumns = columnsOf(dealFields)
const roles = dealColumns.filter(([, kind]) => kind === 'person').map(([name]) => name)

const types: Record<FieldKind, string> = {
  int64: 'bigint',
  text: 'text',
  double: 'double precision',
  money: 'double precision',
  flag: 'boolean',
  time: 'timestamptz',
  person: 'bigint',
}

const define = (columns: Columns, more: Partial<typeof types> = {}) =>
  columns.map(([name, kind]) => `"${name}" ${{ ...types, ...more }[kind]}`).join(', ')

const createTables = `
  create schema peer;
  create table peer.tokens (id integer primary key, hash text not null unique, partner_id integer not null, expires_at timestamptz, revoked_at timestamptz);
  create table peer.persons (${define(columnsOf(personFields))});
  create table peer.deals (partner_id integer not null, ${define(dealColumns)});
  create table peer.people (person jsonb)`

const copyDeals = `
  with deal as (
    select record.* from public.deals
    cross join jsonb_to_record(json::jsonb) as record (${define(dealColumns, { person: 'jsonb' })})
    where partner_id = (select id from public.partners where slug = $1)),
  copied as (
    insert into peer.deals
    select 1, ${dealColumns.map(([name, kind]) => (kind === 'person' ? `("${name}"->>'id')::bigint` : `"${name}"`)).join(', ')} from deal)
  insert into peer.people select distinct role.person from deal cross join lateral unnest(array[${roles.map((name) => `"${name}"`).join(', ')}]) as role (person)`

const copyPersons = `
  insert into peer.persons
  select distinct on (copy.id) copy.* from peer.people cross join jsonb_populate_record(null::peer.persons, person) as copy
  where copy.id is not null`

/** Returns the statements to run after loading the data. */
const createKeys = `
  alter table peer.persons add primary key (id);
  alter table peer.deals add primary key (id);
  create index on peer.deals (partner_id, id);
  drop table peer.people;
  ${roles.map((name) => `alter table peer.deals add foreign key ("${name}") references peer.persons (id);`).join('\n')}`
