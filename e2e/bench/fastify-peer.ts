import { createHash } from 'node:crypto'
import fastify, { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import pino from 'pino'
import postgres from 'postgres'
import { poolSize } from '#db/client.ts'
import { dealFields } from '#server/deals/deal.ts'

// The peer: a simple server for the same list, written with Fastify and postgres.js. It checks the token,
// limits the rate, counts deals, reads a page with its people, and lets Fastify serialize the JSON.

type Row = Record<string, unknown>

const sql = postgres(process.env.DATABASE_URL!, {
  max: poolSize,
  types: { int64: { to: 20, from: [20], parse: Number, serialize: String } },
})

const app = fastify({
  loggerInstance: pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 4096 })),
  // The hook below logs one line per request. Fastify would log two.
  logController: new LogController({ disableRequestLogging: true }),
})

app.addHook('onResponse', async ({ log, method, url }, { statusCode, elapsedTime }) => {
  log.info({ method, url, status: statusCode, ms: elapsedTime })
})

app.get('/healthz', async () => ({ status: 'alive' }))

app.get<{ Querystring: { page: number; size: number } }>(
  '/api/deals',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          page: { type: 'integer', minimum: 1, default: 1 },
          size: { type: 'integer', minimum: 1, maximum: 25, default: 10 },
        },
      },
    },
  },
  async (request, reply) => {
    const token = await authenticate(request)
    if (token === undefined) return reply.code(401).send({ code: 'UNAUTHORIZED' })
    if (!isWithinRate(token.id, reply)) return reply.code(429).send({ code: 'TOO_MANY_REQUESTS' })
    const { page, size } = request.query
    const [deals, [{ count }]] = await Promise.all([
      readDeals(token.partnerId, page, size),
      sql<[{ count: number }]>`select count(*) from deals where partner_id = ${token.partnerId}`,
    ])
    return { page, pages: Math.ceil(count / size), count, deals }
  },
)

async function authenticate(request: FastifyRequest): Promise<{ id: number; partnerId: number } | undefined> {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return undefined
  const hash = createHash('sha256').update(token).digest('hex')
  const [row] = await sql<{ id: number; partnerId: number }[]>`
    select id, partner_id as "partnerId" from tokens
    where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())`
  return row
}

const perMinute = Number(process.env.RATE_LIMIT_PER_MINUTE)
const minutes = new Map<number, { until: number; used: number }>()

/** Counts a request of the token. Returns false if the token has exceeded its limit for this minute. */
function isWithinRate(tokenId: number, reply: FastifyReply): boolean {
  const now = Date.now()
  let minute = minutes.get(tokenId)
  if (minute === undefined || minute.until <= now)
    minutes.set(tokenId, (minute = { until: now + 60_000, used: 0 }))
  minute.used++
  reply.header('X-RateLimit-Limit', perMinute)
  reply.header('X-RateLimit-Remaining', Math.max(0, perMinute - minute.used))
  reply.header('X-RateLimit-Reset', Math.ceil((minute.until - now) / 1000))
  return minute.used <= perMinute
}

const columns = Object.entries(dealFields)
const roles = columns.filter(([, { kind }]) => kind === 'person').map(([name]) => name)
const pageText = `select ${columns.map(([name]) => `"${name}"`).join(', ')} from deals where partner_id = $1 order by id limit $2 offset $3`

/** Returns a page in which people replace their IDs. A single query with six joins was a third slower. */
async function readDeals(partnerId: number, page: number, size: number): Promise<Row[]> {
  const deals: Row[] = await sql.unsafe(pageText, [partnerId, size, (page - 1) * size], { prepare: true })
  const ids = [...new Set(deals.flatMap((deal) => roles.map((role) => deal[role] as number | null)))]
  const found = await sql<{ id: number }[]>`select * from persons where id = any(${ids}::bigint[])`
  const persons = new Map(found.map((person) => [person.id, person]))
  for (const deal of deals) for (const role of roles) deal[role] = persons.get(deal[role] as number) ?? null
  return deals
}

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.once('SIGTERM', () => process.exit(0))
