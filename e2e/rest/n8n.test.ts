import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import type { TestPartner } from '../partners.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { unpack } from '../unpack.ts'
import { ask } from './client.ts'
import { bringIn } from './deals.ts'

// The n8n nodes as downloaded, called like n8n does: `checkExists` at every start, `create` if there is no
// subscription, `delete` when a workflow is turned off, and `webhook` with the raw body.

const id = 9_007_199_254_740_993n
let manifest: any
let nodes: Record<string, new () => any>
let credentials: { url: string; token: string; secret: string }
let system: LocalSystem
let partner: TestPartner
let receiver: Receiver

beforeAll(async () => {
  const folder = await unpack('n8n-nodes-partner-deals.tgz')
  const require = createRequire(join(folder, 'package.json'))
  manifest = require('./package.json')
  const { n8n } = manifest
  nodes = Object.assign({}, ...[...n8n.nodes, ...n8n.credentials].map((file: string) => require(`./${file}`)))
  system = await openLocalSystem({ worker: true })
})
afterAll(() => system.close())
beforeEach(async () => {
  partner = await system.makePartner({ deals: [{ id, dealname: 'Garcia, Daniel', stage: 'Sold' }] })
  receiver = await startReceiver()
  credentials = { url: system.url, token: partner.token, secret: '' }
})
afterEach(async () => {
  await bringIn(system, null, [{ id }])
  await receiver.close()
})

/** Returns the context that n8n passes to a node's functions. */
function contextOf(parameters: Record<string, unknown>, request?: { body: string; headers: object }) {
  const responses: { status: number; body?: unknown }[] = []
  return {
    responses,
    getCredentials: async () => credentials,
    getNodeParameter: (name: string) => parameters[name],
    getNodeWebhookUrl: () => `${receiver.url}/webhook/1`,
    getInputData: () => [{ json: {} }],
    continueOnFail: () => false,
    getRequestObject: () => ({ rawBody: Buffer.from(request!.body) }),
    getHeaderData: () => request!.headers,
    getResponseObject: () => ({
      status: (status: number) => ({
        send: (body: unknown) => ({ end: () => void responses.push({ status, body }) }),
      }),
    }),
    helpers: { returnJsonArray: (json: object) => [{ json }] },
  }
}

type Context = ReturnType<typeof contextOf>
const usual = { events: ['deal.created', 'deal.updated'], filter: '', changed: '' }

/** Activates a workflow like n8n does. */
async function activate(context: Context): Promise<void> {
  const { default: methods } = new nodes['PartnerDealsTrigger']!().webhookMethods
  if (!(await methods.checkExists.call(context))) await methods.create.call(context)
}

const subscriptions = async () =>
  (await ask(system, 'GET /api/webhooks', { token: partner.token })).json.subscriptions

test('has no dependencies, because n8n would compile its own natively', () => {
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('peerDependencies')
})

test('each node and credential is described under its own name', () => {
  expect(Object.keys(nodes)).toEqual(['PartnerDeals', 'PartnerDealsTrigger', 'PartnerDealsApi'])
  const used = ['PartnerDeals', 'PartnerDealsTrigger'].map((name) => new nodes[name]!().description)
  const { name, properties } = new nodes['PartnerDealsApi']!()
  for (const { credentials: needed } of used) expect(needed).toEqual([{ name, required: true }])
  expect(properties.map((property: { name: string }) => property.name)).toEqual(Object.keys(credentials))
})

test('five restarts leave one subscription, and a copied workflow gets its own', async () => {
  for (let start = 1; start <= 5; start++)
    await activate(contextOf({ ...usual, filter: 'stage=Sold&state=AZ' }))
  expect(await subscriptions()).toHaveLength(1)
  await activate({ ...contextOf(usual), getNodeWebhookUrl: () => `${receiver.url}/webhook/2` })
  expect(await subscriptions()).toHaveLength(2)
})

test('an edited filter replaces the subscription, but a reordered filter does not', async () => {
  await activate(contextOf({ ...usual, filter: 'stage=Sold&state=AZ', changed: 'stage, amount' }))
  const [first] = await subscriptions()
  await activate(contextOf({ ...usual, filter: 'state=AZ&stage=Sold', changed: 'amount stage' }))
  expect((await subscriptions()).map((each: { id: string }) => each.id)).toEqual([first.id])
  await activate(contextOf({ ...usual, filter: 'stage=Installed', changed: '' }))
  expect(await subscriptions()).toMatchObject([{ filter: 'stage=Installed', changed: null }])
})

test('deactivating deletes the subscription, even if repeated', async () => {
  await activate(contextOf(usual))
  const { default: methods } = new nodes['PartnerDealsTrigger']!().webhookMethods
  for (let time = 1; time <= 2; time++) expect(await methods.delete.call(contextOf(usual))).toBe(true)
  expect(await subscriptions()).toEqual([])
})

test('receives a deal with its exact id, and with a secret only signed events', async () => {
  await activate(contextOf(usual))
  await bringIn(system, partner, [{ id, dealname: 'Garcia, Daniel', stage: 'Installed' }])
  await expect.poll(() => receiver.requests.length).toBe(1)
  const { body, headers } = receiver.requests[0]!
  const receive = (context: Context) => new nodes['PartnerDealsTrigger']!().webhook.call(context)
  const expected = {
    workflowData: [
      [
        {
          json: expect.objectContaining({
            dealId: String(id),
            data: expect.objectContaining({ id: String(id) }),
          }),
        },
      ],
    ],
  }
  expect(await receive(contextOf(usual, { body, headers }))).toEqual(expected)

  const { stdout } = await system.operator(['webhook', 'show', '--partner', partner.slug, '--reveal'])
  credentials.secret = /whsec_[A-Za-z0-9+/=]+/.exec(stdout)![0]
  expect(await receive(contextOf(usual, { body, headers }))).toEqual(expected)
  const forged = contextOf(usual, { body: body.replace('Installed', 'Paid'), headers })
  expect(await receive(forged)).toEqual({ noWebhookResponse: true })
  expect(forged.responses).toEqual([{ status: 401, body: 'Invalid signature' }])
})

test('gets a deal by its exact id, and searches deals', async () => {
  const execute = (parameters: Record<string, unknown>) =>
    new nodes['PartnerDeals']!().execute.call(contextOf(parameters))
  expect(await execute({ operation: 'get', id: String(id) })).toMatchObject([
    [{ json: { id: String(id), stage: 'Sold' }, pairedItem: { item: 0 } }],
  ])
  expect(await execute({ operation: 'search', filter: 'q=garcia&stage=Sold', limit: 50 })).toMatchObject([
    [{ json: { id: String(id) } }],
  ])
  expect(await execute({ operation: 'search', filter: 'stage=Paid', limit: 50 })).toEqual([[]])
  await expect(execute({ operation: 'get', id: '1' })).rejects.toThrow('Deal not found')
  const failing = { ...contextOf({ operation: 'get', id: '1' }), continueOnFail: () => true }
  expect(await new nodes['PartnerDeals']!().execute.call(failing)).toMatchObject([
    [{ json: { error: expect.stringContaining('Deal not found') } }],
  ])
})
