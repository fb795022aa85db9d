import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Database, Transaction } from '#db/client.ts'
import {
  type DemoPartner,
  agreementPdf,
  demoDeals,
  demoPartners,
  housePhoto,
  planSetPdf,
} from '#db/demo/demo.ts'
import { type SparseDeal, sparsePartners } from '#db/demo/sparse.ts'
import { note } from '../access/audited.ts'
import { findAccess } from '../access/token-access.ts'
import { invite } from '../accounts/link.ts'
import { hashPassword } from '../accounts/password.ts'
import type { Role } from '../accounts/role.ts'
import { type Partner, insertPartner, findPartner, listPartners } from '../accounts/store.ts'
import { saveUser } from '../accounts/user-store.ts'
import type { Action } from '../audit/action.ts'
import { insertEntry } from '../audit/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { Deal } from '../deals/deal.ts'
import { updateUsualZones } from '../deals/list-store.ts'
import { typeOf } from '../files/file.ts'
import type { FileKind } from '../files/kind.ts'
import type { Storages } from '../files/storage.ts'
import { insertFile } from '../files/store.ts'
import { insertDemoHours } from '../health/demo-store.ts'
import { insertDemoQuestions } from '../messages/demo-store.ts'
import { asCommand, command, printResult, type Runner } from '../runtime/command.ts'
import type { Config } from '../runtime/env.ts'
import type { StageMatcher } from '../stages/spelling.ts'
import { makeStageMatcher } from '../stages/store.ts'
import { type DemoUse, insertDemoUse } from '../tokens/demo-store.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { listTokens } from '../tokens/store.ts'
import { labelOf, hashToken } from '../tokens/token.ts'
import { dayMs, hourMs, parseSpan } from '../values/units.ts'
import { insertDemoDeliveries } from '../webhooks/demo-store.ts'
import { retrySchedule } from '../webhooks/policy.ts'

/**
 * Credentials for the demo: an account per role, an admin for each partner with sparse deals, and a token.
 */
export interface DemoAccess {
  email: string
  password: string
  /** A token of the partner to which the admin and the member belong. */
  token: string
  accounts: DemoAccount[]
}

interface DemoHome {
  db: Database
  storages: Storages
  config: Pick<Config, 'dataDir'>
}

interface DemoAccount {
  role: Role
  email: string
  password: string
  /** The name of the partner if it is not the first one. */
  partner?: string
}

/** The slugs of all demo partners. */
export const demoSlugs: ReadonlySet<string> = new Set(
  [...demoPartners, ...sparsePartners].map(({ slug }) => slug),
)

/** Formats an account in one line. */
export const accountText = ({ role, email, password, partner }: DemoAccount) =>
  [role.padEnd(8), email, password, ...(partner === undefined ? [] : [`(${partner})`])].join('  ')

/** Adds the command that loads the demo data. */
export function addDemoCommand(program: Command, runner: Runner): void {
  command(program, 'demo', 'load the demonstration data').action(({ json }: { json?: boolean }) =>
    runner.withServices(async (services) => {
      const access = await loadDemo(services)
      await note(asCommand(services), { action: 'demo.loaded' })
      const lines = ['Loaded. Portal:', ...access.accounts.map(accountText), `API token: ${access.token}`]
      printResult(runner, json, access, lines.join('\n'))
    }),
  )
}

/**
 * Returns whether to load the demo: it is incomplete, and the database contains no other data, as after a
 * first start.
 */
export async function isDemoDue({ db }: { db: Database }): Promise<boolean> {
  return !(await isWhole(db)) && (await listPartners(db)).every(({ slug }) => demoSlugs.has(slug))
}

const tokenName = 'Demonstration'

/** Returns whether the demo is complete. Its token is created last. */
async function isWhole(db: Database): Promise<boolean> {
  return (await listTokens(db)).some(
    ({ name, partner }) => name === tokenName && partner === demoPartners[0]!.slug,
  )
}

/** Number of deals of the demo partners with complete data. */
const usualCount = demoPartners.reduce((sum, { deals }) => sum + deals, 0)

/** Maximum number of demo deals, limited by the adjacent id ranges of partners. */
export const demoDealsMax = 90_000

/**
 * Loads the demo data unless it exists, and creates accounts and a token.
 * @param count the number of complete deals, at most `demoDealsMax`
 */
export async function loadDemo(home: DemoHome, count = usualCount): Promise<DemoAccess> {
  if (!(await isWhole(home.db))) {
    // As in an import, an unknown name becomes a new stage.
    const stages = await makeStageMatcher(home.db, {}, false)
    let left = count
    let usualLeft = usualCount
    for (const usual of demoPartners) {
      const demo = { ...usual, deals: Math.round((usual.deals * left) / usualLeft) }
      left -= demo.deals
      usualLeft -= usual.deals
      const known = await loadDeals(home, demo, await makePartner(home, demo), stages, whole)
      await addFiles(home, known)
    }
    for (const demo of sparsePartners)
      await loadDeals(home, demo, await makePartner(home, demo), stages, demo.given)
  }
  return (await demoAccess(home)) ?? makeAccess(home)
}

const makePartner = async ({ db }: DemoHome, { slug, name }: DemoPartner): Promise<Partner> =>
  (await insertPartner(db, slug, name)) ?? (await findPartner(db, slug))!

const whole = (deal: Deal): SparseDeal => ({ record: deal, hasPartner: true })

/** Number of days with demo changes. On any weekday, some changes are older than the retry schedule. */
const historyDays = 6

/** Loads the deals of a partner, reduced to the fields that `sparse` keeps. Returns the complete deals. */
async function loadDeals(
  { db }: Pick<DemoHome, 'db'>,
  demo: DemoPartner,
  { id: partnerId, createdAt: now }: Partner,
  stages: StageMatcher,
  sparse: (deal: Deal) => SparseDeal,
): Promise<Deal[]> {
  // `now` is the time of the first attempt, so that a repeated attempt creates the same data.
  const dealsAsOf = (daysAgo: number) => [
    ...demoDeals({
      partner: demo,
      count: demo.deals,
      firstId: demo.firstId,
      now,
      asOf: new Date(now.getTime() - daysAgo * dayMs),
    }),
  ]
  const write = (deals: Deal[], at: Date, events: boolean) =>
    writeDeals(
      db,
      deals.map(sparse).map(({ record, hasPartner }) => ({
        record: { ...record, stage: stages.match(record.stage ?? '').name },
        partnerId: hasPartner ? partnerId : null,
      })),
      { now: at, events },
    )
  let known = dealsAsOf(historyDays)
  for (const deals of inBatches(known, dealsAtOnce)) await write(deals, now, false)
  for (let daysAgo = historyDays - 1; daysAgo >= 0; daysAgo--) {
    const before = new Map(known.map(({ id, lastModified }) => [id, lastModified ?? '']))
    known = dealsAsOf(daysAgo)
    const changed = known
      .filter(({ id, lastModified }) => lastModified! > (before.get(id) ?? ''))
      .toSorted((a, b) => a.lastModified!.localeCompare(b.lastModified!))
    // Changes within the same hour are written together.
    for (const [hour, deals] of Map.groupBy(changed, ({ lastModified }) => lastModified!.slice(0, 13)))
      await write(deals, new Date(`${hour}:59:00Z`), true)
  }
  for (const deals of inBatches(known, dealsAtOnce)) await write(deals, now, false)
  await updateUsualZones(db)
  return known
}

/** Adds agreements to deals, and drawings to the most recently changed deals. */
async function addFiles(home: Filing, deals: Deal[]): Promise<void> {
  // Adds several files at a time, because each one waits for the disk.
  for (const batch of inBatches(deals, filesAtOnce))
    await Promise.all(batch.map((deal) => addAgreement(home, deal)))
  const drawn = deals.toSorted((a, b) => b.lastModified!.localeCompare(a.lastModified!)).slice(0, drawnDeals)
  for (const deal of drawn) await addDrawings(home, deal)
}

/** Number of deals per partner with photos and plan sets. */
const drawnDeals = 12

const dealsAtOnce = 250
const filesAtOnce = 16

function* inBatches<T>(items: T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

type Filing = Pick<DemoHome, 'db' | 'storages'>

async function addAgreement(home: Filing, deal: Deal): Promise<void> {
  if (deal.hicAgreement === null) return
  const file = { id: deal.hicAgreement, name: `Agreement ${deal.lastName}.pdf`, kind: 'agreement' as const }
  await addFile(home, deal, file, agreementPdf(deal))
}

/** Adds a plan set and photos before and after the install, depending on the deal's progress. */
async function addDrawings(home: Filing, deal: Deal): Promise<void> {
  const [plan, before, after] = [`plan-${deal.id}`, `before-${deal.id}`, `after-${deal.id}`] as const
  if (deal.siteSurveyCompleted !== null)
    await addFile(home, deal, { id: before, name: 'House.png', kind: 'photo' }, housePhoto(deal, false))
  if (deal.engineeringCompleted !== null)
    await addFile(home, deal, { id: plan, name: 'Plan set.pdf', kind: 'plan-set' }, planSetPdf(deal))
  if (deal.installComplete !== null)
    await addFile(home, deal, { id: after, name: 'Installed.png', kind: 'photo' }, housePhoto(deal, true))
}

async function addFile(
  { db, storages: { current } }: Filing,
  { id: dealId }: Deal,
  file: { id: string; name: string; kind: FileKind },
  content: Buffer,
): Promise<void> {
  const stored = await current.put(file.id, content)
  await insertFile(db, { ...file, dealId, type: typeOf(file.name), storage: current.name, ...stored })
}

const accessPath = ({ config }: Pick<DemoHome, 'config'>) => join(config.dataDir, 'demo-access.json')

/** Names of the admins of the partners with sparse deals, in the same order. */
const sparseAdmins = ['Teresa Maldonado', 'Wade Larkin']

// The people of the first partner, which the demo shows.
const people: { role: Role; mailbox: string; name: string }[] = [
  { role: 'admin', mailbox: 'demo', name: 'Dana Whitfield' },
  { role: 'member', mailbox: 'member', name: 'Nora Castellano' },
  { role: 'operator', mailbox: 'operator', name: 'Olivia Grant' },
]

const emailOf = (mailbox: string, slug: string) =>
  `${mailbox}@${mailbox === 'operator' ? 'partner-deals' : slug}.example`

const makePassword = () => randomBytes(12).toString('base64url')

async function makeAccess(home: DemoHome): Promise<DemoAccess> {
  const partner = (await findPartner(home.db, demoPartners[0]!.slug))!
  const accounts: DemoAccount[] = []
  for (const { role, mailbox, name } of people) {
    const email = emailOf(mailbox, partner.slug)
    const password = makePassword()
    const passwordHash = await hashPassword(password)
    const partnerId = role === 'operator' ? null : partner.id
    await saveUser(home.db, { email, name, role, partnerId, passwordHash })
    accounts.push({ role, email, password })
  }
  for (const [index, { slug, name: partnerName }] of sparsePartners.entries()) {
    const sparse = await findPartner(home.db, slug)
    // A demo loaded by an older version lacks this partner.
    if (sparse === undefined) continue
    const [user, password] = [{ role: 'admin' as const, email: emailOf('demo', slug) }, makePassword()]
    const passwordHash = await hashPassword(password)
    await saveUser(home.db, { ...user, name: sparseAdmins[index]!, partnerId: sparse.id, passwordHash })
    accounts.push({ ...user, password, partner: partnerName })
  }
  const { token } = await issueToken(home.db, { partnerId: partner.id, name: tokenName, expiresAt: null })
  // Called after the deals are loaded. Otherwise, deals reloaded after an interruption would be sent to the
  // endpoints.
  await loadLife(home.db, partner, {
    admin: emailOf('demo', partner.slug),
    member: emailOf('member', partner.slug),
    operator: emailOf('operator', partner.slug),
  })
  const { email, password } = accounts[0]!
  const access: DemoAccess = { email, password, token, accounts }
  const unfinished = `${accessPath(home)}.${randomUUID()}`
  await writeFile(unfinished, JSON.stringify(access), { mode: 0o600, flush: true })
  await rename(unfinished, accessPath(home))
  return access
}

/** Returns the stored demo credentials if the token is still valid. */
export async function demoAccess(home: Pick<DemoHome, 'db' | 'config'>): Promise<DemoAccess | null> {
  const text = await readFile(accessPath(home), 'utf8').catch(() => null)
  if (text === null) return null
  const stored = JSON.parse(text) as Omit<DemoAccess, 'accounts'> & Partial<DemoAccess>
  const { email, password } = stored
  // A demo loaded by an older version has only an admin.
  const access = { ...stored, accounts: stored.accounts ?? [{ role: 'admin' as const, email, password }] }
  return (await findAccess(home.db, [hashToken(access.token)])).size === 0 ? null : access
}

/** A fictional demo token without a secret. */
interface DemoToken extends DemoUse {
  name: string
}

// The IP addresses are from blocks reserved for documentation (RFC 5737).
const tokens: DemoToken[] = [
  {
    name: 'CRM (demonstration)',
    createdDaysAgo: 60,
    revokedDaysAgo: null,
    requestsPerDay: 320,
    address: '203.0.113.24',
    agent: 'sunline-crm/3.1',
  },
  {
    name: 'Reports (demonstration)',
    createdDaysAgo: 41,
    revokedDaysAgo: null,
    requestsPerDay: 24,
    address: '203.0.113.61',
    agent: 'python-requests/2.32',
  },
  {
    name: 'Former CRM (demonstration)',
    createdDaysAgo: 200,
    revokedDaysAgo: 12,
    requestsPerDay: 90,
    address: '203.0.113.24',
    agent: 'sunline-crm/2.8',
  },
]

/**
 * Adds activity to a demo partner: webhooks with deliveries, tokens, questions, an invitation and audit
 * entries.
 */
async function loadLife(
  db: Database,
  partner: Partner,
  { admin, member, operator }: { admin: string; member: string; operator: string },
): Promise<void> {
  const { createdAt: now } = partner
  const host = `https://crm.${partner.slug}.example`
  const urls = { create: `${host}/hooks/deal-created`, update: `${host}/hooks/deal-updated` }
  const email = `lena.ortega@${partner.slug}.example`
  const scheduleMs = retrySchedule.split(',').map((span) => parseSpan(span)!)
  await db.transaction(async (tx) => {
    if (!(await insertDemoDeliveries(tx, partner.id, urls, { now, scheduleMs }))) return
    const entries: [daysAgo: number, who: string, action: Action, subject: string][] = [
      [9.1, admin, 'address.changed', `createURL set to ${urls.create}, updateURL set to ${urls.update}`],
      [9, admin, 'address.tested', `createURL ${urls.create}`],
      [3.4, member, 'deals.exported', ''],
      [1.2, admin, 'account.signed-in', ''],
      [0.9, member, 'account.signed-in', ''],
    ]
    for (const token of tokens) {
      const label = await loadToken(tx, partner, token)
      entries.push([token.createdDaysAgo, admin, 'token.created', label])
      if (token.revokedDaysAgo !== null) entries.push([token.revokedDaysAgo, admin, 'token.revoked', label])
    }
    await insertDemoHours(tx)
    await insertDemoQuestions(tx, partner.id, { member, operator })
    entries.push([2 * (hourMs / dayMs), admin, 'user.invited', `${email} (member)`])
    for (const [daysAgo, who, action, subject] of entries.toSorted(([a], [b]) => b - a))
      await insertEntry(tx, {
        at: new Date(now.getTime() - daysAgo * dayMs),
        partnerId: partner.id,
        who,
        action,
        subject,
        address: '203.0.113.7',
      })
  })
  // This invitation is never sent.
  const deps = { db, publicUrl: 'https://deals.example' }
  await invite(deps, { email, name: 'Lena Ortega', role: 'member', partnerId: partner.id })
}

async function loadToken(tx: Transaction, { id: partnerId }: Partner, token: DemoToken): Promise<string> {
  const { id, prefix } = await issueToken(tx, { partnerId, name: token.name, expiresAt: null })
  await insertDemoUse(tx, id, token)
  return labelOf({ name: token.name, prefix })
}
