import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { secondMs, minuteMs } from '#server/values/units.ts'
import { StandIn } from '../crm/stand-in.ts'
import { changeDeals } from '../delivery-queue.ts'
import { type MailServer, startMailServer } from '../mail-server.ts'
import { makePartner } from '../partners.ts'
import { signedInUser } from '../portal-user.ts'
import { makeAttacks, makeFollower, type PlannedAttack } from './attacks.ts'
import { percentile95 as p95 } from './drive.ts'
import { pageSize } from './ours.ts'
import { type Filled, otherFirstId, type Site, once } from './site.ts'

const kinds: CallKind[] = ['list', 'export', 'file']

/** Results of one attack. */
interface Outcome {
  visits: Called[]
  risenMb: number
  /** Seconds until the mail arrived; 0 if no mail was measured. */
  mailS: number
  crmCallsPerMin: number
  /** True if the CRM was polled during the attack. */
  isCrmRead: boolean
}

const restS = 4
/** Duration of an attack before the other partner's calls begin. */
const leadMs = 1000
const sampleEveryMs = 1000
/** Maximum time for a system to become idle. */
const restTimeoutMs = 15_000

/** Returns the measurements of another partner's calls during attacks. */
export function measureNeighbours({ stack, size, say }: Site, filled: Filled) {
  const system = once(() => prepareAttacks(stack, filled))

  const rest = once(async () => {
    const { calls } = await system()
    // Warm-up: the first calls load code and query plans, and open connections.
    await visit(calls, kinds, restS / 2)
    return visit(calls, kinds, restS)
  })

  const outcomes = once(async () => {
    const outcomeByName = new Map<string, Outcome>()
    const attacked = await system()
    const atRest = await rest()
    for (const [name, planned] of Object.entries(attacked.attacks)) {
      say(`Calling during the attack "${name}"`)
      const outcome = await attack(planned, attacked, size.attackS, name === 'files')
      const visits = outcome.visits.map(({ ms, ...called }) => ({ ...called, p95Ms: Math.round(p95(ms)) }))
      say(JSON.stringify({ ...outcome, visits }))
      outcomeByName.set(name, outcome)
      await comeToRest(attacked, p95(atRest[0]!.ms))
    }
    return outcomeByName
  })
  const worst = async (value: (outcome: Outcome) => number) =>
    Math.max(...[...(await outcomes()).values()].map(value))

  return {
    async neighbourP95Ratio() {
      const atRest = new Map((await rest()).map(({ kind, ms }) => [kind, p95(ms)]))
      return worst(({ visits }) => Math.max(...visits.map(({ kind, ms }) => p95(ms) / atRest.get(kind)!)))
    },
    async neighbourRefused() {
      let refused = 0
      for (const { visits, isCrmRead } of (await outcomes()).values()) {
        for (const called of visits) refused += called.refused.length
        // A missing poll of the CRM counts as a refused call.
        if (!isCrmRead) refused++
      }
      return refused
    },
    neighbourMailS: () => worst(({ mailS }) => mailS),
    neighbourRssMb: () => worst(({ risenMb }) => risenMb),
    hubspotCallsPerMin: async () => (await outcomes()).get('files')!.crmCallsPerMin,
  }
}

/** Runs an attack while the other partner calls for at most `maxS` seconds. */
async function attack(
  { beside, seconds, isMailed, begin }: PlannedAttack,
  attacked: AttackedSystem,
  maxS: number,
  isOfCrm: boolean,
): Promise<Outcome> {
  await using attacking = new AsyncDisposableStack()
  const [callsBefore, restMb, began] = [crmCalls(attacked), await attacked.ours.residentMb(), new Date()]
  if (isOfCrm) await attacked.pollCrm()
  await begin(attacking)
  await sleep(leadMs)
  let peakMb = 0
  const sample = async () => {
    peakMb = Math.max(peakMb, await attacked.ours.residentMb())
  }
  // Ignore errors: if the process has ended, the failing calls reveal that.
  const timer = setInterval(() => void sample().catch(() => {}), sampleEveryMs)
  attacking.defer(() => clearInterval(timer))
  const [visits, mailS] = await Promise.all([
    visit(attacked.calls, beside === undefined ? ['list'] : ['list', beside], Math.min(seconds, maxS)),
    isMailed ? attacked.mailS() : 0,
  ])
  return {
    visits,
    risenMb: peakMb - restMb,
    mailS,
    crmCallsPerMin: ((crmCalls(attacked) - callsBefore) * minuteMs) / (Date.now() - began.getTime()),
    isCrmRead: !isOfCrm || (await attacked.isCrmReadSince(began)),
  }
}

/** Number of calls that count against the CRM's quota. Signed URLs do not count. */
const crmCalls = ({ crm }: AttackedSystem) =>
  crm.requests.filter((path) => !path.startsWith('/signed/')).length

/** Waits until lists are as fast as before the attack, or else restarts the system. */
async function comeToRest({ calls, restart }: AttackedSystem, restMs: number): Promise<void> {
  const deadline = performance.now() + restTimeoutMs
  let inRow = 0
  while (inRow < 3) {
    const began = performance.now()
    const status = await callOnce(calls.list)
    inRow = status === 200 && performance.now() - began < 3 * restMs ? inRow + 1 : 0
    if (performance.now() > deadline) return restart()
  }
}

/** A system with a partner that attacks and another partner whose calls are measured. */
type AttackedSystem = Awaited<ReturnType<typeof prepareAttacks>>

const neighbourDeals = 500
const neighbourFirstId = 60_000_000_000n
const linkedFiles = 100
/** Limits of HubSpot's smallest plans, without the daily limit. */
const hubspotLimits = { burst: 100, searches: 5, daily: Infinity }

/** Restarts the system with a mail server and a CRM, and prepares its second partner and another partner. */
async function prepareAttacks(stack: AsyncDisposableStack, { system, other }: Filled) {
  const [ours, { id: partnerId }] = [await system(), await other()]
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
  await ours.restart(environment)
  const db = openDatabase(ours.databaseUrl(), 2)
  stack.defer(() => db.$client.end({ timeout: 5 }))
  const fileIds = await linkFiles(db, crm, otherFirstId)
  const attacks = await makeAttacks(stack, { ours, db, partnerId, fileIds, authSecret })
  const { calls, neighbourId } = await makeCalls(ours.url, db, crm)
  crm.create({ dealname: 'A deal of the CRM' })
  await ours.operator(['source', 'connect', 'HubSpot'], crm.token)
  await db.$client`
    insert into source_files (file_id, source_id, deal_id)
    select files.id, sources.id, deal_id from files, sources where storage = 'crm'`
  while (!(await isCrmReadSince(db, new Date(0)))) await sleep(100)
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
type CallKind = 'list' | 'export' | 'file'

interface Calling {
  nextUrl(): string
  headers: Record<string, string>
  everyMs: number
  /** Waits for the previous response, like a person would. */
  isOneAtATime?: boolean
}

/** Results of one kind of call. */
interface Called {
  kind: CallKind
  /** Duration of every call until its last byte, including refused calls. */
  ms: number[]
  /** Status or error of every call without a 200 response. */
  refused: (number | string)[]
}

const timeoutMs = 30_000

/** Requests the next URL and reads the response. Returns the status or the error. */
const callOnce = ({ nextUrl, headers }: Calling): Promise<number | string> =>
  fetch(nextUrl(), { headers, signal: AbortSignal.timeout(timeoutMs) })
    .then(async (response) => (await response.arrayBuffer(), response.status))
    .catch(String)

/**
 * Calls at a steady pace for the given time. A client that waited for each response would rarely call while
 * the system is slow.
 */
async function visit(
  calls: Record<CallKind, Calling>,
  made: readonly CallKind[],
  seconds: number,
): Promise<Called[]> {
  const call = async (kind: CallKind): Promise<Called> => {
    const calling = calls[kind]
    const called: Called = { kind, ms: [], refused: [] }
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
  return Promise.all(made.map(call))
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

async function isCrmReadSince({ $client: sql }: Database, time: Date): Promise<boolean> {
  const [row] = await sql<[{ isRead: boolean }]>`
    select coalesce(bool_and(succeeded_at > ${time.toISOString()}::timestamptz), false) as "isRead" from sources`
  return row.isRead
}
