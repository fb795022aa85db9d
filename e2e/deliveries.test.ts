import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '#server/api.ts'
import { toApiError } from '#server/errors.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { signedIn } from './signed-in.ts'

// Who may see and resend a partner's deliveries.

let system: LocalSystem
let receiver: Receiver
beforeAll(async () => {
  system = await openLocalSystem({ worker: true })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await system.close()
})

const as = async (role: 'member' | 'admin' | 'operator', partnerId: number | null) =>
  api.createCaller(await signedIn(system.services, { role, partnerId }))
type Caller = Awaited<ReturnType<typeof as>>

/** Creates a partner with a delivered event. Returns the partner, its admin and the delivery. */
async function makeHistory() {
  const partner = await system.makePartner()
  const { token } = partner
  expect((await ask(system, 'POST /api/webhook', { token, json: { createURL: receiver.url } })).status).toBe(
    200,
  )
  await bringIn(system, partner, newDeals(1))
  const admin = await as('admin', partner.id)
  await expect
    .poll(async () => (await admin.deliveries.list({})).deliveries.map(({ state }) => state))
    .toEqual(['delivered'])
  return { partner, admin, delivery: (await admin.deliveries.list({})).deliveries[0]! }
}

const since = new Date(0)
const calls = ({ deliveries }: Caller, id: number) => [
  () => deliveries.list({}),
  () => deliveries.get({ id }),
  () => deliveries.resend({ id }),
  () => deliveries.countFailed({ since }),
  () => deliveries.resendFailed({ since }),
]

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was allowed'),
    (error: unknown) => toApiError(error).code,
  )

test('admins and operators see and resend deliveries; members and signed-out users do not', async () => {
  const { partner, admin, delivery } = await makeHistory()
  const signedOut = api.createCaller({
    services: system.services,
    actor: null,
    ifNoneMatch: () => false,
  })
  for (const [caller, code] of [
    [await as('member', partner.id), 'FORBIDDEN'],
    [signedOut, 'UNAUTHORIZED'],
  ] as const)
    for (const call of calls(caller, delivery.id)) expect(await refusal(call())).toBe(code)
  for (const caller of [admin, await as('operator', null)])
    for (const call of calls(caller, delivery.id)) await call()
})

test('the signing secret appears in no REST response, delivery or log line', async () => {
  const { partner, admin, delivery } = await makeHistory()
  const secrets = [...(await admin.webhooks.reveal()), ...(await admin.webhooks.rotate())]
  expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(2)
  await admin.webhooks.test({ kind: 'create' })
  const { token } = partner
  const seen = [
    JSON.stringify(await admin.webhooks.status()),
    JSON.stringify(await admin.deliveries.get({ id: delivery.id }), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
    (await ask(system, 'POST /api/webhook', { token, json: { createURL: receiver.url } })).text,
    system.output(),
  ]
  for (const what of ['GET /api/webhook', 'GET /api/events', 'GET /api/openapi.json'])
    seen.push((await ask(system, what, { token })).text)
  for (const { secret } of secrets)
    for (const text of seen) expect(text).not.toContain(secret.slice('whsec_'.length))
})
