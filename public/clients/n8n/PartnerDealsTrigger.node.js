const { PartnerDeals, SignatureError, parse, verify } = require('./partner-deals.mjs')

const clientOf = async (context) => new PartnerDeals(await context.getCredentials('partnerDealsApi'))

/** Returns the subscription that the node's parameters ask for. */
function wanted(context) {
  const fields = context.getNodeParameter('changed', '').split(/[\s,]+/).filter(Boolean)
  const filter = context.getNodeParameter('filter', '').trim()
  return {
    url: context.getNodeWebhookUrl('default'),
    name: 'n8n',
    events: context.getNodeParameter('events'),
    ...(filter !== '' && { filter }),
    ...(fields.length > 0 && { changed: fields }),
  }
}

/** Returns the subscriptions to the node's URL. Their ids in n8n's own data are lost in restarts and copies. */
async function subscriptionsOf(context, client) {
  const url = context.getNodeWebhookUrl('default')
  return (await client.webhooks.list()).filter((subscription) => subscription.url === url)
}

const sameList = (a, b) => [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()

function sameFilter(a, b) {
  const [query, other] = [a, b].map((filter) => {
    const parameters = new URLSearchParams(filter ?? '')
    parameters.sort()
    return parameters.toString()
  })
  return query === other
}

class PartnerDealsTrigger {
  description = {
    displayName: 'Partner Deals Trigger',
    name: 'partnerDealsTrigger',
    icon: 'fa:solar-panel',
    group: ['trigger'],
    version: 1,
    description: 'Starts the workflow when a deal is new, updated or removed',
    defaults: { name: 'Partner Deals Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'partnerDealsApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: [
          { name: 'New Deal', value: 'deal.created' },
          { name: 'Updated Deal', value: 'deal.updated' },
          { name: 'Removed Deal', value: 'deal.removed' },
        ],
        default: ['deal.created', 'deal.updated'],
        required: true,
      },
      {
        displayName: 'Filter',
        name: 'filter',
        type: 'string',
        default: '',
        placeholder: 'stage=Sold&state=AZ',
        description: 'Parameters of the search; empty for all deals',
      },
      {
        displayName: 'Changed Fields',
        name: 'changed',
        type: 'string',
        default: '',
        placeholder: 'stage, amount',
        description: 'Only if one of these fields changed; empty for all changes',
      },
    ],
  }

  webhookMethods = {
    default: {
      async checkExists() {
        const { events, filter, changed } = wanted(this)
        const existing = await subscriptionsOf(this, await clientOf(this))
        return (
          existing.length === 1 &&
          sameList(existing[0].events, events) &&
          sameFilter(existing[0].filter, filter) &&
          sameList(existing[0].changed, changed)
        )
      },
      async create() {
        const client = await clientOf(this)
        const { id } = await client.webhooks.create(wanted(this))
        for (const other of await subscriptionsOf(this, client))
          if (other.id !== id) await client.webhooks.delete(other.id)
        return true
      },
      async delete() {
        const client = await clientOf(this)
        for (const { id } of await subscriptionsOf(this, client)) await client.webhooks.delete(id)
        return true
      },
    },
  }

  async webhook() {
    const { secret } = await this.getCredentials('partnerDealsApi')
    // The parsed body has rounded ids.
    const body = this.getRequestObject().rawBody
    try {
      const event = secret ? verify(body, this.getHeaderData(), secret) : parse(body.toString())
      return { workflowData: [this.helpers.returnJsonArray(event)] }
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      this.getResponseObject().status(401).send(error.message).end()
      return { noWebhookResponse: true }
    }
  }
}

module.exports = { PartnerDealsTrigger }
