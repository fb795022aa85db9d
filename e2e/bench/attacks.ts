import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { directoryStorage } from '#server/files/disk-storage.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { fileKeyFrom, signPath, signViewPath } from '#server/files/signature.ts'
import { insertFile } from '#server/files/store.ts'
import { messageMaxChars, messagesPerThreadMax } from '#server/messages/policy.ts'
import { followDeals } from '#server/notifications/store.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { dayMs, secondMs } from '#server/values/units.ts'
import { changeDeals } from '../delivery-queue.ts'
import { signedInUser } from '../portal-user.ts'
import { makeBrowser } from '../push-service.ts'
import type { Attack, SentRequest } from './attack.ts'
import type { Ours } from './ours.ts'

// What a stranger or a member of the attacking partner does at once.

export const attackerFirstId = 50_000_000_000n
const longFirstId = 55_000_000_000n
/** With these, an export is larger than the buffers between a server and a client that does not read. */
const longDeals = 2500
const longNotes = 'x'.repeat(10_000)

const threadCount = 10
const uploadDeals = 100
const linksPerBatch = 10

/** Networks of a stranger, each with a share of what anonymous callers may do. */
const networks = Array.from({ length: 40 }, (_, index) => ({ 'x-forwarded-for': `203.0.113.${index}` }))

const linkedEmail = 'member@attacker.example'

/** Larger than the buffers between a server and a client that does not read. */
const downloadBytes = 64 * 1024 * 1024

/** Oddly spelled paths of pages. */
const spellings = [
  '/_next/../sign-in',
  '/_next/nope',
  '/_next/%2e%2e/sign-in',
  '//sign-in',
  '/_next/static/..%2f..%2fsign-in',
]

interface Attacker {
  ours: Pick<Ours, 'url' | 'directory'>
  db: Database
  partnerId: PartnerId
  fileIds: string[]
  authSecret: string
}

/** Returns a query of some procedures. */
const ask = (cookie: string, names: string[], input: object): SentRequest => ({
  path: `/api/trpc/${names.join(',')}?${names.length > 1 ? 'batch=1&' : ''}input=${encodeURIComponent(JSON.stringify(input))}`,
  headers: { cookie },
})

/** Returns a call of procedures that change something. */
const post = (headers: Record<string, string>, names: string[], input: object): SentRequest => ({
  path: `/api/trpc/${names.join(',')}${names.length > 1 ? '?batch=1' : ''}`,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(input),
})

/** Returns the input of a batch of calls. */
const batch = <T>(items: readonly T[], input: (item: T, index: number) => object) =>
  Object.fromEntries(items.map((item, index) => [index, { json: input(item, index) }]))

/** Prepares the attacks by requests. */
export async function makeAttacks({ ours, db, partnerId, fileIds, authSecret }: Attacker) {
  const { url, directory } = ours
  const now = new Date()
  const records = Array.from({ length: longDeals }, (_, index) => ({
    record: { id: longFirstId + BigInt(index), notes: longNotes },
    partnerId,
  }))
  await writeDeals(db, records, { now, events: false })
  const [cookie, otherCookie] = [
    await signedInUser({ db }, 'member', partnerId),
    await signedInUser({ db }, 'member', partnerId),
  ]
  const linked = {
    email: linkedEmail,
    name: 'A member',
    role: 'member',
    partnerId,
    passwordHash: 'unknown',
  } as const
  await saveUser(db, linked)
  const readOnly = { partnerId, name: 'Read-only', expiresAt: null, scopes: ['deals:read'] as const }
  const tokens = [(await issueToken(db, readOnly)).token, (await issueToken(db, readOnly)).token]
  const deals = await db.$client<{ id: string }[]>`
    select id::text from deals where partner_id = ${partnerId} order by id limit ${uploadDeals}`
  const threads = await makeLongThreads(db, partnerId, deals.slice(0, threadCount))
  const fileKey = fileKeyFrom(authSecret)
  const tomorrow = Math.floor((now.getTime() + dayMs) / secondMs)

  const files = fileIds.flatMap((id) => [
    { path: signViewPath(fileKey, id, `partner ${partnerId}`, tomorrow), headers: {} },
    ask(cookie, ['files.get'], { json: { id } }),
  ])
  return {
    ...strangersAttacks(url, await cookieOfForm(url)),
    ...tokensAttacks(tokens, [cookie, otherCookie]),
    ...membersAttacks(url, cookie, threads, deals),
    downloads: {
      connections: 128,
      stalls: 'response',
      requests: [
        {
          path: signPath(
            fileKey,
            await storeFile(db, join(directory, 'data', 'files'), deals[0]!.id),
            `partner ${partnerId}`,
            tomorrow,
          ),
          headers: {},
        },
      ],
    },
    files: { connections: 16, requests: files },
  } as const satisfies Record<string, Attack>
}

/** Returns the attacks by calls of a member. */
function membersAttacks(url: string, cookie: string, threads: { id: number }[], deals: { id: string }[]) {
  return {
    boards: {
      connections: 300,
      // None is cached.
      requests: [
        ask(cookie, ['deals.board'], { json: { filter: { search: '602', amount: { min: 'RANDOM' } } } }),
      ].map((request) => ({ ...request, path: request.path.replace('%22RANDOM%22', 'RANDOM') })),
    },
    threads: {
      connections: 30,
      stalls: 'response',
      requests: [
        ask(
          cookie,
          threads.map(() => 'messages.thread'),
          batch(threads, ({ id }) => ({ id })),
        ),
      ],
    },
    questions: {
      connections: 15,
      requests: [
        post({ cookie, origin: url }, ['messages.answer'], {
          json: { id: threads[0]!.id, text: 'And when will it be built?', files: [] },
        }),
      ],
    },
    slices: {
      connections: 280,
      stalls: 'body',
      requests: deals.map(({ id }) => ({
        path: `/attachments/${id}/content`,
        headers: {
          cookie,
          origin: url,
          'content-type': 'application/octet-stream',
          'content-length': '1000000',
        },
        body: 'x',
      })),
    },
    uploads: {
      connections: 15,
      requests: deals.map(({ id: dealId }) =>
        post({ cookie, origin: url }, ['messages.beginFile'], {
          json: { dealId, name: 'plan.pdf', sizeBytes: dealFileMaxBytes },
        }),
      ),
    },
  } as const satisfies Record<string, Attack>
}

/** Returns the attacks without a session. */
function strangersAttacks(url: string, form: { cookie: string; csrfToken: string }) {
  const links = Array.from({ length: linksPerBatch }, (_, index) =>
    index % 2 === 0 ? 'accounts.requestReset' : 'accounts.requestSignIn',
  )
  const emails = batch(links, (_, index) => ({
    email: index % 4 < 2 ? `${index}-RANDOM@nobody.example` : linkedEmail,
  }))
  return {
    links: {
      connections: 100,
      requests: networks.map((headers) => post({ ...headers, origin: url }, links, emails)),
    },
    passwords: {
      connections: 100,
      requests: networks.map((headers, index) => ({
        path: '/api/auth/callback/credentials',
        headers: {
          ...headers,
          cookie: form.cookie,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          csrfToken: form.csrfToken,
          email: index % 2 === 0 ? 'RANDOM@nobody.example' : linkedEmail,
          password: 'not the password',
        }).toString(),
      })),
    },
    spellings: { connections: 100, requests: spellings.map((path) => ({ path, headers: {} })) },
  } as const satisfies Record<string, Attack>
}

/** Returns the attacks with tokens, and by exports. */
function tokensAttacks(tokens: string[], cookies: string[]) {
  return {
    bodies: {
      connections: 280,
      stalls: 'body',
      requests: tokens.map((token) => ({
        path: '/api/events/reconcile',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': '1000',
        },
        body: '{',
      })),
    },
    exports: {
      connections: 2,
      stalls: 'response',
      requests: cookies.map((cookie) => ({ path: '/deals/export?all=1', headers: { cookie } })),
    },
  } as const satisfies Record<string, Attack>
}

/** Returns the cookie and the token of the sign-in form. */
async function cookieOfForm(url: string): Promise<{ cookie: string; csrfToken: string }> {
  const response = await fetch(`${url}/api/auth/csrf`)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ')
  return { cookie, ...((await response.json()) as { csrfToken: string }) }
}

/** Stores a large file of the deal. Returns its id. */
async function storeFile(db: Database, directory: string, deal: string): Promise<string> {
  const id = randomUUID()
  const stored = await directoryStorage({ directory }).put(id, Buffer.alloc(downloadBytes))
  await insertFile(db, {
    id,
    dealId: BigInt(deal),
    name: 'photos.zip',
    type: 'application/zip',
    storage: 'disk',
    ...stored,
  })
  return id
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
  const name = 'A follower'
  const { id } = await saveUser(db, { email, name, role: 'member', partnerId, passwordHash: 'unknown' })
  await db.$client`insert into notification_settings (user_id, at_night) values (${id}, true)`
  await db.transaction((tx) => followDeals(tx, partnerId, id, deals, true))
  return id
}

const pushServices = 20
const changeEveryMs = 500

/** Subscribes a member to push services that accept connections and never answer. Returns the attack. */
export async function makePushAttack(stack: AsyncDisposableStack, db: Database, partnerId: PartnerId) {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => void server.close())
  const { port } = server.address() as { port: number }
  const deals = Array.from({ length: 6 }, (_, index) => attackerFirstId + BigInt(index))
  const userId = await makeFollower(db, partnerId, `${randomUUID()}@attacker.example`, deals)
  for (let index = 0; index < pushServices; index++) {
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
