import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { demoPartners } from '#db/demo/demo.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { createUser } from '#e2e/create-user.ts'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { changeDeals, failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach } from '#e2e/dispatchers.ts'
import { runOperator } from '#e2e/operator.ts'
import { runImportJobs } from '#e2e/run-import-jobs.ts'
import { actorOfSession, everyone } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { makeAccessLoader } from '../access/token-access.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { findSession, insertSession } from '../accounts/session-store.ts'
import { insertPartner, listPartners } from '../accounts/store.ts'
import { saveInvited } from '../accounts/user-store.ts'
import { hashText } from '../accounts/user.ts'
import { api } from '../api.ts'
import type { Action } from '../audit/action.ts'
import { readEntries } from '../audit/store.ts'
import { makeProgram } from '../commands.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { ApiError } from '../errors.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { storagesOf } from '../files/storage.ts'
import { parseCidrs } from '../net/ip-address.ts'
import { type System, openSystem } from '../programs/system.ts'
import { readConfig } from '../runtime/env.ts'
import { type Runner, makeRunner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { saveDescribedStages } from '../stages/store.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { utc } from '../values/zone.ts'
import { leaseDue, recordAttempts } from '../webhooks/dispatcher/queue-store.ts'
import { makeSafeFetch } from '../webhooks/dispatcher/safe-fetch.ts'
import { encryptionKeyFrom } from '../webhooks/endpoints/encryption.ts'
import { insertSecret } from '../webhooks/endpoints/secret-store.ts'

const { keep, listen } = closeAfterEach()
let database: TestDatabase
let db: Database
let dataDir: string
const crm = new StandIn()
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
  dataDir = await mkdtemp(join(tmpdir(), 'audited-'))
  await crm.listen()
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
  await crm.close()
})

// Commands get it from the environment.
const typedKey = 'k'.repeat(43)
const encryptionKey = encryptionKeyFrom(typedKey)

let last = 0
const newest = async () => (await readEntries(db, everyone, {}, { behind: null, limit: 1 })).entries[0]

/** Everything that mutations can change, created anew for each. */
async function makeWorld() {
  const receiver = await listen()
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const resolve = async () => ['127.0.0.1']
  const services = {
    db,
    encryptionKey,
    endpointRules,
    resolve,
    access: makeAccessLoader(db),
    mailer: null,
    anonymous: { countWork: () => 0 },
    background: ((_kind, _key, run) => {
      void run()
      return true
    }) satisfies Services['background'],
    storages: storagesOf(directoryStorage({ directory: join(dataDir, 'files') }), null),
    config: { publicUrl: 'https://deals.example.com', dataDir, hubspotUrl: crm.url },
    log: { warn() {} },
    webhooks: {
      safeFetch: keep(makeSafeFetch(endpointRules, resolve)),
      timeoutMs: 20_000,
      retry: { scheduleMs: [0], throttleMs: 0 },
    },
  } as unknown as Services
  const partnerId = await makeReceivingPartner(db, { create: receiver.url, update: receiver.url })
  const { slug } = (await listPartners(db)).find(({ id }) => id === partnerId)!
  const password = 'correct horse battery'

  async function makeUser(role: Role) {
    const user = await createUser(db, {
      email: `user${++last}@a.example`,
      name: 'Ana',
      password,
      role,
      partnerId: role === 'operator' ? null : partnerId,
    })
    const hash = hashText(user.email)
    await insertSession(db, {
      hash,
      userId: user.id,
      sessionsEnded: 0,
      expiresAt: new Date(Date.now() + 600_000),
    })
    const session = (await findSession(db, hash))!
    return {
      ...user,
      hash,
      ask: api.createCaller({
        services,
        actor: actorOfSession(session, { address: '203.0.113.9', agent: '' }),
        ifNoneMatch: () => false,
      }),
    }
  }

  return {
    partnerId: partnerId as PartnerId,
    slug,
    password,
    admin: await makeUser('admin'),
    member: await makeUser('member'),
    operator: await makeUser('operator'),
    /** A delivery that failed. */
    async makeFailed() {
      await changeDeals(db, partnerId, [BigInt(++last)])
      const [delivery] = await leaseDue(db, { partnerId, kind: 'create' }, 1, [], 60_000)
      await recordAttempts(db, [outcomeOf(delivery!, { ...failure, state: 'failed', waitMs: null })], 1e9)
      return delivery!.id
    },
    /** The stage of a deal. */
    async makeStage() {
      const stage = `Stage ${++last}`
      await writeDeals(db, [{ record: { id: BigInt(last), stage }, partnerId }], {
        now: new Date(),
        events: false,
      })
      return stage
    },
    /** A stage that no deal has. */
    async makeUnusedStage() {
      const name = `Stage ${++last}`
      await saveDescribedStages(db, [{ name, kind: 'open', order: 0, probability: null }])
      return name
    },
    makeToken: async () => (await issueToken(db, { partnerId, name: 'CRM', expiresAt: null })).id,
    makeInvited: async () =>
      (await saveInvited(db, { email: `user${++last}@a.example`, name: 'Nia', role: 'member', partnerId }))!
        .id,
    /** A connected source. */
    async makeSource() {
      const { ask } = await makeUser('operator')
      const name = `HubSpot ${++last}`
      const { id } = await ask.sources.look({ kind: 'hubspot', name, secret: crm.token })
      await ask.sources.connect({ id })
      return { name, id }
    },
    /** A checked import. */
    async makeImport(content = `{"id":${++last},"dealname":"A deal"}\n`) {
      const bytes = Buffer.from(content)
      const { ask } = await makeUser('operator')
      const { id } = await ask.imports.begin({
        fileName: 'deals.ndjson',
        sizeBytes: bytes.length,
        partner: slug,
        events: true,
      })
      await ask.imports.append({ id, offset: 0, bytes })
      await runImportJobs(services)
      return { id, settled: () => runImportJobs(services) }
    },
  }
}

type World = Awaited<ReturnType<typeof makeWorld>>

/** Adds a team channel and returns its id. */
async function addChannel({ ask }: World['admin']): Promise<number> {
  await ask.channels.add({ name: 'Deals', service: 'slack', url: 'http://127.0.0.1:9/x', kinds: ['stage'] })
  return (await ask.channels.list()).at(-1)!.id
}

/** Creates a sheet link and returns its id. */
async function makeSheet({ ask }: World['admin']): Promise<number> {
  const { sheet } = await ask.sheets.create({
    name: 'Open deals',
    filter: {},
    sort: { field: 'lastModified', direction: 'desc' },
    columns: [{ column: 'id', title: 'Deal ID' }],
  })
  return Number(/(\d+)\.csv$/.exec(sheet.url)![1])
}

const mapping = { mapping: { dealname: 'dealname' }, partnerProperty: null }

/** Returns the entry and call of a mutation of a connected source. */
function ofSource(
  action: Action,
  call: (sources: World['operator']['ask']['sources'], id: number, world: World) => Promise<unknown>,
): [Action, (world: World) => Promise<unknown>] {
  return [
    action,
    async (world) => {
      const { id } = await world.makeSource()
      await call(world.operator.ask.sources, id, world)
    },
  ]
}

/** All mutations: their audit entries, and how to call them. */
/** Returns the id of a new subscription. */
const subscribe = async ({ ask }: World['admin']) =>
  (await ask.subscriptions.create({ url: 'http://127.0.0.1:9/sub' })).value().id

const mutations: Record<string, [Action, (world: World) => Promise<unknown>]> = {
  'accounts.rename': ['account.renamed', ({ member }) => member.ask.accounts.rename({ name: 'Nia' })],
  'accounts.endSession': [
    'account.session-ended',
    ({ member }) => member.ask.accounts.endSession({ id: member.hash.slice(0, 16) }),
  ],
  'accounts.signOutEverywhere': [
    'account.signed-out',
    ({ member }) => member.ask.accounts.signOutEverywhere(),
  ],
  'accounts.changePassword': [
    'account.password-changed',
    ({ member, password }) =>
      member.ask.accounts.changePassword({ current: password, next: 'another horse battery' }),
  ],
  'deals.assign': [
    'deals.assigned',
    async ({ partnerId, member }) =>
      member.ask.deals.assign([{ ids: [await makeDeal(partnerId)], userId: member.id }]),
  ],
  'deals.setPhone': [
    'staff.phone-set',
    ({ operator }) => operator.ask.deals.setPhone({ email: 'maria@bright.example', phone: '602 555 0147' }),
  ],
  'deliveries.resend': [
    'delivery.resent',
    async ({ admin, makeFailed }) => admin.ask.deliveries.resend({ id: await makeFailed() }),
  ],
  'deliveries.resendFailed': [
    'deliveries.resent',
    async ({ admin, makeFailed }) => {
      await makeFailed()
      await admin.ask.deliveries.resendFailed({ since: new Date(0) })
    },
  ],
  'files.begin': ['file.upload-begun', ({ partnerId, operator }) => beginFile(operator.ask, partnerId)],
  'files.append': ['file.received', ({ partnerId, operator }) => sendFile(operator.ask, partnerId)],
  'files.discard': [
    'file.upload-discarded',
    async ({ partnerId, operator }) =>
      operator.ask.files.discard({ id: await sendFile(operator.ask, partnerId) }),
  ],
  'files.finish': ['file.added', ({ partnerId, operator }) => uploadFile(operator.ask, partnerId)],
  'files.remove': [
    'file.removed',
    async ({ partnerId, operator }) =>
      operator.ask.files.remove({ id: await uploadFile(operator.ask, partnerId) }),
  ],
  'imports.append': ['import.uploaded', ({ makeImport }) => makeImport()],
  'imports.sendCorrections': [
    'import.uploaded',
    async ({ operator, makeImport }) => {
      const { id, settled } = await makeImport('{"id":"x"}\n')
      const cells = [{ title: 'id', text: String(++last) }]
      await operator.ask.imports.sendCorrections({ id, corrections: [{ line: 1, cells }] })
      await settled()
    },
  ],
  'imports.start': [
    'import.started',
    async ({ operator, makeImport }) => {
      const { id, settled } = await makeImport()
      await operator.ask.imports.start({ id })
      await settled()
    },
  ],
  'imports.discard': [
    'import.discarded',
    async ({ operator, makeImport }) => operator.ask.imports.discard({ id: (await makeImport()).id }),
  ],
  'messages.beginFile': [
    'file.upload-begun',
    async ({ member, partnerId }) =>
      member.ask.messages.beginFile({ dealId: await makeDeal(partnerId), name: 'a.pdf', sizeBytes: 1 }),
  ],
  'messages.appendFile': [
    'file.received',
    async ({ member, partnerId }) => {
      const dealId = await makeDeal(partnerId)
      const { id } = await member.ask.messages.beginFile({ dealId, name: 'a.pdf', sizeBytes: 1 })
      await member.ask.messages.appendFile({ id, offset: 0, bytes: Buffer.from('x') })
    },
  ],
  'messages.discardFile': [
    'file.upload-discarded',
    async ({ member, partnerId }) => {
      const dealId = await makeDeal(partnerId)
      await member.ask.messages.discardFile(
        await member.ask.messages.beginFile({ dealId, name: 'a.pdf', sizeBytes: 1 }),
      )
    },
  ],
  'messages.resolve': [
    'question.resolved',
    async ({ member, partnerId }) =>
      member.ask.messages.resolve({ id: await askQuestion(member.ask, partnerId) }),
  ],
  'messages.reopen': [
    'question.reopened',
    async ({ member, partnerId }) =>
      member.ask.messages.reopen({ id: await askQuestion(member.ask, partnerId) }),
  ],
  'messages.saveReply': ['reply.saved', ({ operator }) => saveReply(operator.ask)],
  'messages.removeReply': [
    'reply.removed',
    async ({ operator }) => {
      const title = await saveReply(operator.ask)
      const { id } = (await operator.ask.messages.replies()).find((reply) => reply.title === title)!
      await operator.ask.messages.removeReply({ id })
    },
  ],
  'messages.setReminder': [
    'reminder.changed',
    ({ operator }) => operator.ask.messages.setReminder({ hours: 8 }),
  ],
  'partners.create': [
    'partner.created',
    ({ operator }) => operator.ask.partners.create({ slug: `p${++last}`, name: 'Acme' }),
  ],
  'partners.rename': [
    'partner.renamed',
    ({ operator, slug }) => operator.ask.partners.rename({ slug, name: 'Acme' }),
  ],
  'accounts.setTimeZone': [
    'account.time-zone-changed',
    ({ member }) => member.ask.accounts.setTimeZone({ timeZone: 'Europe/Berlin' }),
  ],
  'accounts.setPartnerTimeZone': [
    'partner.time-zone-changed',
    ({ admin }) => admin.ask.accounts.setPartnerTimeZone({ timeZone: 'Europe/Berlin' }),
  ],
  'partners.setTimeZone': [
    'partner.time-zone-changed',
    ({ operator, slug }) => operator.ask.partners.setTimeZone({ slug, timeZone: null }),
  ],
  'partners.setFileQuota': [
    'partner.file-quota-changed',
    ({ operator, slug }) => operator.ask.partners.setFileQuota({ slug, gigabytes: 20 }),
  ],
  'partners.suspend': ['partner.suspended', ({ operator, slug }) => operator.ask.partners.suspend({ slug })],
  'partners.resume': [
    'partner.resumed',
    async ({ operator, slug }) => {
      await operator.ask.partners.suspend({ slug })
      await operator.ask.partners.resume({ slug })
    },
  ],
  'stages.set': [
    'stage.changed',
    async ({ operator, makeStage }) => operator.ask.stages.set({ name: await makeStage(), kind: 'won' }),
  ],
  'stages.move': [
    'stage.changed',
    async ({ operator, makeStage }) => {
      const name = await makeStage()
      const open = (await operator.ask.stages.list()).filter(({ kind }) => kind === 'open')
      const names = open.map((stage) => stage.name)
      const was = names[names.indexOf(name) - 1] ?? null
      const [before = null] = names.filter((each) => each !== name)
      await operator.ask.stages.move({ name, was, after: null, before })
    },
  ],
  'stages.confirm': [
    'stage.changed',
    async ({ operator, makeStage }) => operator.ask.stages.confirm({ names: [await makeStage()] }),
  ],
  'stages.remove': [
    'stage.removed',
    async ({ operator, makeUnusedStage }) => operator.ask.stages.remove({ name: await makeUnusedStage() }),
  ],
  'stages.merge': [
    'stage.merged',
    async ({ operator, makeStage, makeUnusedStage }) =>
      operator.ask.stages.merge({ name: await makeUnusedStage(), into: await makeStage() }),
  ],
  'sources.look': [
    'source.looked-at',
    ({ operator }) =>
      operator.ask.sources.look({ kind: 'hubspot', name: `HubSpot ${++last}`, secret: crm.token }),
  ],
  'sources.lookAgain': ofSource('source.looked-at', (sources, id) => sources.lookAgain({ id })),
  'sources.connect': ['source.connected', ({ makeSource }) => makeSource()],
  'sources.setSecret': ofSource('source.token-changed', (sources, id) =>
    sources.setSecret({ id, secret: crm.token }),
  ),
  'sources.setSigningSecret': ofSource('source.signing-secret-set', (sources, id) =>
    sources.setSigningSecret({ id, secret: 'signs' }),
  ),
  'sources.pause': ofSource('source.paused', (sources, id) => sources.pause({ id })),
  'sources.resume': ofSource('source.resumed', (sources, id) => sources.resume({ id })),
  'sources.refresh': ofSource('source.refreshed', (sources, id) => sources.refresh({ id })),
  'sources.compare': ofSource('source.compared', (sources, id) => sources.compare({ id })),
  'sources.setPoll': ofSource('source.changed', (sources, id) => sources.setPoll({ id, pollS: 30 })),
  'sources.setZone': ofSource('source.changed', (sources, id) => sources.setZone({ id, zone: utc })),
  'sources.setMapping': ofSource('source.changed', (sources, id) => sources.setMapping({ id, ...mapping })),
  'sources.setFiles': ofSource('source.changed', (sources, id) =>
    sources.setFiles({ id, files: { properties: ['dealname'], mode: 'link' } }),
  ),
  'sources.tryMapping': ofSource('source.mapping-tried', (sources, id) =>
    sources.tryMapping({ id, ...mapping }),
  ),
  'sources.dropTrial': ofSource('source.mapping-discarded', (sources, id) => sources.dropTrial({ id })),
  'sources.approveRemovals': ofSource('source.removals-approved', (sources, id) =>
    sources.approveRemovals({ id, count: 3 }),
  ),
  'sources.disconnect': ofSource('source.disconnected', (sources, id) => sources.disconnect({ id })),
  'sources.assign': ofSource('source.partner-assigned', (sources, id, { slug }) =>
    sources.assign({ id, value: 'A', partner: slug, events: true }),
  ),
  'team.invite': [
    'user.invited',
    ({ admin }) => admin.ask.team.invite({ email: `user${++last}@a.example`, name: 'Nia', role: 'member' }),
  ],
  'team.inviteAgain': [
    'user.invited',
    async ({ admin, makeInvited }) => admin.ask.team.inviteAgain({ id: await makeInvited() }),
  ],
  'team.changeRole': [
    'user.role-changed',
    ({ admin, member }) => admin.ask.team.changeRole({ id: member.id, role: 'admin', evenLast: false }),
  ],
  'team.remove': [
    'user.removed',
    ({ admin, member }) => admin.ask.team.remove({ id: member.id, evenLast: false }),
  ],
  'team.reset': ['user.reset', ({ operator, member }) => operator.ask.team.reset({ id: member.id })],
  'sheets.create': ['token.created', async ({ admin }) => void (await makeSheet(admin))],
  'sheets.rotate': [
    'token.rotated',
    async ({ admin }) => admin.ask.sheets.rotate({ id: await makeSheet(admin), grace: '24h' }),
  ],
  'tokens.create': [
    'token.created',
    ({ admin }) => admin.ask.tokens.create({ name: 'CRM', scopes: ['deals:read'], span: '30d', day: '' }),
  ],
  'tokens.rotate': [
    'token.rotated',
    async ({ admin, makeToken }) => admin.ask.tokens.rotate({ id: await makeToken(), grace: '24h' }),
  ],
  'tokens.revoke': [
    'token.revoked',
    async ({ admin, makeToken }) => admin.ask.tokens.revoke({ id: await makeToken() }),
  ],
  'notifications.setSettings': [
    'account.notifications-changed',
    ({ member }) =>
      member.ask.notifications.setSettings({
        stage: true,
        dates: true,
        late: true,
        items: true,
        files: false,
        messages: true,
        schedule: 'daily',
        hour: 7,
        atNight: false,
        byMail: true,
      }),
  ],
  'notifications.useMailAgain': [
    'account.notifications-changed',
    ({ member }) => member.ask.notifications.useMailAgain(),
  ],
  'team.shareScorecard': [
    'scorecard.shared',
    ({ admin }) => admin.ask.team.shareScorecard({ isShared: true }),
  ],
  'channels.add': ['channel.added', ({ admin }) => addChannel(admin)],
  'channels.change': [
    'channel.changed',
    async ({ admin }) =>
      admin.ask.channels.change({ id: await addChannel(admin), name: 'Ours', kinds: ['late'] }),
  ],
  'channels.switch': [
    'channel.switched-off',
    async ({ admin }) => admin.ask.channels.switch({ id: await addChannel(admin), isOn: false }),
  ],
  'channels.test': [
    'channel.tested',
    async ({ admin }) => admin.ask.channels.test({ id: await addChannel(admin) }),
  ],
  'channels.remove': [
    'channel.removed',
    async ({ admin }) => admin.ask.channels.remove({ id: await addChannel(admin) }),
  ],
  'push.setNames': ['partner.push-names-changed', ({ admin }) => admin.ask.push.setNames({ isOn: false })],
  'insight.setDigest': [
    'account.digest-changed',
    ({ member }) => member.ask.insight.setDigest({ isOn: true }),
  ],
  'views.save': [
    'view.saved',
    ({ member }) => member.ask.views.save({ name: 'Mine', query: '', isShared: false }),
  ],
  'views.rename': [
    'view.renamed',
    async ({ member }) =>
      member.ask.views.rename({
        id: (await member.ask.views.save({ name: 'Mine', query: '', isShared: false })).id,
        name: 'Ours',
      }),
  ],
  'views.remove': [
    'view.removed',
    async ({ member }) =>
      member.ask.views.remove({
        id: (await member.ask.views.save({ name: 'Mine', query: '', isShared: false })).id,
      }),
  ],
  'subscriptions.create': [
    'subscription.created',
    ({ admin }) => admin.ask.subscriptions.create({ url: 'http://127.0.0.1:9/sub' }),
  ],
  'subscriptions.edit': [
    'subscription.changed',
    async ({ admin }) =>
      admin.ask.subscriptions.edit({ id: await subscribe(admin), url: 'http://127.0.0.1:9/b' }),
  ],
  'subscriptions.remove': [
    'subscription.removed',
    async ({ admin }) => admin.ask.subscriptions.remove({ id: await subscribe(admin) }),
  ],
  'subscriptions.replay': [
    'events.replayed',
    ({ admin }) => admin.ask.subscriptions.replay({ url: 'http://127.0.0.1:9/', since: new Date(0) }),
  ],
  'webhooks.set': [
    'address.changed',
    ({ admin }) => admin.ask.webhooks.set({ createURL: 'http://127.0.0.1:9/created' }),
  ],
  'webhooks.reveal': ['secret.revealed', ({ admin }) => admin.ask.webhooks.reveal()],
  'webhooks.rotate': ['secret.rotated', ({ admin }) => admin.ask.webhooks.rotate()],
  'webhooks.finishRotation': [
    'secret.finished',
    async ({ admin, partnerId }) => {
      await insertSecret(db, partnerId, encryptionKey)
      await admin.ask.webhooks.finishRotation()
    },
  ],
  'webhooks.test': ['address.tested', ({ admin }) => admin.ask.webhooks.test({ kind: 'create' })],
  'webhooks.examine': ['address.tested', ({ admin }) => admin.ask.webhooks.examine({ kind: 'create' })],
  'webhooks.switchOn': [
    'address.switched-on',
    ({ admin }) => admin.ask.webhooks.switchOn({ kind: 'create' }),
  ],
}

/** Why some mutations have no entry. */
const unwritten: Record<string, string[]> = {
  'nobody has signed in yet': ['accounts.requestReset', 'accounts.requestSignIn'],
  'the message says who wrote it, and when': ['messages.ask', 'messages.answer'],
  'nothing is there before the file is': ['imports.begin'],
  'the file was uploaded before, and its start or undoing is written down': [
    'check',
    'checkCorrections',
    'chooseDateOrder',
    'chooseDecimal',
    'chooseEncoding',
    'chooseHeader',
    'chooseSheet',
    'chooseStages',
    'map',
    'setOptions',
    'undo',
  ].map((name) => `imports.${name}`),
  'what somebody follows, has read or reads in is their own business': [
    'messages.read',
    ...['subscribe', 'unsubscribe', 'remove'].map((name) => `push.${name}`),
    ...['confirmPeople', 'followView', 'readAll', 'readDeal', 'setFollow', 'setFollows'].map(
      (name) => `notifications.${name}`,
    ),
  ],
}

test('lists every mutation', () => {
  const all = Object.entries(api._def.procedures)
    .filter(([, procedure]) => (procedure as unknown as { _def: { type: string } })._def.type === 'mutation')
    .map(([name]) => name)
  expect(all.toSorted()).toEqual([...Object.keys(mutations), ...Object.values(unwritten).flat()].toSorted())
})

test.each(Object.entries(mutations))(
  '%s leaves an audit entry with its action, actor and IP address',
  async (_name, [action, act]) => {
    const world = await makeWorld()
    const before = (await newest())?.id ?? 0
    await act(world)
    const entry = await newest()
    expect(entry).toMatchObject({
      action,
      who: expect.stringMatching(/^user\d+@a\.example$/),
      address: '203.0.113.9',
    })
    expect(entry!.id).toBeGreaterThan(before)
  },
)

/** Returns the entry and arguments of a command on a connected source. */
function ofSourceCommand(action: Action, ...more: string[]): [Action, (world: World) => Promise<string[]>] {
  return [action, async ({ makeSource }) => [(await makeSource()).name, ...more]]
}

/** All commands that change something: their audit entries, and their arguments. */
const commands: Record<string, [Action, (world: World) => Promise<string[]> | string[]]> = {
  'partner create': ['partner.created', () => [`p${++last}`, '--name', 'Acme']],
  'partner file-quota': ['partner.file-quota-changed', ({ slug }) => [slug, '20']],
  'partner time-zone': ['partner.time-zone-changed', ({ slug }) => [slug, 'America/Denver']],
  'partner rename': ['partner.renamed', ({ slug }) => [slug, '--name', 'Acme']],
  'partner suspend': ['partner.suspended', ({ slug }) => [slug]],
  'partner resume': [
    'partner.resumed',
    async ({ operator, slug }) => {
      await operator.ask.partners.suspend({ slug })
      return [slug]
    },
  ],
  'stage remove': ['stage.removed', async ({ makeUnusedStage }) => [await makeUnusedStage()]],
  'stage merge': [
    'stage.merged',
    async ({ makeStage, makeUnusedStage }) => [await makeUnusedStage(), '--into', await makeStage()],
  ],
  'stage set': ['stage.changed', async ({ makeStage }) => [await makeStage(), '--kind', 'lost']],
  'source pause': ofSourceCommand('source.paused'),
  'source resume': ofSourceCommand('source.resumed'),
  'source refresh': ofSourceCommand('source.refreshed'),
  'source compare': ofSourceCommand('source.compared'),
  'source disconnect': ofSourceCommand('source.disconnected'),
  'source zone': ofSourceCommand('source.changed', 'America/Phoenix'),
  'source poll': ofSourceCommand('source.changed', '30'),
  'source assign': [
    'source.partner-assigned',
    async ({ slug, makeSource }) => [(await makeSource()).name, 'A', '--partner', slug],
  ],
  'source signing-secret': ofSourceCommand('source.signing-secret-set'),
  'source mapping': ofSourceCommand('source.changed', 'city=state', '--apply'),
  'source files': ofSourceCommand('source.changed', '--off'),
  'source approve-removals': [
    'source.removals-approved',
    async ({ makeSource }) => {
      const { id, name } = await makeSource()
      await db.$client`update sources set removals_waiting = 3 where id = ${id}`
      return [name]
    },
  ],
  import: ['import.started', async ({ slug }) => [await writeDealFile(), '--partner', slug]],
  'imports undo': [
    'import.undone',
    async ({ operator, makeImport }) => {
      const { id, settled } = await makeImport()
      await operator.ask.imports.start({ id })
      await settled()
      return [String(id), '--apply']
    },
  ],
  'deal remove': ['deal.removed', async ({ partnerId }) => [await makeDeal(partnerId)]],
  'file add': [
    'file.added',
    async ({ partnerId }) => [await writeDealFile(), '--deal', await makeDeal(partnerId)],
  ],
  'file sweep': ['files.swept', () => ['--remove']],
  'token create': ['token.created', ({ slug }) => ['--partner', slug, '--name', 'CRM']],
  'token rotate': ['token.rotated', async ({ makeToken }) => [String(await makeToken())]],
  'token revoke': ['token.revoked', async ({ makeToken }) => [String(await makeToken())]],
  'user invite': ['user.invited', ({ slug }) => [`user${++last}@a.example`, '--partner', slug]],
  'user remove': ['user.removed', ({ member }) => [member.email]],
  'user reset': ['user.reset', ({ member }) => [member.email]],
  'webhook show': ['secret.revealed', ({ slug }) => ['--partner', slug, '--reveal']],
  'webhook set': [
    'address.changed',
    ({ slug }) => ['--partner', slug, '--create-url', 'http://127.0.0.1:9/created'],
  ],
  'webhook rotate': ['secret.rotated', ({ slug }) => ['--partner', slug]],
  'webhook test': ['address.tested', ({ slug }) => ['--partner', slug, '--endpoint', 'create']],
  'deliveries resend': [
    'delivery.resent',
    async ({ slug, makeFailed }) => [String(await makeFailed()), '--partner', slug],
  ],
  demo: [
    'demo.loaded',
    async () => {
      // As if it were already loaded, which takes long.
      const { slug, name } = demoPartners[0]!
      const { id } = (await insertPartner(db, slug, name))!
      await issueToken(db, { partnerId: id, name: 'Demonstration', expiresAt: null })
      return []
    },
  ],
  'jobs retry': ['job.retried', async () => [await failedJob()]],
  'jobs discard': ['job.discarded', async () => [await failedJob()]],
}

/** Returns the id of a job that has failed. */
async function failedJob(): Promise<string> {
  const [job] = await database.db.$client<{ id: string }[]>`
    insert into pgboss.job (name, state) values ('record-lag', 'failed') returning id::text`
  return job!.id
}

/** Commands without an entry here, and why. */
const unwrittenCommands: Record<string, string> = {
  'partner list': 'only reads',
  'jobs list': 'only reads',
  'stage list': 'only reads',
  'token list': 'only reads',
  'webhook subscriptions': 'only reads',
  'user list': 'only reads',
  'imports list': 'only reads',
  'source list': 'only reads',
  'source rejected': 'only reads',
  'source unknown': 'only reads',
  'source connect': 'reads the token from standard input, which is not given here; server/sources tests it',
  'file move': 'needs a store, which is not configured here; e2e/s3 tests it',
  'source connect-sql': 'reads the URL from standard input, which is not given here; server/sources tests it',
  'deliveries list': 'only reads',
  'events list': 'only reads',
  backup: 'only reads',
  restore: 'what it leaves is the backup row for row, the audit as well',
}

async function makeDeal(partnerId: PartnerId): Promise<string> {
  const id = BigInt(++last)
  await changeDeals(db, partnerId, [id])
  return String(id)
}

async function askQuestion({ messages }: World['member']['ask'], partnerId: PartnerId): Promise<number> {
  const { threadId } = await messages.ask({ dealId: await makeDeal(partnerId), text: 'When?', files: [] })
  return threadId
}

async function saveReply({ messages }: World['operator']['ask']): Promise<string> {
  const title = `Reply ${++last}`
  await messages.saveReply({ id: null, title, text: 'Soon.' })
  return title
}

async function beginFile({ files }: World['operator']['ask'], partnerId: PartnerId): Promise<string> {
  const dealId = await makeDeal(partnerId)
  const { id } = await files.begin({ dealId, name: 'a.pdf', kind: 'permit', sizeBytes: 1 })
  return id
}

async function sendFile(ask: World['operator']['ask'], partnerId: PartnerId): Promise<string> {
  const id = await beginFile(ask, partnerId)
  await ask.files.append({ id, offset: 0, bytes: Buffer.from('x') })
  return id
}

async function uploadFile(ask: World['operator']['ask'], partnerId: PartnerId): Promise<string> {
  const id = await sendFile(ask, partnerId)
  await ask.files.finish({ id })
  return id
}

async function writeDealFile(): Promise<string> {
  const path = join(dataDir, `${++last}.ndjson`)
  await writeFile(path, `{"id":${last},"dealname":"A deal"}\n`)
  return path
}

/** Returns the commands below this one that do something themselves, by their full names. */
function namesOf(parent: Command, before: string[] = []): string[] {
  return parent.commands.flatMap((each) =>
    each.commands.length === 0
      ? [[...before, each.name()].join(' ')]
      : namesOf(each, [...before, each.name()]),
  )
}

describe('commands', () => {
  let system: System
  beforeAll(async () => {
    const config = readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ENCRYPTION_KEY: typedKey,
      HUBSPOT_URL: crm.url,
      WEBHOOK_ALLOW_HTTP: 'on',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    })
    system = await openSystem(config, pino({ level: 'silent' }), () => {})
  })
  afterAll(() => system.close())

  const operate = (words: string[]) => runOperator(system.services, words)

  test('lists every command', () => {
    expect(namesOf(makeProgram(makeRunner({} as Runner))).toSorted()).toEqual(
      [...Object.keys(commands), ...Object.keys(unwrittenCommands)].toSorted(),
    )
  })

  test.each(Object.entries(commands))('%s leaves an audit entry', async (name, [action, wordsFor]) => {
    const words = [...name.split(' '), ...(await wordsFor(await makeWorld()))]
    const before = (await newest())?.id ?? 0
    expect(await operate(words)).toMatchObject({ code: 0, stderr: '' })
    const entry = await newest()
    expect(entry).toMatchObject({ action, who: 'operator command', address: null })
    expect(entry!.id).toBeGreaterThan(before)
  })

  test('actions on a partner’s objects appear in its audit log', async () => {
    const world = await makeWorld()
    for (const name of ['deal remove', 'file add', 'webhook rotate', 'deliveries resend'])
      expect((await operate([...name.split(' '), ...(await commands[name]![1](world))])).code).toBe(0)
    expect(
      (await readEntries(db, world.partnerId, {}, { behind: null, limit: 4 })).entries.map(
        ({ action }) => action,
      ),
    ).toEqual(['delivery.resent', 'secret.rotated', 'file.added', 'deal.removed'])
  })

  test('leave no entry if they fail', async () => {
    const before = await newest()
    const missing = { code: 1, stdout: '', stderr: 'operator: there is no deal 999999999\n' }
    expect(await operate(['deal', 'remove', '999999999'])).toEqual(missing)
    expect(await operate(['file', 'add', await writeDealFile(), '--deal', '999999999'])).toEqual(missing)
    expect(await newest()).toEqual(before)
  })
})

describe('work and entry', () => {
  const context = async () => {
    const { id } = (await insertPartner(db, `p${++last}`, 'A partner'))!
    return {
      db,
      actor: {
        tenant: id as PartnerId,
        scopes: [],
        tokenId: (await issueToken(db, { partnerId: id, name: 'CRM', expiresAt: null })).id,
        user: null,
        client: { address: null, agent: '' },
        listRevision: null,
        zone: utc,
      },
    }
  }

  test("are both written, the entry from the result, a system by its token's name", async () => {
    const ctx = await context()
    expect(
      await audited(
        ctx,
        (slug: string) => ({ action: 'partner.created', subject: slug }),
        async (tx) => (await insertPartner(tx, `p${++last}`, 'Made'))!.slug,
      ),
    ).toBe(`p${last}`)
    expect(await newest()).toMatchObject({
      action: 'partner.created',
      subject: `p${last}`,
      who: expect.stringMatching(/^CRM \(pd_\w{6}…\)$/),
      partner: 'A partner',
    })
  })

  test('are both absent if the work fails, or the entry cannot be written', async () => {
    const ctx = await context()
    const before = await newest()
    const slug = `p${++last}`
    await expect(
      audited(ctx, { action: 'partner.created' }, async (tx) => {
        await insertPartner(tx, slug, 'Made')
        throw new ApiError('NOT_FOUND', 'x')
      }),
    ).rejects.toThrow('x')
    await expect(
      audited(ctx, { action: 'partner.created', partnerId: 999_999_999 }, (tx) =>
        insertPartner(tx, slug, 'Made'),
      ),
    ).rejects.toThrow()
    expect((await listPartners(db)).some((partner) => partner.slug === slug)).toBe(false)
    expect(await newest()).toEqual(before)
  })
})
