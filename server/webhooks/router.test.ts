import { beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '#db/free-port.ts'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, encryptionKey, openQueue } from '#e2e/dispatchers.ts'
import { type Receiver, verified } from '#e2e/receiver.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { type Actor, actorOfRequest } from '../access/actor.ts'
import { makeAccessLoader } from '../access/token-access.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { readPartner } from '../accounts/store.ts'
import { type ErrorCode, toApiError } from '../errors.ts'
import { parseCidrs } from '../net/ip-address.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { webhooksRouter } from './router.ts'
import { makeSafeFetch } from './safe-fetch.ts'
import { readEndpointUrls } from './store.ts'

const { keep, listen } = closeAfterEach()
const { db, makeIds, makePartner, change, lease, record } = await openQueue()
let services: Services
let receiver: Receiver
beforeEach(async () => {
  receiver = await listen()
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const resolve = async () => ['127.0.0.1']
  services = {
    db,
    encryptionKey,
    endpointRules,
    resolve,
    access: makeAccessLoader(db),
    background: () => true,
    webhooks: {
      safeFetch: keep(makeSafeFetch(endpointRules, resolve)),
      timeoutMs: 20_000,
      retry: { scheduleMs: [0], throttleMs: 0 },
    },
  } as unknown as Services
})

const callerOf = (actor: Actor | null) =>
  webhooksRouter.createCaller({ services, actor, ifNoneMatch: () => false })

/** E-mail address of the user who signed in last. */
let lastEmail = ''

/** Returns the procedures as called by a user with this role. Operators may view as a partner. */
async function as(role: Role, partnerId: PartnerId, hasChosen = true) {
  const slug = role === 'operator' && hasChosen ? (await readPartner(db, partnerId)).slug : null
  const client = { address: '203.0.113.9', agent: '' }
  const { actor } = await signedIn(services, { role, partnerId, slug, client })
  lastEmail = actor.user.email
  return callerOf(actor)
}

const addresses = () => ({ create: `${receiver.url}/created`, update: `${receiver.url}/updated` })

/** Returns a partner whose events are sent to the receiver, and the partner's admin. */
async function makeListener() {
  const partnerId = await makePartner(addresses())
  return { partnerId, admin: await as('admin', partnerId) }
}

async function refusalOf(call: Promise<unknown>): Promise<{ code: ErrorCode; errors: string[] | null }> {
  const { code, errors } = toApiError(
    await call.then(
      () => expect.fail('was answered'),
      (error: unknown) => error,
    ),
  )
  return { code, errors }
}

/** Returns the partner's audit entries. */
const audit = async (partnerId: number) =>
  (
    await db.$client<{ entry: string }[]>`
  select concat_ws(' ', action, nullif(subject, ''), 'by', who, address) as entry from audit_entries where partner_id = ${partnerId} order by id`
  ).map(({ entry }) => entry)

const aboutSecrets = (caller: ReturnType<typeof callerOf>) => [
  () => caller.reveal(),
  () => caller.rotate(),
  () => caller.finishRotation(),
]
const changing = (caller: ReturnType<typeof callerOf>) => [
  () => caller.set({ createURL: 'https://1.1.1.1/' }),
  () => caller.test({ kind: 'create' }),
  () => caller.examine({ kind: 'create' }),
  () => caller.switchOn({ kind: 'create' }),
  ...aboutSecrets(caller),
]
const looking = (caller: ReturnType<typeof callerOf>) => [
  () => caller.get(),
  () => caller.status(),
  () => caller.means(),
  () => caller.secrets(),
]

test('an operator viewing as a partner sets its URLs with the same audited action, and sees no secret', async () => {
  const { partnerId } = await makeListener()
  const operator = await as('operator', partnerId)
  for (const ask of looking(operator)) await ask()
  for (const ask of aboutSecrets(operator)) expect((await refusalOf(ask())).code).toBe('FORBIDDEN')
  await operator.set({ createURL: 'https://1.1.1.1/' })
  await operator.set({ createURL: addresses().create })
  expect(await operator.test({ kind: 'create' })).toMatchObject({ state: 'delivered' })
  await operator.switchOn({ kind: 'update' })
  expect(await audit(partnerId)).toEqual([
    `address.changed createURL set to https://1.1.1.1/ by ${lastEmail} 203.0.113.9`,
    `address.changed createURL set to ${addresses().create} by ${lastEmail} 203.0.113.9`,
    `address.tested createURL ${addresses().create} by ${lastEmail} 203.0.113.9`,
    `address.switched-on updateURL ${addresses().update} by ${lastEmail} 203.0.113.9`,
  ])
})

test('a member, an operator without a partner and a signed-out caller can see and change nothing', async () => {
  const { partnerId } = await makeListener()
  const member = await as('member', partnerId)
  for (const ask of [...looking(member), ...changing(member)])
    expect((await refusalOf(ask())).code).toBe('FORBIDDEN')
  const unchosen = await as('operator', partnerId, false)
  for (const ask of [unchosen.get, unchosen.status, unchosen.secrets])
    expect((await refusalOf(ask())).code).toBe('FORBIDDEN')
  for (const ask of changing(unchosen)) expect((await refusalOf(ask())).code).toBe('FORBIDDEN')
  for (const ask of [...looking(callerOf(null)), ...changing(callerOf(null))])
    expect((await refusalOf(ask())).code).toBe('UNAUTHORIZED')
  expect(receiver.requests).toEqual([])
  expect(await readEndpointUrls(db, partnerId)).toEqual(addresses())
  expect(await audit(partnerId)).toEqual([])
})

describe('the endpoints of a partner', () => {
  test('are set with an audit entry that names the actor', async () => {
    const { partnerId, admin } = await makeListener()
    const create = 'http://127.0.0.1:9/hooks'
    expect(await admin.set({ createURL: create, updateURL: '' })).toEqual({
      createURL: create,
      updateURL: null,
    })
    const { token } = await issueToken(db, { partnerId, name: 'their system', expiresAt: null })
    await callerOf(await actorOfRequest(services, `Bearer ${token}`)).set({ updateURL: 'https://1.1.1.1/' })
    expect(await audit(partnerId)).toEqual([
      `address.changed createURL set to ${create}, updateURL removed by ${lastEmail} 203.0.113.9`,
      `address.changed updateURL set to https://1.1.1.1/ by their system (${token.slice(0, 9)}…)`,
    ])
  })

  test('count as failing from a failed check or attempt until a success, and are reported to admins', async () => {
    const { partnerId, admin } = await makeListener()
    const states = async () => (await admin.status()).map(({ health }) => [health.state, health.answer])
    await admin.set({ createURL: `http://127.0.0.1:${await freePort()}/` })
    await admin.examine({ kind: 'create' })
    expect(await states()).toEqual([
      ['failing', expect.stringContaining('refused')],
      ['untried', null],
    ])
    await admin.set({ createURL: addresses().create })
    expect(await states()).toEqual(Array(2).fill(['untried', null]))
    expect(await admin.troubled()).toEqual([])
    await admin.test({ kind: 'create' })
    expect((await states())[0]).toEqual(['checked', null])
    await change(partnerId, ...makeIds(2))
    const [first, second] = await lease(partnerId, 'create')
    await record(outcomeOf(first!, failure(60_000, 503)))
    const troubled = {
      kind: 'create',
      pending: 2,
      pendingIsMore: false,
      health: { state: 'failing', answer: '503' },
    }
    expect(await admin.troubled()).toMatchObject([troubled])
    expect(await (await as('operator', partnerId)).troubled()).toMatchObject([troubled])
    expect(await (await as('operator', partnerId, false)).troubled()).toEqual([])
    expect(await (await as('member', partnerId)).troubled()).toEqual([])
    await record(outcomeOf(second!))
    expect(await admin.status()).toMatchObject([
      {
        kind: 'create',
        url: addresses().create,
        waiting: 0,
        retrying: 1,
        lastSuccessAt: expect.any(Date) as Date,
        health: { state: 'working', answer: null },
      },
      { kind: 'update', waiting: 0, retrying: 0, lastSuccessAt: null, health: { state: 'untried' } },
    ])
    expect(await admin.troubled()).toEqual([])
  })

  test.each(['test', 'examine'] as const)(
    'allow ten calls of %s a minute per partner; further calls neither send nor audit anything',
    async (verb) => {
      const [{ partnerId, admin }, other] = [await makeListener(), await makeListener()]
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, () => admin[verb]({ kind: 'create' })),
      )
      const refused = outcomes
        .filter((outcome) => outcome.status === 'rejected')
        .map(({ reason }) => toApiError(reason))
      expect(refused).toHaveLength(30)
      for (const { code, message, headers } of refused) {
        expect(code).toBe('TOO_MANY_REQUESTS')
        expect(message).toMatch(/^Webhook URLs can be tested 10 times a minute; try again in /)
        expect(Number(headers['Retry-After'])).toBeGreaterThanOrEqual(1)
        expect(Number(headers['Retry-After'])).toBeLessThanOrEqual(60)
      }
      // A check also sends an event with an invalid signature.
      expect(receiver.requests).toHaveLength(verb === 'test' ? 10 : 20)
      expect(await audit(partnerId)).toEqual(
        Array(10).fill(expect.stringMatching(/^address\.tested createURL http/)),
      )
      await other.admin[verb]({ kind: 'create' })
      if (verb === 'examine') return
      await admin.rotate()
      expect((await refusalOf(admin.finishRotation())).code).toBe('TOO_MANY_REQUESTS')
      expect(await admin.secrets()).toHaveLength(2)
    },
  )

  test('are neither tested, checked, enabled nor audited if not set', async () => {
    const partnerId = await makePartner()
    const admin = await as('admin', partnerId)
    for (const ask of [admin.test, admin.examine, admin.switchOn])
      expect((await refusalOf(ask({ kind: 'create' }))).code).toBe('NOT_FOUND')
    expect(await audit(partnerId)).toEqual([])
    expect(await admin.means()).toEqual({ allowHttp: true, allowLoopback: true })
  })
})

describe('the signing secret', () => {
  test('is returned only if revealed or rotated, which is audited', async () => {
    const { partnerId, admin } = await makeListener()
    expect(await admin.secrets()).toEqual([{ createdAt: expect.any(Date) as Date, expiresAt: null }])
    const [first] = await admin.reveal()
    const [second, older] = await admin.rotate()
    expect(older).toMatchObject({ secret: first!.secret, expiresAt: expect.any(Date) as Date })
    expect(second!.secret).not.toBe(first!.secret)
    for (let count = 3; count <= 5; count++) await admin.rotate()
    expect((await refusalOf(admin.rotate())).code).toBe('BAD_REQUEST')
    expect((await audit(partnerId)).map((said) => said.split(' ')[0])).toEqual([
      'secret.revealed',
      ...Array<string>(4).fill('secret.rotated'),
    ])
    expect((await audit(partnerId)).join()).not.toContain('whsec_')
  })

  test('is retired once each URL accepts a delivery signed only by the new secret', async () => {
    const { partnerId, admin } = await makeListener()
    expect((await refusalOf(admin.finishRotation())).code).toBe('BAD_REQUEST')
    const [old] = await admin.reveal()
    const [current] = await admin.rotate()
    const known: Record<string, string> = { '/created': current!.secret, '/updated': old!.secret }
    receiver.answer = (request) => {
      try {
        verified(known[request.path]!, request)
        return 200
      } catch {
        return 401
      }
    }
    expect(await admin.finishRotation()).toMatchObject({
      isFinished: false,
      tests: [
        { kind: 'create', state: 'delivered', status: 200 },
        { kind: 'update', state: 'failed', status: 401 },
      ],
    })
    for (const { headers } of receiver.requests)
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1)
    expect((await admin.secrets()).map(({ expiresAt }) => expiresAt === null)).toEqual([true, false])
    known['/updated'] = current!.secret
    expect(await admin.finishRotation()).toMatchObject({
      isFinished: true,
      tests: [{ state: 'delivered' }, { state: 'delivered' }],
    })
    expect(await admin.reveal()).toEqual([current])
    expect((await audit(partnerId)).map((said) => said.split(' ')[0])).toEqual([
      'secret.revealed',
      'secret.rotated',
      ...Array<string>(4).fill('address.tested'),
      'secret.finished',
      'secret.revealed',
    ])
  })

  test('is retired without tests if no URL is set, unless another rotation came first', async () => {
    const partnerId = await makePartner()
    const admin = await as('admin', partnerId)
    await admin.rotate()
    expect(await admin.finishRotation()).toEqual({ isFinished: true, tests: [] })
    expect(await admin.secrets()).toHaveLength(1)

    const { admin: busy } = await makeListener()
    await busy.rotate()
    receiver.answer = async ({ attempt, step }) => {
      if (attempt === 1 && step === 1) await busy.rotate()
      return 200
    }
    expect((await refusalOf(busy.finishRotation())).code).toBe('BAD_REQUEST')
    expect(await busy.secrets()).toHaveLength(3)
  })
})
