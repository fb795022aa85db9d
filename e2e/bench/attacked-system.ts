import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { asCommand } from '#server/runtime/command.ts'
import { connectSource } from '#server/sources/actions.ts'
import { secondMs } from '#server/values/units.ts'
import { encryptionKeyFrom } from '#server/webhooks/endpoints/encryption.ts'
import { StandIn } from '../crm/stand-in.ts'
import { changeDeals } from '../delivery-queue.ts'
import { type MailServer, startMailServer } from '../mail-server.ts'
import { makePartner } from '../partners.ts'
import { signedInUser } from '../portal-user.ts'
import { attackerFirstId, makeAttacks, makeFollower, makePushAttack } from './attacks.ts'
import { pageSize } from './deal-file.ts'
import type { CallKind, Calling, Visit, Visits } from './neighbour.ts'
import { type Ours, makeOurs } from './ours.ts'
import { makeParty } from './party.ts'
import { start, waitUntil } from './process.ts'

/** All attacks of a single caller; `pushes` registers browsers that never answer, and needs no client. */
export type AttackName = keyof Awaited<ReturnType<typeof makeAttacks>> | 'pushes'

/** A system with one attacking partner and another one whose calls are measured. */
export type AttackedSystem = Awaited<ReturnType<typeof startAttackedSystem>>

const neighbourDeals = 500
const neighbourFirstId = 60_000_000_000n
const linkedFiles = 100
/** The limits of HubSpot's smallest plans, without the daily one. */
const hubspotLimits = { burst: 100, searches: 5, daily: Infinity }

/** Starts it with the dependencies of attacks: a mail server and a CRM. */
export async function startAttackedSystem(stack: AsyncDisposableStack, attackerDeals: number) {
  const ours = await makeOurs(stack)
  const crm = await startCrm(stack)
  const mails = await startMailServer()
  stack.defer(() => mails.close())
  const secrets = { AUTH_SECRET: randomUUID() }
  const environment = {
    ...secrets,
    SMTP_URL: mails.url,
    HUBSPOT_URL: crm.url,
    // Each call queries the database.
    PAGE_CACHE_MB: '0',
  }
  await ours.start(environment)
  const db = openDatabase(await ours.databaseUrl(), 2)
  stack.defer(() => db.$client.end({ timeout: 5 }))
  const { id: attackerId } = await makeParty(ours, 'attacker', attackerDeals, attackerFirstId)
  const attacks = await makeAttacks({
    ours,
    db,
    partnerId: attackerId,
    fileIds: await linkFiles(db, crm, attackerFirstId),
    authSecret: secrets.AUTH_SECRET,
  })
  const { calls, neighbourId } = await makeCalls(ours, db, crm)
  const beginPushes = await makePushAttack(stack, db, attackerId)
  await connect(db, crm, await readFile(join(ours.directory, 'data', 'encryption-key'), 'utf8'))
  return {
    ours,
    crm,
    calls,
    /** Makes the other partner send these calls for this long; no file is requested twice. */
    visit: makeVisit(calls),
    /** Starts an attack, which `attacking` ends; resolves once it is running. */
    async begin(name: AttackName, attacking: AsyncDisposableStack): Promise<void> {
      if (name === 'pushes') return beginPushes(attacking)
      if (name === 'files') await db.$client`update sources set next_at = now()`
      const words = ['e2e/bench/attack.ts', JSON.stringify({ url: ours.url, ...attacks[name] })]
      const attack = start(attacking, process.execPath, words, {}, ['ignore', 'pipe', 'inherit'])
      await waitUntil(attack, 'The attack', async () => attack.output().stdout !== '')
    },
    isCrmReadSince: (time: Date) => isCrmReadSince(db, time),
    /** Changes a deal of the other partner. Returns the seconds until its follower is mailed. */
    mailS: await makeMailTimer(db, mails, neighbourId),
    restart: () => ours.restart(environment),
  }
}

/** Creates the other partner, with deals, a member and linked files. Returns its calls. */
async function makeCalls({ url }: Ours, db: Database, crm: StandIn) {
  const { id, token } = await makePartner(db)({
    deals: Array.from({ length: neighbourDeals }, (_, index) => ({
      id: neighbourFirstId + BigInt(index),
      dealname: `Deal ${index}`,
      notes: 'x'.repeat(2000),
    })),
  })
  const files = await linkFiles(db, crm, neighbourFirstId)
  const pages = Array.from({ length: neighbourDeals / pageSize }, (_, index) => index + 1)
  const headers = { authorization: `Bearer ${token}` }
  const cookie = await signedInUser({ db }, 'member', id)
  const calls: Record<CallKind, Calling> = {
    list: {
      urls: pages.map((page) => `${url}/api/deals?page=${page}&size=${pageSize}`),
      headers,
      everyMs: 100,
    },
    export: {
      urls: [`${url}/deals/export?all=1`],
      headers: { cookie },
      everyMs: secondMs,
      isOneAtATime: true,
    },
    file: { urls: files.map((file) => `${url}/api/files/${file}`), headers, everyMs: secondMs },
  }
  return { calls, neighbourId: id }
}

const followerEmail = 'follower@neighbour.example'
const mailMaxMs = 60_000

/** Returns the function that times a mail to a follower of the partner: each about another deal, as these are collected. */
async function makeMailTimer(
  db: Database,
  mails: MailServer,
  partnerId: PartnerId,
): Promise<() => Promise<number>> {
  const deals = Array.from({ length: 50 }, (_, index) => neighbourFirstId + BigInt(index))
  await makeFollower(db, partnerId, followerEmail, deals)
  return async () => {
    const before = mails.to(followerEmail).length
    const began = performance.now()
    await changeDeals(db, partnerId, [deals.pop()!])
    while (mails.to(followerEmail).length === before && performance.now() - began < mailMaxMs) await sleep(10)
    return (performance.now() - began) / 1000
  }
}

/** Returns a function that runs the other partner's calls. */
function makeVisit(calls: Record<CallKind, Calling>) {
  let filesAsked = 0
  return async (kinds: CallKind[], seconds: number) => {
    const wanted: Visit = {
      kinds: Object.fromEntries(kinds.map((kind) => [kind, calls[kind]])),
      seconds,
    }
    if (kinds.includes('file')) {
      const { file } = calls
      wanted.kinds['file'] = { ...file, urls: file.urls.slice(filesAsked) }
      filesAsked += Math.ceil((seconds * secondMs) / file.everyMs)
    }
    await using stack = new AsyncDisposableStack()
    const words = ['e2e/bench/neighbour.ts', JSON.stringify(wanted)]
    const { ended, output } = start(stack, process.execPath, words, {}, ['ignore', 'pipe', 'inherit'])
    await ended
    return JSON.parse(output().stdout) as Visits
  }
}

/** Starts a CRM under a host name that must be looked up. */
async function startCrm(stack: AsyncDisposableStack): Promise<StandIn> {
  const crm = new StandIn({ limits: hubspotLimits })
  await crm.listen()
  stack.defer(() => crm.close())
  crm.url = crm.url.replace('127.0.0.1', 'localhost')
  return crm
}

/** Links files of the CRM to a deal, like the source follower. Returns their ids. */
async function linkFiles({ $client: sql }: Database, crm: StandIn, deal: bigint): Promise<string[]> {
  const ids = Array.from({ length: linkedFiles }, (_, index) => crm.putFile(`file-${index}.pdf`, 'A file'))
  await sql`
    insert into files (id, deal_id, name, type, size_bytes, storage)
    select id, ${String(deal)}::bigint, 'file.pdf', 'application/pdf', 6, 'crm' from unnest(${ids}::text[]) as id`
  return ids
}

/** Connects the CRM as a source that has all linked files, and waits until it is followed. */
async function connect(db: Database, crm: StandIn, encryptionSecret: string): Promise<void> {
  crm.create({ dealname: 'A deal of the CRM' })
  const means = {
    ...asCommand({ db }),
    encryptionKey: encryptionKeyFrom(encryptionSecret),
    hubspotUrl: crm.url,
    pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
  }
  const id = await connectSource(means, { kind: 'hubspot', name: 'HubSpot', secret: crm.token })
  const { $client: sql } = db
  await sql`
    insert into source_files (file_id, source_id, deal_id)
    select id, ${id}, deal_id from files where storage = 'crm'`
  while (!(await isCrmReadSince(db, new Date(0)))) await sleep(pollMs)
}

const pollMs = 100

async function isCrmReadSince({ $client: sql }: Database, time: Date): Promise<boolean> {
  const [row] = await sql<[{ isRead: boolean }]>`
    select coalesce(bool_and(succeeded_at > ${time.toISOString()}::timestamptz), false) as "isRead" from sources`
  return row.isRead
}
