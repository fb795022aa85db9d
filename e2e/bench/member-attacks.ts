import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { messageMaxChars, messagesPerThreadMax } from '#server/messages/policy.ts'
import { followDeals } from '#server/notifications/store.ts'
import { changeDeals } from '../delivery-queue.ts'
import { signedInUser } from '../portal-user.ts'
import { makeBrowser } from '../push-service.ts'

// What a stranger or a member of the attacking partner does at once, in the portal.

/** A request; one with a body is a POST. */
export interface SentRequest {
  path: string
  headers: Record<string, string>
  body?: string
}

/** Requests that some connections send in turn, without end. */
export interface Calls {
  kind: 'calls'
  places: number
  /** Whether the answers are read. */
  isRead: boolean
  requests: SentRequest[]
}

const threadCount = 10
const uploadDeals = 100

/** Prepares the attacks by calls of a stranger and of a member of the partner. */
export async function makeCallAttacks(url: string, db: Database, partnerId: PartnerId) {
  const { $client: sql } = db
  const cookie = await signedInUser({ db }, 'member', partnerId)
  const deals = await sql<{ id: string }[]>`
    select id::text from deals where partner_id = ${partnerId} order by id limit ${uploadDeals}`
  const threads = await makeLongThreads(db, partnerId, deals.slice(0, threadCount))
  const post = (name: string, input: object): SentRequest => ({
    path: `/api/trpc/${name}`,
    headers: { cookie, origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ json: input }),
  })
  const pages = encodeURIComponent(
    JSON.stringify(Object.fromEntries(threads.map(({ id }, at) => [at, { json: { id } }]))),
  )
  const paths = [
    '/_next/../sign-in',
    '/_next/nope',
    '/_next/%2e%2e/sign-in',
    '//sign-in',
    '/_next/static/..%2f..%2fsign-in',
  ]
  return {
    spellings: {
      kind: 'calls',
      places: 100,
      isRead: true,
      requests: paths.map((path) => ({ path, headers: {} })),
    },
    threads: {
      kind: 'calls',
      places: 30,
      isRead: false,
      requests: [
        {
          path: `/api/trpc/${threads.map(() => 'messages.thread').join(',')}?batch=1&input=${pages}`,
          headers: { cookie },
        },
      ],
    },
    questions: {
      kind: 'calls',
      places: 15,
      isRead: true,
      requests: [
        post('messages.answer', { id: threads[0]!.id, text: 'And when will it be built?', files: [] }),
      ],
    },
    uploads: {
      kind: 'calls',
      places: 15,
      isRead: true,
      requests: deals.map(({ id: dealId }) =>
        post('messages.beginFile', { dealId, name: 'plan.pdf', sizeBytes: dealFileMaxBytes }),
      ),
    },
  } as const satisfies Record<string, Calls>
}

/** Inserts a long question about each of the deals. */
async function makeLongThreads({ $client: sql }: Database, partnerId: PartnerId, deals: { id: string }[]) {
  const threads = await sql<{ id: number }[]>`
    insert into threads (deal_id, partner_id)
    select id::bigint, ${partnerId} from unnest(${deals.map(({ id }) => id)}::text[]) as id
    returning id`
  // Others can still answer.
  const count = messagesPerThreadMax - 200
  await sql`
    insert into messages (thread_id, author_name, is_installer, text)
    select id, 'A', false, repeat('x', ${messageMaxChars}) from threads, generate_series(1, ${count}) as n
    where id = any(${threads.map(({ id }) => id)}::integer[])`
  return threads
}

/** Creates a member who follows these deals and is notified at once, day and night. Returns the id. */
export async function makeFollower(
  db: Database,
  partnerId: PartnerId,
  email: string,
  deals: bigint[],
): Promise<number> {
  const { id } = await saveUser(db, {
    email,
    name: 'A follower',
    role: 'member',
    partnerId,
    passwordHash: 'unknown',
  })
  await db.$client`insert into notification_settings (user_id, at_night) values (${id}, true)`
  await db.transaction((tx) => followDeals(tx, partnerId, id, deals, true))
  return id
}

const endpointCount = 20
const changeEveryMs = 500

/** Subscribes a member to push services that accept connections and never answer. Returns the attack. */
export async function makePushAttack(
  stack: AsyncDisposableStack,
  db: Database,
  partnerId: PartnerId,
  firstId: bigint,
) {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => void server.close())
  const { port } = server.address() as { port: number }
  const deals = Array.from({ length: 6 }, (_, index) => firstId + BigInt(index))
  const userId = await makeFollower(db, partnerId, `${randomUUID()}@attacker.example`, deals)
  for (let index = 0; index < endpointCount; index++) {
    const { p256dh, auth } = makeBrowser().keys
    await db.$client`
      insert into push_subscriptions (user_id, endpoint, p256dh, auth)
      values (${userId}, ${`http://127.0.0.1:${port}/push/${index}`}, ${p256dh}, ${auth})`
  }
  return (attacking: AsyncDisposableStack) => {
    let underway = Promise.resolve()
    const timer = setInterval(() => {
      underway = underway.then(() => changeDeals(db, partnerId, deals))
    }, changeEveryMs)
    attacking.defer(async () => {
      clearInterval(timer)
      await underway
    })
  }
}
