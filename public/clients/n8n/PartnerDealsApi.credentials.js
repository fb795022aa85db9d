class PartnerDealsApi {
  name = 'partnerDealsApi'
  displayName = 'Partner Deals API'
  properties = [
    { displayName: 'URL of the Portal', name: 'url', type: 'string', default: '', placeholder: 'https://deals.example.com', required: true },
    { displayName: 'Token', name: 'token', type: 'string', typeOptions: { password: true }, default: '', required: true },
    {
      displayName: 'Signing Secret',
      name: 'secret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'whsec_…',
      description: 'With it, the trigger accepts only signed webhooks. Admins find it in the portal under Webhooks.',
    },
  ]
  authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } } }
  test = { request: { baseURL: '={{$credentials.url}}', url: '/api/deals', qs: { size: 1 } } }
}

module.exports = { PartnerDealsApi }
