import { expect, test } from 'vitest'
import { inHomeCurrency, HubspotAssociations, HubspotObjects } from './hubspot-objects.ts'

test.each([undefined, null, {}, { next: null }, { next: {} }, { next: { after: null } }])(
  'a page with the paging value %j is the last page',
  (paging) => {
    expect(HubspotObjects.parse({ results: [], paging }).paging).toBeUndefined()
  },
)

test('accepts numbers as ids and positions, and values that are not texts', () => {
  const results = [
    { id: 7, updatedAt: null, properties: { amount: 5.5, hs_is_closed: true, odd: [], city: null } },
  ]
  expect(HubspotObjects.parse({ results, paging: { next: { after: 8 } } })).toMatchObject({
    results: [{ id: '7', properties: { amount: '5.5', hs_is_closed: 'true', odd: null, city: null } }],
    paging: { next: { after: '8' } },
  })
  const associations = { results: [{ from: { id: 7 }, to: [{ toObjectId: 9 }] }] }
  expect(HubspotAssociations.parse(associations).results[0]!.to).toMatchObject([{ toObjectId: '9' }])
})

const currencies = { home: 'USD', money: new Set(['amount', 'adder_cost']) }
const deal = (values: Record<string, string | null>) => inHomeCurrency(values, currencies)

test('keeps amounts in the currency of the company unchanged', () => {
  for (const deal_currency_code of ['USD', 'usd', '', null]) {
    const values = { deal_currency_code, amount: '5', adder_cost: '1' }
    expect(deal(values)).toEqual({ values })
  }
})

test('uses the amount converted by HubSpot, and its rate for other amounts', () => {
  const values = {
    deal_currency_code: 'MXN',
    amount: '200000',
    amount_in_home_currency: '10000.00',
    adder_cost: '3333',
    city: 'x',
  }
  expect(deal(values)).toEqual({ values: { ...values, amount: '10000.00', adder_cost: '166.65' } })
})

test('uses the amount converted by HubSpot if the currency of the company is unknown', () => {
  const unknown = { ...currencies, home: null }
  const euros = { deal_currency_code: 'USD', amount: '100', amount_in_home_currency: '90' }
  expect(inHomeCurrency(euros, unknown).values['amount']).toBe('90')
  const dollars = { deal_currency_code: 'USD', amount: '100', amount_in_home_currency: null }
  expect(inHomeCurrency(dollars, unknown)).toEqual({ values: dollars })
  const pesos = { ...dollars, deal_currency_code: 'MXN' }
  expect(inHomeCurrency(pesos, unknown).values['amount']).toBeNull()
})

test('reports an amount that HubSpot does not convert, and leaves it out', () => {
  const reason = 'is in MXN, and HubSpot does not convert it to USD'
  const values = {
    deal_currency_code: 'MXN',
    amount: '200000',
    amount_in_home_currency: null,
    adder_cost: '',
  }
  expect(deal(values)).toEqual({
    values: { ...values, amount: null },
    unreadable: new Map([['amount', reason]]),
  })
  expect(
    deal({ deal_currency_code: 'MXN', amount: '0', amount_in_home_currency: '0', adder_cost: '7' }),
  ).toEqual(expect.objectContaining({ unreadable: new Map([['adder_cost', reason]]) }))
})
