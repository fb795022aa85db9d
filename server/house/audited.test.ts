import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { demoPartners } from '#db/demo/demo.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { changeDeals, failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach } from '#e2e/dispatchers.ts'
import { runOperator } from '#e2e/operator.ts'
import { runImportJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { everyone } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { hashPassword } from '../accounts/password.ts'
import { insertPartner, listPartners } from '../accounts/store.ts'
import { saveInvited } from '../accounts/user-store.ts'
import { api } from '../api.ts'
import type { Action } from '../audit/action.ts'
import { readEntries } from '../audit/store.ts'
import { makeProgram } from '../commands.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { ApiError } from '../errors.ts'
import { type System, openSystem } from '../programs/system.ts'
import { type Runner, makeRunner } from '../runtime/command.ts'
import { readConfig } from '../runtime/env.ts'
import { saveDescribedStages } from '../stages/store.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { utc } from '../values/zone.ts'
import { leaseDue, recordAttempts } from '../webhooks/queue-store.ts'
import { insertSecret } from '../webhooks/secret-store.ts'

const { listen } = closeAfterEach()
let database: TestDatabase
let db: Database
let dataDir: string
let system: System
const crm = new StandIn()
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
  dataDir = await mkdtemp(join(tmpdir(), 'audited-'))
  await crm.listen()
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: 'k'.repeat(43),
    HUBSPOT_URL: crm.url,
    PUBLIC_URL: 'https://deals.example.com',
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  })
  system = await openSystem(config, pino({ level: 'silent' }), () => {})
})
afterAll(async () => {
  await system.close()
  await database.drop()
  await rm(dataDir, { recursive: true })
  await crm.close()
})

let last = 0
const newest = async () => (await readEntries(db, everyone, {}, { behind: null, limit: 1 })).entries[0]

/** Returns a partner with users of each role, as whom `ask` calls procedures. */
async function makeWorld() {
  const receiver = await listen()
  const partnerId = await makeReceivingPartner(db, { create: receiver.url, update: receiver.url })
  const { slug } = (await listPartners(db)).find(({ id }) => id === partnerId)!
  const client = { address: '203.0.113.9', agent: '' }
  const [member, admin, operator] = [
    await signedIn(system.services, { role: 'member', partnerId, client }),
    await signedIn(system.services, { role: 'admin', partnerId, client }),
    await signedIn(system.services, { role: 'operator', partnerId, client }),
  ]
  return {
    partnerId,
    slug,
    user: member.actor.user,
    ask: {
      member: api.createCaller(member),
      admin: api.createCaller(admin),
      operator: api.createCaller(operator),
    },
  }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const http = 'http://127.0.0.1:9/'
const view = { name: 'Mine', query: '', isShared: false }
const newEmail = () => `user${++last}@a.example`
const mapping = { mapping: { dealname: 'dealname' }, partnerProperty: null }

async function failedDelivery({ partnerId }: World) {
  await changeDeals(db, partnerId, [BigInt(++last)])
  const [delivery] = await leaseDue(db, { partnerId, kind: 'create' }, 1, [], 60_000)
  await recordAttempts(db, [outcomeOf(delivery!, { ...failure, state: 'failed', waitMs: null })], 1e9)
  return delivery!.id
}

async function stageOfDeal({ partnerId }: World) {
  const stage = `Stage ${++last}`
  const record = { id: BigInt(last), stage }
  await writeDeals(db, [{ record, partnerId }], { now: new Date(), events: false })
  return stage
}

async function unusedStage() {
  const name = `Stage ${++last}`
  await saveDescribedStages(db, [{ name, kind: 'open', order: 0, probability: null }])
  return name
}

const tokenId = async ({ partnerId }: World) =>
  (await issueToken(db, { partnerId, name: 'CRM', expiresAt: null })).id

async function source({ ask }: World) {
  const name = `HubSpot ${++last}`
  const { id } = await ask.operator.sources.look({ kind: 'hubspot', name, secret: crm.token })
  await ask.operator.sources.connect({ id })
  return { name, id }
}

async function deal({ partnerId }: World) {
  const id = BigInt(++last)
  await changeDeals(db, partnerId, [id])
  return String(id)
}

const begunImport = async ({ ask, slug }: World, content = `{"id":${++last},"dealname":"A deal"}\n`) => {
  const bytes = Buffer.from(content)
  const begun = { fileName: 'deals.ndjson', sizeBytes: bytes.length, partner: slug, events: true }
  return { id: (await ask.operator.imports.begin(begun)).id, offset: 0, bytes }
}

async function checkedImport(world: World, content?: string) {
  const part = await begunImport(world, content)
  await world.ask.operator.imports.append(part)
  await runImportJobs(system.services)
  return { id: part.id }
}

const pdf = { name: 'a.pdf', sizeBytes: 1 }
const onePart = { offset: 0, bytes: Buffer.from('x') }
const newFile = async (world: World) => ({ dealId: await deal(world), ...pdf, kind: 'permit' as const })
const beginFile = async (world: World) => world.ask.operator.files.begin(await newFile(world))
async function sendFile(world: World) {
  const { id } = await beginFile(world)
  await world.ask.operator.files.append({ id, ...onePart })
  return { id }
}
async function addFile(world: World) {
  const { id } = await sendFile(world)
  await world.ask.operator.files.finish({ id })
  return { id }
}
const beginAttachment = async (world: World) =>
  world.ask.member.messages.beginFile({ dealId: await deal(world), ...pdf })
const question = async (world: World) => ({
  id: (await world.ask.member.messages.ask({ dealId: await deal(world), text: 'When?', files: [] })).threadId,
})

const reply = { id: null, title: 'Reply', text: 'Soon.' }
const channel = { name: 'Deals', service: 'slack' as const, url: `${http}x`, kinds: ['stage' as const] }
async function addChannel({ ask }: World) {
  await ask.admin.channels.add(channel)
  return { id: (await ask.admin.channels.list()).at(-1)!.id }
}

const sheet = {
  name: 'Open deals',
  filter: {},
  sort: { field: 'lastModified' as const, direction: 'desc' as const },
  columns: [{ column: 'id' as const, title: 'Deal ID' }],
}
const subscribe = async ({ ask }: World) => (await ask.admin.subscriptions.create({ url: http })).value().id

type Input = object | ((world: World) => Promise<object> | object)

/** Returns the action and input of a mutation of a connected source. */
const ofSource = (action: Action, more: object = {}): [Action, Input] => [
  action,
  async (world) => ({ id: (await source(world)).id, ...more }),
]

/** The audit entries of all mutations, by the role of the actor, with an input for each. */
const mutations: Record<keyof World['ask'], Record<string, [Action, Input?]>> = {
  member: {
    'accounts.rename': ['account.renamed', { name: 'Nia' }],
    'accounts.endSession': ['account.session-ended', ({ user }) => ({ id: user.sessionHash.slice(0, 16) })],
    'accounts.signOutEverywhere': ['account.signed-out'],
    'accounts.changePassword': [
      'account.password-changed',
      async ({ user }) => {
        const current = 'correct horse battery'
        await db.$client`update users set password_hash = ${await hashPassword(current)} where id = ${user.id}`
        return { current, next: 'another horse battery' }
      },
    ],
    'deals.assign': [
      'deals.assigned',
      async (world) => [{ ids: [await deal(world)], userId: world.user.id }],
    ],
    'messages.beginFile': ['file.upload-begun', async (world) => ({ dealId: await deal(world), ...pdf })],
    'messages.appendFile': [
      'file.received',
      async (world) => ({ id: (await beginAttachment(world)).id, ...onePart }),
    ],
    'messages.discardFile': ['file.upload-discarded', beginAttachment],
    'messages.resolve': ['question.resolved', question],
    'messages.reopen': ['question.reopened', question],
    'accounts.setTimeZone': ['account.time-zone-changed', { timeZone: 'Europe/Berlin' }],
    'notifications.setSettings': [
      'account.notifications-changed',
      {
        ...Object.fromEntries(
          ['stage', 'dates', 'late', 'items', 'messages', 'byMail'].map((on) => [on, true]),
        ),
        files: false,
        atNight: false,
        schedule: 'daily',
        hour: 7,
      },
    ],
    'notifications.useMailAgain': ['account.notifications-changed'],
    'insight.setDigest': ['account.digest-changed', { isOn: true }],
    'views.save': ['view.saved', view],
    'views.rename': [
      'view.renamed',
      async ({ ask }) => ({ id: (await ask.member.views.save(view)).id, name: 'Ours' }),
    ],
    'views.remove': ['view.removed', async ({ ask }) => ({ id: (await ask.member.views.save(view)).id })],
  },
  admin: {
    'deliveries.resend': ['delivery.resent', async (world) => ({ id: await failedDelivery(world) })],
    'deliveries.resendFailed': [
      'deliveries.resent',
      async (world) => (await failedDelivery(world), { since: new Date(0) }),
    ],
    'accounts.setPartnerTimeZone': ['partner.time-zone-changed', { timeZone: 'Europe/Berlin' }],
    'team.invite': ['user.invited', () => ({ email: newEmail(), name: 'Nia', role: 'member' })],
    'team.inviteAgain': [
      'user.invited',
      async ({ partnerId }) =>
        (await saveInvited(db, { email: newEmail(), name: 'Nia', role: 'member', partnerId }))!,
    ],
    'team.changeRole': ['user.role-changed', ({ user }) => ({ id: user.id, role: 'admin', evenLast: false })],
    'team.remove': ['user.removed', ({ user }) => ({ id: user.id, evenLast: false })],
    'sheets.create': ['token.created', sheet],
    'sheets.rotate': [
      'token.rotated',
      async ({ ask }) => {
        const created = await ask.admin.sheets.create(sheet)
        return { id: Number(/(\d+)\.csv$/.exec(created.sheet.url)![1]), grace: '24h' }
      },
    ],
    'tokens.create': ['token.created', { name: 'CRM', scopes: ['deals:read'], span: '30d', day: '' }],
    'tokens.rotate': ['token.rotated', async (world) => ({ id: await tokenId(world), grace: '24h' })],
    'tokens.revoke': ['token.revoked', async (world) => ({ id: await tokenId(world) })],
    'team.shareScorecard': ['scorecard.shared', { isShared: true }],
    'channels.add': ['channel.added', channel],
    'channels.change': [
      'channel.changed',
      async (world) => ({ ...(await addChannel(world)), name: 'Ours', kinds: ['late'] }),
    ],
    'channels.switch': [
      'channel.switched-off',
      async (world) => ({ ...(await addChannel(world)), isOn: false }),
    ],
    'channels.test': ['channel.tested', addChannel],
    'channels.remove': ['channel.removed', addChannel],
    'push.setNames': ['partner.push-names-changed', { isOn: false }],
    'subscriptions.create': ['subscription.created', { url: http }],
    'subscriptions.edit': [
      'subscription.changed',
      async (world) => ({ id: await subscribe(world), url: `${http}b` }),
    ],
    'subscriptions.remove': ['subscription.removed', async (world) => ({ id: await subscribe(world) })],
    'subscriptions.replay': ['events.replayed', { url: http, since: new Date(0) }],
    'webhooks.set': ['address.changed', { createURL: http }],
    'webhooks.reveal': ['secret.revealed'],
    'webhooks.rotate': ['secret.rotated'],
    'webhooks.finishRotation': [
      'secret.finished',
      async ({ partnerId }) => (await insertSecret(db, partnerId, system.services.encryptionKey), {}),
    ],
    'webhooks.test': ['address.tested', { kind: 'create' }],
    'webhooks.examine': ['address.tested', { kind: 'create' }],
    'webhooks.switchOn': ['address.switched-on', { kind: 'create' }],
  },
  operator: {
    'deals.setPhone': ['staff.phone-set', { email: 'maria@bright.example', phone: '602 555 0147' }],
    'files.begin': ['file.upload-begun', newFile],
    'files.append': ['file.received', async (world) => ({ id: (await beginFile(world)).id, ...onePart })],
    'files.discard': ['file.upload-discarded', sendFile],
    'files.finish': ['file.added', sendFile],
    'files.remove': ['file.removed', addFile],
    'imports.append': ['import.uploaded', begunImport],
    'imports.sendCorrections': [
      'import.uploaded',
      async (world) => {
        const cells = [{ title: 'id', text: String(++last) }]
        return { ...(await checkedImport(world, '{"id":"x"}\n')), corrections: [{ line: 1, cells }] }
      },
    ],
    'imports.start': ['import.started', checkedImport],
    'imports.discard': ['import.discarded', checkedImport],
    'messages.saveReply': ['reply.saved', reply],
    'messages.removeReply': [
      'reply.removed',
      async ({ ask: { operator } }) => {
        await operator.messages.saveReply({ ...reply, title: `Reply ${++last}` })
        return { id: (await operator.messages.replies()).find(({ title }) => title === `Reply ${last}`)!.id }
      },
    ],
    'messages.setReminder': ['reminder.changed', { hours: 8 }],
    'partners.create': ['partner.created', () => ({ slug: `p${++last}`, name: 'Acme' })],
    'partners.rename': ['partner.renamed', ({ slug }) => ({ slug, name: 'Acme' })],
    'partners.setTimeZone': ['partner.time-zone-changed', ({ slug }) => ({ slug, timeZone: null })],
    'partners.setFileQuota': ['partner.file-quota-changed', ({ slug }) => ({ slug, gigabytes: 20 })],
    'partners.suspend': ['partner.suspended', ({ slug }) => ({ slug })],
    'partners.resume': [
      'partner.resumed',
      async ({ ask, slug }) => (await ask.operator.partners.suspend({ slug }), { slug }),
    ],
    'stages.set': ['stage.changed', async (world) => ({ name: await stageOfDeal(world), kind: 'won' })],
    'stages.move': [
      'stage.changed',
      async (world) => {
        const name = await stageOfDeal(world)
        const open = (await world.ask.operator.stages.list()).filter(({ kind }) => kind === 'open')
        const names = open.map((stage) => stage.name)
        const [before = null] = names.filter((other) => other !== name)
        return { name, was: names[names.indexOf(name) - 1] ?? null, after: null, before }
      },
    ],
    'stages.confirm': ['stage.changed', async (world) => ({ names: [await stageOfDeal(world)] })],
    'stages.remove': ['stage.removed', async () => ({ name: await unusedStage() })],
    'stages.merge': [
      'stage.merged',
      async (world) => ({ name: await unusedStage(), into: await stageOfDeal(world) }),
    ],
    'sources.look': [
      'source.looked-at',
      () => ({ kind: 'hubspot', name: `HubSpot ${++last}`, secret: crm.token }),
    ],
    'sources.lookAgain': ofSource('source.looked-at'),
    'sources.connect': [
      'source.connected',
      ({ ask }) =>
        ask.operator.sources.look({ kind: 'hubspot', name: `HubSpot ${++last}`, secret: crm.token }),
    ],
    'sources.setSecret': ofSource('source.token-changed', { secret: crm.token }),
    'sources.setSigningSecret': ofSource('source.signing-secret-set', { secret: 'signs' }),
    'sources.pause': ofSource('source.paused'),
    'sources.resume': ofSource('source.resumed'),
    'sources.refresh': ofSource('source.refreshed'),
    'sources.compare': ofSource('source.compared'),
    'sources.setPoll': ofSource('source.changed', { pollS: 30 }),
    'sources.setZone': ofSource('source.changed', { zone: utc }),
    'sources.setMapping': ofSource('source.changed', mapping),
    'sources.setFiles': ofSource('source.changed', { files: { properties: ['dealname'], mode: 'link' } }),
    'sources.tryMapping': ofSource('source.mapping-tried', mapping),
    'sources.dropTrial': ofSource('source.mapping-discarded'),
    'sources.approveRemovals': ofSource('source.removals-approved', { count: 3 }),
    'sources.disconnect': ofSource('source.disconnected'),
    'sources.assign': [
      'source.partner-assigned',
      async (world) => ({ id: (await source(world)).id, value: 'A', partner: world.slug, events: true }),
    ],
    'team.reset': ['user.reset', ({ user }) => ({ id: user.id })],
  },
}

const mutationsOf = Object.entries(mutations).flatMap(([role, own]) =>
  Object.entries(own).map(
    ([name, [action, input]]) => [name, role as keyof World['ask'], action, input] as const,
  ),
)

/** Mutations without an entry, by reason. */
const unwritten: Record<string, string[]> = {
  'the user has not signed in yet': ['accounts.requestReset', 'accounts.requestSignIn'],
  'the message has an author and a time': ['messages.ask', 'messages.answer'],
  'the upload of the file is recorded instead': ['imports.begin'],
  'the upload, start and undoing of the file are recorded instead': [
    'check',
    'checkCorrections',
    'choose',
    'undo',
  ].map((name) => `imports.${name}`),
  'what users follow and read is their own business': [
    'messages.read',
    ...['subscribe', 'unsubscribe', 'remove'].map((name) => `push.${name}`),
    ...['confirmPeople', 'followView', 'readAll', 'readDeal', 'setFollow'].map(
      (name) => `notifications.${name}`,
    ),
  ],
}

test('the test covers every mutation', () => {
  const all = Object.entries(api._def.procedures)
    .filter(([, procedure]) => (procedure as unknown as { _def: { type: string } })._def.type === 'mutation')
    .map(([name]) => name)
  expect(all.toSorted()).toEqual(
    [...mutationsOf.map(([name]) => name), ...Object.values(unwritten).flat()].toSorted(),
  )
})

test.each(mutationsOf)(
  '%s creates an audit entry with its action, actor and IP address',
  async (name, role, action, input) => {
    const world = await makeWorld()
    const value = typeof input === 'function' ? await input(world) : input
    const before = (await newest())?.id ?? 0
    const [room, procedure] = name.split('.') as [string, string]
    const caller = world.ask[role] as unknown as Record<string, Record<string, (input: unknown) => unknown>>
    await caller[room]![procedure]!(value)
    const entry = await newest()
    expect(entry).toMatchObject({
      action,
      who: expect.stringMatching(/^[\w-]+@example\.com$/),
      address: '203.0.113.9',
    })
    expect(entry!.id).toBeGreaterThan(before)
    await runImportJobs(system.services)
  },
)

type Words = (world: World) => Promise<string[]> | string[]

/** Returns the action and arguments of a command on a connected source. */
const onSource = (action: Action, ...more: string[]): [Action, Words] => [
  action,
  async (world) => [(await source(world)).name, ...more],
]

async function writeDealFile(): Promise<string> {
  const path = join(dataDir, `${++last}.ndjson`)
  await writeFile(path, `{"id":${last},"dealname":"A deal"}\n`)
  return path
}

async function failedJob(): Promise<string[]> {
  const [job] = await db.$client<{ id: string }[]>`
    insert into pgboss.job (name, state) values ('record-lag', 'failed') returning id::text`
  return [job!.id]
}

/** The audit entries of all commands that change something, with arguments for each. */
const commands: Record<string, [Action, Words]> = {
  'partner create': ['partner.created', () => [`p${++last}`, '--name', 'Acme']],
  'partner file-quota': ['partner.file-quota-changed', ({ slug }) => [slug, '20']],
  'partner time-zone': ['partner.time-zone-changed', ({ slug }) => [slug, 'America/Denver']],
  'partner rename': ['partner.renamed', ({ slug }) => [slug, '--name', 'Acme']],
  'partner suspend': ['partner.suspended', ({ slug }) => [slug]],
  'partner resume': [
    'partner.resumed',
    async ({ ask, slug }) => (await ask.operator.partners.suspend({ slug }), [slug]),
  ],
  'stage remove': ['stage.removed', async () => [await unusedStage()]],
  'stage merge': ['stage.merged', async (world) => [await unusedStage(), '--into', await stageOfDeal(world)]],
  'stage set': ['stage.changed', async (world) => [await stageOfDeal(world), '--kind', 'lost']],
  'source pause': onSource('source.paused'),
  'source resume': onSource('source.resumed'),
  'source refresh': onSource('source.refreshed'),
  'source compare': onSource('source.compared'),
  'source disconnect': onSource('source.disconnected'),
  'source zone': onSource('source.changed', 'America/Phoenix'),
  'source poll': onSource('source.changed', '30'),
  'source assign': [
    'source.partner-assigned',
    async (world) => [(await source(world)).name, 'A', '--partner', world.slug],
  ],
  'source signing-secret': onSource('source.signing-secret-set'),
  'source mapping': onSource('source.changed', 'city=state', '--apply'),
  'source files': onSource('source.changed', '--off'),
  'source approve-removals': [
    'source.removals-approved',
    async (world) => {
      const { id, name } = await source(world)
      await db.$client`update sources set removals_waiting = 3 where id = ${id}`
      return [name]
    },
  ],
  import: ['import.started', async ({ slug }) => [await writeDealFile(), '--partner', slug]],
  'imports undo': [
    'import.undone',
    async (world) => {
      const { id } = await checkedImport(world)
      await world.ask.operator.imports.start({ id })
      await runImportJobs(system.services)
      return [String(id), '--apply']
    },
  ],
  'deal remove': ['deal.removed', async (world) => [await deal(world)]],
  'file add': ['file.added', async (world) => [await writeDealFile(), '--deal', await deal(world)]],
  'file sweep': ['files.swept', () => ['--remove']],
  'token create': ['token.created', ({ slug }) => ['--partner', slug, '--name', 'CRM']],
  'token rotate': ['token.rotated', async (world) => [String(await tokenId(world))]],
  'token revoke': ['token.revoked', async (world) => [String(await tokenId(world))]],
  'user invite': ['user.invited', ({ slug }) => [newEmail(), '--partner', slug]],
  'user remove': ['user.removed', ({ user }) => [user.email]],
  'user reset': ['user.reset', ({ user }) => [user.email]],
  'webhook show': ['secret.revealed', ({ slug }) => ['--partner', slug, '--reveal']],
  'webhook set': ['address.changed', ({ slug }) => ['--partner', slug, '--create-url', http]],
  'webhook rotate': ['secret.rotated', ({ slug }) => ['--partner', slug]],
  'webhook test': ['address.tested', ({ slug }) => ['--partner', slug, '--endpoint', 'create']],
  'deliveries resend': [
    'delivery.resent',
    async (world) => [String(await failedDelivery(world)), '--partner', world.slug],
  ],
  demo: [
    'demo.loaded',
    async () => {
      // Marks the demo as loaded, because loading takes long.
      const { slug, name } = demoPartners[0]!
      const { id } = (await insertPartner(db, slug, name))!
      await issueToken(db, { partnerId: id, name: 'Demonstration', expiresAt: null })
      return []
    },
  ],
  'jobs retry': ['job.retried', failedJob],
  'jobs discard': ['job.discarded', failedJob],
}

/** Commands without an entry here, by reason. */
const unwrittenCommands: Record<string, string[]> = {
  'only reads': [
    ...['partner', 'jobs', 'stage', 'token', 'user', 'imports', 'source', 'deliveries', 'events'].map(
      (room) => `${room} list`,
    ),
    'webhook subscriptions',
    'source rejected',
    'source unknown',
    'backup',
  ],
  'reads standard input; tested in server/sources': ['source connect', 'source connect-sql'],
  'needs an object storage; tested in e2e/s3': ['file move'],
  'restores the audit log as well': ['restore'],
}

/** Returns the full names of the commands that have no subcommands. */
function namesOf(parent: Command, path: string[] = []): string[] {
  return parent.commands.flatMap((child) => {
    const names = [...path, child.name()]
    return child.commands.length === 0 ? [names.join(' ')] : namesOf(child, names)
  })
}

describe('commands', () => {
  const operate = (words: string[]) => runOperator(system.services, words)

  test('the test covers every command', () => {
    expect(namesOf(makeProgram(makeRunner({} as Runner))).toSorted()).toEqual(
      [...Object.keys(commands), ...Object.values(unwrittenCommands).flat()].toSorted(),
    )
  })

  test.each(Object.entries(commands))('%s creates an audit entry', async (name, [action, wordsFor]) => {
    const words = [...name.split(' '), ...(await wordsFor(await makeWorld()))]
    const before = (await newest())?.id ?? 0
    expect(await operate(words)).toMatchObject({ code: 0, stderr: '' })
    const entry = await newest()
    expect(entry).toMatchObject({ action, who: 'operator command', address: null })
    expect(entry!.id).toBeGreaterThan(before)
  })

  test("actions on a partner's objects appear in that partner's audit log", async () => {
    const world = await makeWorld()
    for (const name of ['deal remove', 'file add', 'webhook rotate', 'deliveries resend'])
      expect((await operate([...name.split(' '), ...(await commands[name]![1](world))])).code).toBe(0)
    const { entries } = await readEntries(db, world.partnerId, {}, { behind: null, limit: 4 })
    expect(entries.map(({ action }) => action)).toEqual([
      'delivery.resent',
      'secret.rotated',
      'file.added',
      'deal.removed',
    ])
  })

  test('create no audit entry if they fail', async () => {
    const before = await newest()
    const missing = { code: 1, stdout: '', stderr: 'operator: there is no deal 999999999\n' }
    expect(await operate(['deal', 'remove', '999999999'])).toEqual(missing)
    expect(await operate(['file', 'add', await writeDealFile(), '--deal', '999999999'])).toEqual(missing)
    expect(await newest()).toEqual(before)
  })
})

describe('a change and its audit entry', () => {
  const context = async () => {
    const { id } = (await insertPartner(db, `p${++last}`, 'A partner'))!
    const issued = await issueToken(db, { partnerId: id, name: 'CRM', expiresAt: null })
    const client = { address: null, agent: '' }
    const tenant = id as PartnerId
    return {
      db,
      actor: { tenant, scopes: [], tokenId: issued.id, user: null, client, listRevision: null, zone: utc },
    }
  }

  test('are both written, with details from the result and a system named by its token', async () => {
    const slug = `p${++last}`
    const result = await audited(
      await context(),
      (subject: string) => ({ action: 'partner.created', subject }),
      async (tx) => (await insertPartner(tx, slug, 'Made'))!.slug,
    )
    expect(result).toBe(slug)
    expect(await newest()).toMatchObject({
      action: 'partner.created',
      subject: slug,
      who: expect.stringMatching(/^CRM \(pd_\w{6}…\)$/),
      partner: 'A partner',
    })
  })

  test('are both absent if the change fails or the entry cannot be written', async () => {
    const ctx = await context()
    const before = await newest()
    const slug = `p${++last}`
    const failing = audited(ctx, { action: 'partner.created' }, async (tx) => {
      await insertPartner(tx, slug, 'Made')
      throw new ApiError('NOT_FOUND', 'x')
    })
    await expect(failing).rejects.toThrow('x')
    const toNobody = { action: 'partner.created', partnerId: 999_999_999 } as const
    await expect(audited(ctx, toNobody, (tx) => insertPartner(tx, slug, 'Made'))).rejects.toThrow()
    expect((await listPartners(db)).some((partner) => partner.slug === slug)).toBe(false)
    expect(await newest()).toEqual(before)
  })
})
