import { expect, test } from 'vitest'
import { HubspotAssociations, HubspotObjects } from './hubspot-objects.ts'

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
