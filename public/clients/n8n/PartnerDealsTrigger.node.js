const { PartnerDeals, SignatureError, parse, verify } = require('./partner-deals.mjs')

const clientOf = async (context) => new PartnerDeals(await context.getCredentials('partnerDealsApi'))

/** Deletes the subscriptions to the node's URL but one; their ids in n8n's own data get lost in restarts and copies. */
async function unsubscribe(context, client, keptId = null) {
  const url = context.getNodeWebhookUrl('default')
  for (const subscription of await client.webhooks.list())
    if (subscription.url === url && subscription.id !== keptId) await client.webhooks.delete(subscription.id)
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
      // Creating a subscription again returns the existing one, so each start does it.
      checkExists: async () => false,
      async create() {
        const client = await clientOf(this)
        const { id } = await client.webhooks.create({
          url: this.getNodeWebhookUrl('default'),
          name: 'n8n',
          events: this.getNodeParameter('events'),
          filter: this.getNodeParameter('filter').trim(),
          changed: this.getNodeParameter('changed').split(/[\s,]+/).filter(Boolean),
        })
        await unsubscribe(this, client, id)
        return true
      },
      async delete() {
        await unsubscribe(this, await clientOf(this))
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
