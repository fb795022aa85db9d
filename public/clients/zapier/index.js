import { version as platformVersion } from 'zapier-platform-core'
import packageJson from './package.json' with { type: 'json' }
import { parse } from './partner-deals.mjs'

// An app for Zapier: a trigger for changes of deals, and a search. Push it to your own account, unlisted:
// npm install && npx zapier-platform-cli register "Partner Deals" && npx zapier-platform-cli push

/** Names the server and adds the token. */
const authorize = (request, z, { authData }) => ({
  ...request,
  url: new URL(request.url, authData.url).href,
  headers: { ...request.headers, Authorization: `Bearer ${authData.token}` },
})

/** Throws errors in the words of the API, before Zapier does in its own. */
function throwErrors(response, z) {
  const { status, data } = response
  if (status < 400 || response.skipThrowForStatus) return response
  const message = [data?.message ?? `Status ${status}`, ...(data?.errors ?? [])].join(': ')
  if (status === 401) throw new z.errors.ExpiredAuthError(message)
  if (status === 503) throw new z.errors.ThrottledError(message, Number(response.getHeader('retry-after')) || 60)
  throw new z.errors.Error(message, data?.code, status)
}

/** Sends a request, and parses its response like the client, because Zapier's own parser rounds 64-bit ids. */
const read = async (z, request) =>
  parse((await z.request({ ...request, removeMissingValuesFrom: { params: true } })).content)

function subscribe(z, { targetUrl, inputData: { events, filter, changed } }) {
  const body = { url: targetUrl, name: 'Zapier', events: events?.length ? events : null, filter, changed }
  return read(z, { method: 'POST', url: '/api/webhooks', body })
}

async function unsubscribe(z, { subscribeData: { id } }) {
  const response = await z.request({ method: 'DELETE', url: `/api/webhooks/${id}`, skipThrowForStatus: true })
  // Somebody may have deleted it before.
  if (response.status !== 404) response.throwForStatus()
  return {}
}

/** Returns the event of a delivery. Its `id` is the same each time that it is sent. */
const receive = (z, { rawRequest, cleanedRequest }) => [
  rawRequest?.content ? parse(rawRequest.content) : cleanedRequest,
]

/** Returns the newest events, as samples for the editor. */
async function listNewest(z, { inputData: { filter } }) {
  const { events } = await read(z, { url: '/api/events', params: { after: -3, filter } })
  return events.reverse()
}

async function findDeals(z, { inputData: { q, stage } }) {
  return (await read(z, { url: '/api/deals/search', params: { limit: 10, q, stage } })).deals
}

const deal = { id: '20411000193', dealname: 'Garcia, Daniel - 8.8 kW', stage: 'Permit Submitted', city: 'Phoenix' }

const dealChanged = {
  key: 'deal_changed',
  noun: 'Deal',
  display: { label: 'New or Updated Deal', description: 'Triggers when a deal is new, updated or removed.' },
  operation: {
    type: 'hook',
    inputFields: [
      {
        key: 'events',
        label: 'Events',
        list: true,
        choices: { 'deal.created': 'New', 'deal.updated': 'Updated', 'deal.removed': 'Removed' },
        helpText: 'New and updated deals if empty.',
      },
      { key: 'filter', label: 'Filter', helpText: 'Parameters of the search: `stage=Sold&state=AZ`.' },
      { key: 'changed', label: 'Changed fields', list: true, helpText: 'Only if one of these changed: `stage`.' },
    ],
    performSubscribe: subscribe,
    performUnsubscribe: unsubscribe,
    perform: receive,
    performList: listNewest,
    sample: {
      id: '1042',
      dealId: deal.id,
      type: 'deal.updated',
      timestamp: '2026-03-01T17:20:05.000Z',
      sequence: 1042,
      data: deal,
      changes: [{ field: 'stage', from: 'NTP Review', to: 'Permit Submitted' }],
    },
  },
}

const findDeal = {
  key: 'find_deal',
  noun: 'Deal',
  display: { label: 'Find a Deal', description: 'Finds a deal by the words in it.' },
  operation: {
    inputFields: [
      { key: 'q', label: 'Words', helpText: 'Such as a name, a street or a phone number.' },
      { key: 'stage', label: 'Stage' },
    ],
    perform: findDeals,
    sample: deal,
  },
}

const tokenHelp = 'From Manage, then Tokens, with the scopes deals:read, webhooks:read and webhooks:write.'

export default {
  version: packageJson.version,
  platformVersion,
  authentication: {
    type: 'custom',
    fields: [
      { key: 'url', label: 'URL of the portal', helpText: 'Such as https://deals.example.com', required: true },
      { key: 'token', label: 'Token', type: 'password', helpText: tokenHelp, required: true },
    ],
    test: { url: '/api/deals', params: { size: 1 } },
    connectionLabel: '{{bundle.authData.url}}',
  },
  beforeRequest: [authorize],
  afterResponse: [throwErrors],
  triggers: { [dealChanged.key]: dealChanged },
  searches: { [findDeal.key]: findDeal },
}
