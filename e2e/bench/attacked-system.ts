import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { asCommand } from '#server/runtime/command.ts'
import { connectSource } from '#server/sources/actions.ts'
import { encryptionKeyFrom } from '#server/values/encryption.ts'
import { secondMs } from '#server/values/units.ts'
import { StandIn } from '../crm/stand-in.ts'
import { changeDeals } from '../delivery-queue.ts'
import { type MailServer, startMailServer } from '../mail-server.ts'
import { makePartner } from '../partners.ts'
import { signedInUser } from '../portal-user.ts'
import { attackerFirstId, makeAttacks, makeFollower } from './attacks.ts'
import { pageSize } from './deal-file.ts'
import { makeOurs } from './ours.ts'
import { makeParty } from './party.ts'

/** A system with a partner that attacks and another partner whose calls are measured. */
export type AttackedSystem = Awaited<ReturnType<typeof startAttackedSystem>>

const neighbourDeals = 500
const neighbourFirstId = 60_000_000_000n
const linkedFiles = 100
/** Limits of HubSpot's smallest plans, without the daily limit. */
const hubspotLimits = { burst: 100, searches: 5, daily: Infinity }

/** Starts the system with a mail server and a CRM, and prepares both partners. */
export async function startAttackedSystem(stack: AsyncDisposableStack, attackerDeals: number) {
  const ours = await makeOurs(stack)
  const crm = new StandIn({ limits: hubspotLimits })
  await crm.listen()
  stack.defer(() => crm.close())
  // Use a host name, so that it has to be resolved.
  crm.url = crm.url.replace('127.0.0.1', 'localhost')
  const mails = await startMailServer()
  stack.defer(() => mails.close())
  const authSecret = randomUUID()
  const environment = {
    AUTH_SECRET: authSecret,
    SMTP_URL: mails.url,
    HUBSPOT_URL: crm.url,
    // Make every call query the database.
    PAGE_CACHE_MB: '0',
  }
  await ours.start(environment)
  const db = openDatabase(await ours.databaseUrl(), 2)
  stack.defer(() => db.$client.end({ timeout: 5 }))
  const { id: partnerId } = await makeParty(ours, 'attacker', attackerDeals, attackerFirstId)
  const fileIds = await linkFiles(db, crm, attackerFirstId)
  const attacks = await makeAttacks(stack, { ours, db, partnerId, fileIds, authSecret })
  const { calls, neighbourId } = await makeCalls(ours.url, db, crm)
  await connect(db, crm, await readFile(join(ours.directory, 'data', 'encryption-key'), 'utf8'))
  return {
    ours,
    crm,
    attacks,
    calls,
    /** Triggers an immediate poll of the CRM. */
    pollCrm: () => db.$client`update sources set next_at = now()`,
    isCrmReadSince: (time: Date) => isCrmReadSince(db, time),
    /**
     * Changes a deal of the measured partner. Returns the number of seconds until the deal's follower gets
     * mail.
     */
    mailS: await makeMailTimer(db, mails, neighbourId),
    restart: () => ours.restart(environment),
  }
}

/** A kind of call by the measured partner. */
export type CallKind = 'list' | 'export' | 'file'

interface Calling {
  nextUrl(): string
  headers: Record<string, string>
  everyMs: number
  /** Waits for the previous response, like a person would. */
  isOneAtATime?: boolean
}

/** Results of one kind of call. */
interface Called {
  /** Duration of every call until its last byte, including refused calls. */
  ms: number[]
  /** Status or error of every call without a 200 response. */
  refused: (number | string)[]
}

/** Results by kind of call. */
export type Visits = Partial<Record<CallKind, Called>>

const timeoutMs = 30_000

/** Requests the next URL and reads the response. Returns the status or the error. */
export const callOnce = ({ nextUrl, headers }: Calling): Promise<number | string> =>
  fetch(nextUrl(), { headers, signal: AbortSignal.timeout(timeoutMs) })
    .then(async (response) => (await response.arrayBuffer(), response.status))
    .catch(String)

/**
 * Calls at a steady pace for the given time. A client that waited for each response would rarely call while
 * the system is slow.
 */
export async function visit(
  calls: Record<CallKind, Calling>,
  kinds: readonly CallKind[],
  seconds: number,
): Promise<Visits> {
  const call = async (calling: Calling): Promise<Called> => {
    const called: Called = { ms: [], refused: [] }
    const underway = new Set<Promise<void>>()
    const timer = setInterval(() => {
      if (calling.isOneAtATime && underway.size > 0) return
      const began = performance.now()
      const ended = callOnce(calling).then((status) => {
        called.ms.push(performance.now() - began)
        if (status !== 200) called.refused.push(status)
        underway.delete(ended)
      })
      underway.add(ended)
    }, calling.everyMs)
    await sleep(seconds * secondMs)
    clearInterval(timer)
    await Promise.all(underway)
    return called
  }
  return Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind, await call(calls[kind])] as const)),
  )
}

/** Creates the measured partner with deals, a member and linked files. Returns the partner's calls. */
async function makeCalls(url: string, db: Database, crm: StandIn) {
  const { id, token } = await makePartner(db)({
    deals: Array.from({ length: neighbourDeals }, (_, index) => ({
      id: neighbourFirstId + BigInt(index),
      dealname: `Deal ${index}`,
      notes: 'x'.repeat(2000),
    })),
  })
  const fileIds = await linkFiles(db, crm, neighbourFirstId)
  const headers = { authorization: `Bearer ${token}` }
  const cookie = await signedInUser({ db }, 'member', id)
  let page = 0
  const calls: Record<CallKind, Calling> = {
    list: {
      nextUrl: () => `${url}/api/deals?page=${(page++ % (neighbourDeals / pageSize)) + 1}&size=${pageSize}`,
      headers,
      everyMs: 100,
    },
    export: {
      nextUrl: () => `${url}/deals/export?all=1`,
      headers: { cookie },
      everyMs: secondMs,
      isOneAtATime: true,
    },
    // Every file is requested only once, so that no response is cached.
    file: { nextUrl: () => `${url}/api/files/${fileIds.pop()}`, headers, everyMs: secondMs },
  }
  return { calls, neighbourId: id }
}

const followerEmail = 'follower@neighbour.example'
const mailMaxMs = 60_000

/**
 * Returns a function that measures how long a mail to a follower takes. Each mail is about another deal,
 * because changes of the same deal are combined.
 */
async function makeMailTimer(db: Database, mails: MailServer, partnerId: PartnerId) {
  const deals = Array.from({ length: 50 }, (_, index) => neighbourFirstId + BigInt(index))
  await makeFollower(db, partnerId, followerEmail, deals)
  return async (): Promise<number> => {
    const before = mails.to(followerEmail).length
    const began = performance.now()
    await changeDeals(db, partnerId, [deals.pop()!])
    while (mails.to(followerEmail).length === before && performance.now() - began < mailMaxMs) await sleep(10)
    return (performance.now() - began) / 1000
  }
}

/** Links files in the CRM to a deal, like the source follower. Returns the IDs of the files. */
async function linkFiles({ $client: sql }: Database, crm: StandIn, deal: bigint): Promise<string[]> {
  const ids = Array.from({ length: linkedFiles }, (_, index) => crm.putFile(`file-${index}.pdf`, 'A file'))
  await sql`
    insert into files (id, deal_id, name, type, size_bytes, storage)
    select id, ${String(deal)}::bigint, 'file.pdf', 'application/pdf', 6, 'crm' from unnest(${ids}::text[]) as id`
  return ids
}

/** Connects the CRM as the source of all linked files, and waits for the first poll. */
async function connect(db: Database, crm: StandIn, encryptionSecret: string): Promise<void> {
  crm.create({ dealname: 'A deal of the CRM' })
  const deps = {
    ...asCommand({ db }),
    encryptionKey: encryptionKeyFrom(encryptionSecret),
    hubspotUrl: crm.url,
    pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
  }
  const id = await connectSource(deps, { kind: 'hubspot', name: 'HubSpot', secret: crm.token })
  await db.$client`
    insert into source_files (file_id, source_id, deal_id)
    select id, ${id}, deal_id from files where storage = 'crm'`
  while (!(await isCrmReadSince(db, new Date(0)))) await sleep(100)
}

async function isCrmReadSince({ $client: sql }: Database, time: Date): Promise<boolean> {
  const [row] = await sql<[{ isRead: boolean }]>`
    select coalesce(bool_and(succeeded_at > ${time.toISOString()}::timestamptz), false) as "isRead" from sources`
  return row.isRead
}
