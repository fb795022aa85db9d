const { PartnerDeals: Client } = require('./partner-deals.mjs')

const shownFor = (...operations) => ({ show: { operation: operations } })

/** What each operation returns for the parameters of an item. */
const operations = {
  get: async (client, parameter) => [await client.deals.get(parameter('id'))],
  file: async (client, parameter) => [await client.files.get(parameter('id'))],
  async search(client, parameter) {
    const query = new URLSearchParams(parameter('filter'))
    const filter = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]))
    const found = []
    for await (const deal of client.deals.search(filter)) if (found.push(deal) === parameter('limit')) break
    return found
  },
}

class PartnerDeals {
  description = {
    displayName: 'Partner Deals',
    name: 'partnerDeals',
    icon: 'fa:solar-panel',
    group: ['input'],
    version: 1,
    description: 'Reads deals and their files',
    subtitle: '={{$parameter["operation"]}}',
    defaults: { name: 'Partner Deals' },
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'partnerDealsApi', required: true }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Get a Deal', value: 'get', action: 'Get a deal' },
          { name: 'Get a File', value: 'file', action: 'Get a file' },
          { name: 'Search Deals', value: 'search', action: 'Search deals' },
        ],
        default: 'search',
      },
      { displayName: 'ID', name: 'id', type: 'string', default: '', required: true, displayOptions: shownFor('get', 'file') },
      {
        displayName: 'Filter',
        name: 'filter',
        type: 'string',
        default: '',
        placeholder: 'q=garcia&stage=Sold',
        description: 'Parameters of the search; empty for all deals',
        displayOptions: shownFor('search'),
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 50,
        description: 'Max number of results to return',
        displayOptions: shownFor('search'),
      },
    ],
  }

  async execute() {
    const client = new Client(await this.getCredentials('partnerDealsApi'))
    const results = []
    for (const item of this.getInputData().keys()) {
      const parameter = (name) => this.getNodeParameter(name, item)
      try {
        const found = await operations[parameter('operation')](client, parameter)
        results.push(...found.map((json) => ({ json, pairedItem: { item } })))
      } catch (error) {
        if (!this.continueOnFail()) throw error
        results.push({ json: { error: error.message }, pairedItem: { item } })
      }
    }
    return [results]
  }
}

module.exports = { PartnerDeals }
