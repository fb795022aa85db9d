import { expect, test } from 'vitest'
import { HubspotAssociations, HubspotObjects } from './hubspot-objects.ts'

test.each([undefined, null, {}, { next: null }, { next: {} }, { next: { after: null } }])(
  'a page with paging %j is the last one',
  (paging) => {
    expect(HubspotObjects.parse({ results: [], paging }).paging).toBeUndefined()
  },
)

test('reads ids and positions that are numbers, and values that are no texts', () => {
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
