import { isDeepStrictEqual } from 'node:util'
import { withOwnConnection } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import { dealFields, type FieldKind, personFields } from '#server/deals/deal.ts'
import { hashToken } from '#server/tokens/token.ts'
import { launch, untilOk } from '../system.ts'
import { type Target, compare, median, readJson, send } from './drive.ts'
import { pageSize, settle } from './ours.ts'
import { type Filled, type Loaded, type Site, once } from './site.ts'

/** The page of the list that is measured. */
const drivenPage = 4
/** Number of single requests of each page, to compare the last page with the first. */
const [warmUps, singles] = [50, 300]

/** Returns the measurements of list pages. */
export function measureListing({ stack, size, say }: Site, filled: Filled) {
  const peer = once(async () => {
    const loaded = await filled.loaded()
    say('Loading the peer')
    const origin = await startPeer(stack, loaded)
    const ours = loaded.listPage(drivenPage)
    const { pathname, search } = new URL(ours.url)
    const theirs: Target = { ...ours, url: `${origin}${pathname}${search}` }
    if (!isDeepStrictEqual(await readJson(ours), await readJson(theirs)))
      throw new Error('The peer returns another page than the product')
    return theirs
  })

  const besidePeer = async () =>
    compare((await filled.loaded()).listPage(drivenPage), await peer(), size.pace)

  /** Runs `work` while the response cache is off. */
  async function withoutCache(work: () => Promise<number>): Promise<number> {
    const { restart } = await filled.loaded()
    await restart({ PAGE_CACHE_MB: '0' })
    const result = await work()
    await restart()
    return result
  }

  return {
    listVsFastify: besidePeer,
    freshListVsFastify: async () => (await peer(), withoutCache(besidePeer)),
    lastPageVsFirst: () =>
      withoutCache(async () => {
        const { listPage } = await filled.loaded()
        // The last full page, because a shorter page would be faster.
        const timed = [Math.floor(size.deals / pageSize), 1].map((page) => ({ page, ms: [] as number[] }))
        for (let round = -warmUps; round < singles; round++) {
          for (const { page, ms } of timed) {
            const began = performance.now()
            await (await send(listPage(page))).arrayBuffer()
            if (round >= 0) ms.push(performance.now() - began)
          }
        }
        return median(timed[0]!.ms) / median(timed[1]!.ms)
      }),
  }
}

/**
 * Starts the peer on its own tables in our database, with our partner's deals and token. Returns the peer's
 * URL.
 */
async function startPeer(stack: AsyncDisposableStack, { db, databaseUrl, party }: Loaded): Promise<string> {
  await withOwnConnection(db(), async (sql) => {
    await sql.unsafe(createTables)
    await sql`insert into peer.tokens (id, hash, partner_id) values (1, ${hashToken(party.token)}, 1)`
    await sql.unsafe(copyDeals, [party.id])
    await sql.unsafe(createKeys)
  })
  await settle(db())
  const url = new URL(databaseUrl())
  url.searchParams.set('search_path', 'peer')
  const port = String(await freePort())
  const env = { ...process.env, PORT: port, DATABASE_URL: url.href, RATE_LIMIT_PER_MINUTE: '1000000000' }
  const started = await launch('e2e/bench/fastify-peer.ts', env, null)
  stack.defer(async () => void (await started.stop()))
  const origin = `http://127.0.0.1:${port}`
  await untilOk(started, `${origin}/healthz`)
  return origin
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
