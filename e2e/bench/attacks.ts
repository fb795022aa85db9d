import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { saveUser } from '#server/accounts/user-store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { fileKeyFrom, signPath, signViewPath } from '#server/files/signature.ts'
import { messageMaxChars, messagesPerThreadMax } from '#server/messages/policy.ts'
import { followDeals } from '#server/notifications/store.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { dayMs, secondMs } from '#server/values/units.ts'
import { changeDeals } from '../delivery-queue.ts'
import { listenLocally } from '../loopback.ts'
import { signedInUser } from '../portal-user.ts'
import { makeBrowser } from '../push-service.ts'
import { addFile } from '../rest/deals.ts'
import { launch } from '../system.ts'
import type { Attack, SentRequest } from './attack.ts'
import type { Ours } from './ours.ts'
import { otherFirstId } from './site.ts'

// Attacks by strangers and by members of the attacking partner.

const longFirstId = 55_000_000_000n
// Exports of this many deals and downloads of this size do not fit in the buffers between a server and a
// stalled client.
const longDeals = 2500
const longNotes = 'x'.repeat(10_000)
const downloadBytes = 64 * 1024 * 1024

const threadCount = 10
const uploadDeals = 100
const linksPerBatch = 10

const linkedEmail = 'member@attacker.example'

/** An attack by one client, and the calls of another partner that are measured at the same time. */
export interface PlannedAttack {
  /**
   * Duration in seconds of the other partner's calls: lists and, if the attack may affect them, calls of the
   * kind `beside`.
   */
  seconds: number
  beside?: 'export' | 'file'
  /** Also measures a mail to the other partner. */
  isMailed?: true
  /** Starts the attack and resolves once it is running. Disposing the stack ends the attack. */
  begin(attacking: AsyncDisposableStack): Promise<void>
}

interface Attacker {
  ours: Ours
  db: Database
  partnerId: PartnerId
  fileIds: string[]
  authSecret: string
}

/** Attacks by requests. The documentation of the figures describes them. */
const plans = {
  links: { seconds: 60, connections: 100 },
  passwords: { seconds: 6, connections: 100 },
  spellings: { seconds: 6, connections: 100 },
  bodies: { seconds: 4, connections: 280, stalls: 'body' },
  slices: { seconds: 4, connections: 280, stalls: 'body' },
  boards: { seconds: 6, connections: 300 },
  threads: { seconds: 10, connections: 30, stalls: 'response' },
  questions: { seconds: 6, connections: 15, isMailed: true },
  uploads: { seconds: 6, connections: 15 },
  exports: { seconds: 4, connections: 2, beside: 'export', stalls: 'response' },
  downloads: { seconds: 10, connections: 128, beside: 'file', stalls: 'response' },
  // Together with the lead time, nine seconds cover the ten in which HubSpot counts calls.
  files: { seconds: 9, connections: 16, beside: 'file' },
} satisfies Record<string, Omit<PlannedAttack, 'begin'> & Omit<Attack, 'requests'>>

/** Prepares and returns all attacks. */
export async function makeAttacks(
  stack: AsyncDisposableStack,
  attacker: Attacker,
): Promise<Record<string, PlannedAttack>> {
  const { ours, db, partnerId } = attacker
  const requests = { ...(await strangersRequests(ours)), ...(await partnersRequests(attacker)) }
  const byRequests = Object.entries(plans).map(([name, plan]) => {
    const begin = async (attacking: AsyncDisposableStack) => {
      const words = [
        JSON.stringify({ url: ours.url, ...plan, requests: requests[name as keyof typeof plans] }),
      ]
      const attack = await launch('e2e/bench/attack.ts', process.env, 'begun', words)
      attacking.defer(async () => void (await attack.stop()))
    }
    return [name, { ...plan, begin }] as const
  })
  return { ...Object.fromEntries(byRequests), pushes: await pushAttack(stack, db, partnerId) }
}

/** Returns a batch of calls: a mutation if the headers have an origin, otherwise a query. */
function batch(headers: Record<string, string>, calls: [name: string, input: object][]): SentRequest {
  const path = `/api/trpc/${calls.map(([name]) => name).join(',')}?batch=1`
  const body = JSON.stringify(Object.fromEntries(calls.map(([, json], index) => [index, { json }])))
  return 'origin' in headers
    ? { path, headers: { ...headers, 'content-type': 'application/json' }, body }
    : { path: `${path}&input=${encodeURIComponent(body)}`, headers }
}

/**
 * Returns requests without a session by attack. They come from many networks, because each network has its own limit for
 * anonymous clients.
 */
async function strangersRequests({ url }: Ours) {
  const networks = Array.from({ length: 40 }, (_, index) => ({ 'x-forwarded-for': `203.0.113.${index}` }))
  const links = Array.from({ length: linksPerBatch }, (_, index): [string, object] => [
    index % 2 === 0 ? 'accounts.requestReset' : 'accounts.requestSignIn',
    { email: index % 4 < 2 ? `${index}-RANDOM@nobody.example` : linkedEmail },
  ])
  const form = await fetch(`${url}/api/auth/csrf`)
  const { csrfToken } = (await form.json()) as { csrfToken: string }
  const cookies = form.headers.getSetCookie().map((line) => line.split(';', 1)[0]!)
  const oddPaths = [
    '/_next/../sign-in',
    '/_next/nope',
    '/_next/%2e%2e/sign-in',
    '//sign-in',
    '/_next/static/..%2f..%2fsign-in',
  ]
  return {
    links: networks.map((headers) => batch({ ...headers, origin: url }, links)),
    passwords: networks.map((headers, index) => {
      const email = index % 2 === 0 ? 'RANDOM@nobody.example' : linkedEmail
      const type = 'application/x-www-form-urlencoded'
      return {
        path: '/api/auth/callback/credentials',
        headers: { ...headers, cookie: cookies.join('; '), 'content-type': type },
        body: new URLSearchParams({ csrfToken, email, password: 'not the password' }).toString(),
      }
    }),
    spellings: oddPaths.map((path) => ({ path, headers: {} })),
  }
}

/** Returns requests with a session, a token or a signed URL of the partner by attack. */
async function partnersRequests({ ours, db, partnerId, fileIds, authSecret }: Attacker) {
  const now = new Date()
  await writeDeals(
    db,
    Array.from({ length: longDeals }, (_, index) => ({
      record: { id: longFirstId + BigInt(index), notes: longNotes },
      partnerId,
    })),
    { now, events: false },
  )
  const readOnly = { partnerId, name: 'Read-only', expiresAt: null, scopes: ['deals:read'] as const }
  const cookie = await signedInUser({ db }, 'member', partnerId)
  const otherCookie = await signedInUser({ db }, 'member', partnerId)
  await saveMember(db, partnerId, linkedEmail)
  const deals = await db.$client<{ id: string }[]>`
    select id::text from deals where partner_id = ${partnerId} order by id limit ${uploadDeals}`
  const dealIds = deals.map(({ id }) => id)
  const until = Math.floor((now.getTime() + dayMs) / secondMs)
  const fileKey = fileKeyFrom(authSecret)
  const signed = (sign: typeof signPath, id: string) => ({
    path: sign(fileKey, id, `partner ${partnerId}`, until),
    headers: {},
  })
  const largeFile = await addFile({ db, dataDir: ours.dataDir }, BigInt(dealIds[0]!), {
    name: 'photos.zip',
    type: 'application/zip',
    content: Buffer.alloc(downloadBytes),
  })
  return {
    bodies: [await issueToken(db, readOnly), await issueToken(db, readOnly)].map(({ token }) => ({
      path: '/api/events/reconcile',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': '1000',
      },
      body: '{',
    })),
    ...membersRequests(ours.url, cookie, dealIds, await makeLongThreads(db, partnerId, dealIds)),
    exports: [cookie, otherCookie].map((session) => ({
      path: '/deals/export?all=1',
      headers: { cookie: session },
    })),
    downloads: [signed(signPath, largeFile)],
    files: fileIds.flatMap((id) => [signed(signViewPath, id), batch({ cookie }, [['files.get', { id }]])]),
  }
}

/** Returns a member's calls by attack. */
function membersRequests(url: string, cookie: string, dealIds: string[], threads: number[]) {
  const headers = { cookie, origin: url }
  const bodyHeaders = {
    ...headers,
    'content-type': 'application/octet-stream',
    'content-length': '1000000',
  }
  return {
    slices: dealIds.map((id) => ({
      path: `/attachments/${id}/content`,
      headers: bodyHeaders,
      body: 'x',
    })),
    boards: [batch({ cookie }, [['deals.board', { filter: { search: '602', amount: { min: 'RANDOM' } } }]])],
    threads: [
      batch(
        { cookie },
        threads.map((id) => ['messages.thread', { id }]),
      ),
    ],
    questions: [batch(headers, [['messages.answer', { id: threads[0]!, text: 'And when?', files: [] }]])],
    uploads: dealIds.map((dealId) =>
      batch(headers, [['messages.beginFile', { dealId, name: 'plan.pdf', sizeBytes: dealFileMaxBytes }]]),
    ),
  }
}

/** Inserts a long question about each of the first deals. Returns the thread IDs. */
async function makeLongThreads({ $client: sql }: Database, partnerId: PartnerId, dealIds: string[]) {
  const threads = await sql<{ id: number }[]>`
    insert into threads (deal_id, partner_id)
    select id::bigint, ${partnerId} from unnest(${dealIds.slice(0, threadCount)}::text[]) as id
    returning id`
  const ids = threads.map(({ id }) => id)
  // Leave room for messages sent by an attack.
  const count = messagesPerThreadMax - 200
  await sql`
    insert into messages (thread_id, author_name, is_installer, text)
    select id, 'A', false, repeat('x', ${messageMaxChars})
    from unnest(${ids}::integer[]) as id, generate_series(1, ${count}) as n`
  return ids
}

const saveMember = (db: Database, partnerId: PartnerId, email: string) =>
  saveUser(db, { email, name: 'A member', role: 'member', partnerId, passwordHash: 'unknown' })

/**
 * Creates a member who follows these deals and is notified immediately, day and night. Returns the member's
 * ID.
 */
export async function makeFollower(
  db: Database,
  partnerId: PartnerId,
  email: string,
  deals: bigint[],
): Promise<number> {
  const { id } = await saveMember(db, partnerId, email)
  await db.$client`insert into notification_settings (user_id, at_night) values (${id}, true)`
  await db.transaction((tx) => followDeals(tx, partnerId, id, deals, true))
  return id
}

const pushServices = 20
const changeEveryMs = 500

/** Subscribes a member to push services that accept connections but never respond. */
async function pushAttack(
  stack: AsyncDisposableStack,
  db: Database,
  partnerId: PartnerId,
): Promise<PlannedAttack> {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  const { url, close } = await listenLocally(server)
  stack.defer(close)
  const deals = Array.from({ length: 6 }, (_, index) => otherFirstId + BigInt(index))
  const userId = await makeFollower(db, partnerId, `${randomUUID()}@attacker.example`, deals)
  for (let index = 0; index < pushServices; index++) {
    const { p256dh, auth } = makeBrowser().keys
    await db.$client`
      insert into push_subscriptions (user_id, endpoint, p256dh, auth)
      values (${userId}, ${`${url}/push/${index}`}, ${p256dh}, ${auth})`
  }
  return {
    seconds: 6,
    isMailed: true,
    async begin(attacking) {
      let underway = Promise.resolve()
      const timer = setInterval(() => {
        underway = underway.then(() => changeDeals(db, partnerId, deals))
      }, changeEveryMs)
      attacking.defer(() => (clearInterval(timer), underway))
    },
  }
}
